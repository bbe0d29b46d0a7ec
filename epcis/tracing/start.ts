// A tracer whose spans go to the collector that the settings name.
import { randomBytes } from 'node:crypto';
import { createExporter, type ExporterLog } from './exporter.ts';
import type { TracingSettings } from './options.ts';
import type { Attributes } from './otlp.ts';
import { createTracer, type Tracer } from './tracer.ts';

export interface Tracing {
  readonly tracer: Tracer;
  close(): Promise<void>;
}

/** Undefined: there are no traces. */
export function startTracing(settings: TracingSettings, resource: Attributes, log: ExporterLog): Tracing | undefined {
  const { endpoint, share } = settings;
  if (endpoint === '') return undefined;
  const exporter = createExporter({ endpoint, resource, log });
  const tracer = createTracer({
    share,
    now: () => performance.timeOrigin + performance.now(),
    random: Math.random,
    newId: newIds(),
    ended: (span) => exporter.add(span),
  });
  return { tracer, close: () => exporter.close() };
}

/** Asked for one by one, random bytes cost a quarter of what a request costs the gateway, and every request has two names. */
export function newIds(): (bytes: number) => string {
  let pool = '';
  let used = 0;
  return (bytes) => {
    if (used + 2 * bytes > pool.length) {
      pool = randomBytes(POOL_BYTES).toString('hex');
      used = 0;
    }
    const id = pool.slice(used, used + 2 * bytes);
    used += 2 * bytes;
    return id;
  };
}
const POOL_BYTES = 4_096;
