// A gateway in a process of its own, steered over IPC: so that its memory is its own, and a test's load is not in it.
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startGateway } from '../../src/balance/gateway.ts';
import type { Counters } from '../../src/balance/core/counters.ts';
import type { Gateway } from '../../src/balance/core/contract.ts';
import type { GatewayOptions } from '../../src/balance/core/options.ts';
import type { KeyRecord } from '../../src/access/keys.ts';
import type { Issued } from './certificates.ts';
import { accessOf, readerOf } from './gatekeeper.ts';
import { deps, options, startHaproxy } from './gateway.ts';
import { residentBytes } from '../../src/act/local/process-info.ts';

type Request =
  | { readonly call: 'start' }
  | { readonly call: 'add'; readonly id: string; readonly port: number }
  | { readonly call: 'drain'; readonly id: string; readonly deadlineMs: number }
  | { readonly call: 'remove'; readonly id: string }
  | { readonly call: 'counters' }
  | { readonly call: 'memory' }
  | { readonly call: 'pids' }
  | { readonly call: 'close' };

/** How clients come in; default: by HTTP, whoever they are. */
export interface Door {
  readonly tls?: Issued;
  readonly http2?: boolean;
  /** Those that are let in, and the file with the keys of a TokenIssuer. */
  readonly known?: { readonly keys: readonly KeyRecord[]; readonly jwks: string };
}

export class GatewayProcess {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #calls = 0;

  constructor(dataPlane: GatewayOptions['dataPlane'], door: Door = {}) {
    const told = ['serve', dataPlane, JSON.stringify(door)];
    this.#child = fork(fileURLToPath(import.meta.url), told, { execArgv: ['--expose-gc'] });
    this.#child.on('message', ({ n, answer }: { n: number; answer: unknown }) => {
      this.#waiting.get(n)?.resolve(answer);
      this.#waiting.delete(n);
    });
    this.#child.on('exit', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('The gateway has ended.'));
    });
  }

  start = (): Promise<number> => this.#call<number>({ call: 'start' });
  add = (id: string, port: number): Promise<unknown> => this.#call({ call: 'add', id, port });
  drain = (id: string, deadlineMs: number): Promise<boolean> => this.#call({ call: 'drain', id, deadlineMs });
  remove = (id: string): Promise<unknown> => this.#call({ call: 'remove', id });
  counters = (): Promise<Counters> => this.#call({ call: 'counters' });
  /** Bytes in use after a garbage collection, those of an HAProxy included. */
  memory = (): Promise<number> => this.#call({ call: 'memory' });
  /** Its own, and its HAProxy's. */
  pids = (): Promise<number[]> => this.#call({ call: 'pids' });

  async stop(): Promise<void> {
    const exited = new Promise<void>((resolve) => this.#child.once('exit', () => resolve()));
    await this.#call({ call: 'close' });
    this.#child.kill('SIGKILL');
    await exited;
  }

  #call<T>(request: Request): Promise<T> {
    const n = this.#calls++;
    const asked = Promise.withResolvers<unknown>();
    this.#waiting.set(n, asked);
    this.#child.send({ n, request }, (error) => (error === null ? undefined : asked.reject(error)));
    return asked.promise as Promise<T>;
  }
}

let haproxyPid: number | undefined;

async function serve(dataPlane: GatewayOptions['dataPlane'], { tls, http2 = false, known }: Door): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'mmeliot-gateway-'));
  const start = (args: readonly string[]) => {
    const child = startHaproxy(args);
    haproxyPid = child.pid;
    return child;
  };
  const gateway = await startGateway(options({ dataPlane, http2, queue: { deadlineMs: 5_000 }, ...(tls && { tls }) }), {
    ...deps,
    haproxy: { folder, start },
    ...(known && { access: accessOf(known.keys, { readToken: readerOf(known.jwks) }) }),
  });
  const close = async () => {
    await gateway.close();
    rmSync(folder, { recursive: true, force: true });
  };
  process.on('message', ({ n, request }: { n: number; request: Request }) => {
    const answering = request.call === 'close' ? close() : handle(gateway, request);
    void answering.then((answer) => process.send?.({ n, answer: answer ?? null }));
  });
  process.on('disconnect', () => void close().then(() => process.exit()));
}

async function handle(gateway: Gateway, request: Exclude<Request, { call: 'close' }>): Promise<unknown> {
  if (request.call === 'start') return gateway.address.port;
  if (request.call === 'add') return gateway.add(request.id, { host: '127.0.0.1', port: request.port });
  if (request.call === 'drain') return gateway.drain(request.id, request.deadlineMs);
  if (request.call === 'remove') return gateway.remove(request.id);
  if (request.call === 'counters') return { ...gateway.counters(), vms: {} };
  if (request.call === 'pids') return haproxyPid === undefined ? [process.pid] : [process.pid, haproxyPid];
  (globalThis as { gc?: () => void }).gc?.();
  return process.memoryUsage().heapUsed + (haproxyPid === undefined ? 0 : (residentBytes(haproxyPid) ?? 0));
}

if (process.argv[2] === 'serve' && process.argv[1] === fileURLToPath(import.meta.url)) {
  await serve(process.argv[3] as GatewayOptions['dataPlane'], JSON.parse(process.argv[4] ?? '{}') as Door);
}
