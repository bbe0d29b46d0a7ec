// Both doors over services that a test scripts: for what the real ones cannot be made to do.
import { serve, type HttpServer } from '../../epcis/bindings/http/serve.ts';
import { createRouters } from '../../epcis/bindings/routers.ts';
import type { Documents, Services } from '../../epcis/bindings/http/doors.ts';
import type { RestDoors } from '../../epcis/bindings/rest/exchange.ts';

export interface Scripted {
  services?: { [K in keyof Services]?: Partial<Services[K]> };
  documents?: Partial<Documents>;
  ready?: () => Promise<void>;
  prefix?: string;
  drainSeconds?: number;
  corsOrigins?: readonly string[];
  compressFrom?: number;
  limits?: Partial<RestDoors['limits']>;
}

export interface ScriptedServer extends HttpServer {
  readonly url: string;
  /** What was logged. */
  readonly log: { readonly level: string; readonly fields: object }[];
}

/** A service of which nothing but what the test scripts can be called. */
function only<T extends object>(what: string, scripted: Partial<T> = {}): T {
  return new Proxy(scripted as T, {
    get(target, name) {
      if (name in target) return Reflect.get(target, name) as unknown;
      throw new Error(`the test did not expect ${what}.${String(name)}`);
    },
  });
}

export async function serveScripted(scripted: Scripted): Promise<ScriptedServer> {
  const log: ScriptedServer['log'] = [];
  const write = (level: string) => (fields: object) => void log.push({ level, fields });
  const { services = {}, limits } = scripted;
  const doors: RestDoors = {
    services: {
      capture: only('capture', services.capture),
      query: only('query', services.query),
      jobs: only('jobs', services.jobs),
      queries: only('queries', services.queries),
      subscriptions: only('subscriptions', services.subscriptions),
      exports: only('exports', services.exports),
    },
    documents: only('documents', scripted.documents),
    limits: {
      ...{ captureBytes: 1e6, captureEvents: 500, uriLength: 4000, requestBytes: 1e5, pageSize: 1000 },
      ...{ socketBytesPerSecond: 1024, queryParameters: 100, queryValues: 2000, ...limits },
    },
    compressFrom: scripted.compressFrom ?? 1024,
    log: { error: write('error'), warn: write('warn'), info: write('info') },
    now: () => new Date(),
    rest: {
      ...{ prefix: scripted.prefix ?? '', secret: 'test', queryPath: '/epcis/query' },
      ...{ tokenSeconds: 60, tokenTime: () => Date.now() },
    },
  };
  const server = await serve(createRouters(doors, ['/epcis-repository', '/epcis']), {
    host: '127.0.0.1',
    port: 0,
    asked: () => {},
    corsOrigins: scripted.corsOrigins ?? [],
    drainSeconds: scripted.drainSeconds ?? 5,
    ready: scripted.ready ?? (() => Promise.resolve()),
  });
  return { ...server, url: `http://127.0.0.1:${server.port}`, log };
}
