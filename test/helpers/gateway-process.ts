// A gateway in a process of its own, steered over IPC: so that its memory is its own, and a test's load is not in it.
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { startGateway } from '../../src/balance/gateway.ts';
import type { Counters, Gateway } from '../../src/balance/gateway.ts';
import { deps, options } from './gateway.ts';

type Request =
  | { readonly call: 'start' }
  | { readonly call: 'add'; readonly id: string; readonly port: number }
  | { readonly call: 'drain'; readonly id: string; readonly deadlineMs: number }
  | { readonly call: 'remove'; readonly id: string }
  | { readonly call: 'counters' }
  | { readonly call: 'heap' };

export class GatewayProcess {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (answer: unknown) => void>();
  #calls = 0;

  constructor() {
    this.#child = fork(fileURLToPath(import.meta.url), ['serve'], { execArgv: ['--expose-gc'] });
    this.#child.on('message', ({ n, answer }: { n: number; answer: unknown }) => {
      this.#waiting.get(n)?.(answer);
      this.#waiting.delete(n);
    });
  }

  start = (): Promise<number> => this.#call<number>({ call: 'start' });
  add = (id: string, port: number): Promise<unknown> => this.#call({ call: 'add', id, port });
  drain = (id: string, deadlineMs: number): Promise<boolean> => this.#call({ call: 'drain', id, deadlineMs });
  remove = (id: string): Promise<unknown> => this.#call({ call: 'remove', id });
  counters = (): Promise<Counters> => this.#call({ call: 'counters' });
  /** Bytes in use after a garbage collection. */
  heap = (): Promise<number> => this.#call({ call: 'heap' });

  stop(): Promise<void> {
    return new Promise((resolve) => {
      this.#child.once('exit', () => resolve());
      this.#child.kill('SIGKILL');
    });
  }

  #call<T>(request: Request): Promise<T> {
    const n = this.#calls++;
    return new Promise((resolve) => {
      this.#waiting.set(n, resolve as (answer: unknown) => void);
      this.#child.send({ n, request });
    });
  }
}

async function serve(): Promise<void> {
  const gateway = await startGateway(options({ queue: { deadlineMs: 5_000 } }), deps);
  process.on('message', ({ n, request }: { n: number; request: Request }) => {
    void handle(gateway, request).then((answer) => process.send?.({ n, answer: answer ?? null }));
  });
  process.on('disconnect', () => process.exit());
}

async function handle(gateway: Gateway, request: Request): Promise<unknown> {
  if (request.call === 'start') return gateway.address.port;
  if (request.call === 'add') return gateway.add(request.id, { host: '127.0.0.1', port: request.port });
  if (request.call === 'drain') return gateway.drain(request.id, request.deadlineMs);
  if (request.call === 'remove') return gateway.remove(request.id);
  if (request.call === 'counters') return { ...gateway.counters(), vms: {} };
  (globalThis as { gc?: () => void }).gc?.();
  return process.memoryUsage().heapUsed;
}

if (process.argv[2] === 'serve' && process.argv[1] === fileURLToPath(import.meta.url)) await serve();
