// Several service processes in one VM, which share its port: a process uses one core. The first process serves nobody; it starts
// the others, and another one for one that ends by itself.
import cluster, { type Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';

/** What a process has used up to now: core-milliseconds, bytes of its connections. */
export interface Usage {
  readonly cpuMs: number;
  readonly in: number;
  readonly out: number;
}

type News = { readonly port: number } | { readonly usage: Usage };

export interface Processes {
  /** All listen there, or did when the VM came up. */
  readonly port: number;
  /** Of all, those that ended included. */
  usage(): Usage;
  /** Resolves when all have ended; each has been told to. */
  close(): Promise<void>;
}

const NOTHING: Usage = { cpuMs: 0, in: 0, out: 0 };
const add = (a: Usage, b: Usage): Usage => ({ cpuMs: a.cpuMs + b.cpuMs, in: a.in + b.in, out: a.out + b.out });

/** One that ends so often in a row never serves: then the VM has failed, and the manager replaces it. */
const MOST_ENDS = 5;
const AGAIN_MS = 500;
const SERVED_MS = 60_000;

interface Watch {
  /** This process was told to end; the others may have been as well, by whoever tells all of a group. */
  readonly isEnding: () => boolean;
  /** They keep ending. */
  readonly onFailure: (error: Error) => void;
}

/** This program, `count` times. Resolves when all listen, or when it is told to end before. */
export async function startProcesses(
  count: number,
  env: Readonly<Record<string, string>>,
  { isEnding, onFailure }: Watch,
): Promise<Processes> {
  const running = new Map<Worker, Usage>();
  const up = Promise.withResolvers<number>();
  const listening = new Set<Worker>();
  let before = NOTHING;
  let ends = 0;
  let closing = false;

  const start = (): void => {
    const worker = cluster.fork(env);
    closeWhatItLeaves(worker);
    const from = performance.now();
    running.set(worker, NOTHING);
    worker.on('message', (news: News) => {
      if ('usage' in news) return void running.set(worker, news.usage);
      listening.add(worker);
      if (listening.size === count) up.resolve(news.port);
    });
    worker.on('error', () => undefined); // it has ended, and cannot be told anything
    worker.once('exit', (code, signal) => {
      before = add(before, running.get(worker) ?? NOTHING);
      running.delete(worker);
      listening.delete(worker);
      if (closing || isEnding()) return running.size === 0 ? up.resolve(0) : undefined;
      ends = performance.now() - from > SERVED_MS ? 1 : ends + 1;
      const error = new Error(`A service process ended ${ends} times in a row, last with ${signal ?? code}.`);
      if (ends < MOST_ENDS) return void sleep(AGAIN_MS).then(() => closing || isEnding() || start());
      onFailure(error);
    });
  };
  for (let n = 0; n < count; n++) start();
  return {
    port: await up.promise,
    usage: () => [...running.values()].reduce(add, before),
    async close() {
      closing = true;
      const ended = [...running.keys()].map((worker) => new Promise((done) => worker.once('exit', done)));
      for (const worker of running.keys()) worker.process.kill('SIGTERM');
      await Promise.all(ended);
    },
  };
}

interface Connection {
  close(): void;
}
type Send = (message: { readonly act?: string; readonly seq?: number }, connection?: Connection) => boolean;

/**
 * Node's cluster closes its own end of a connection when the process that has been given it says so. One that is killed before says
 * nothing, and the client would wait for as long as it likes.
 */
function closeWhatItLeaves(worker: Worker): void {
  const given = new Map<number, Connection>();
  const child = worker.process as unknown as { send: Send };
  const send = child.send.bind(child);
  child.send = (message, connection, ...more) => {
    if (message.act === 'newconn' && message.seq !== undefined && connection !== undefined)
      given.set(message.seq, connection);
    return send(message, connection, ...more);
  };
  worker.process.on('internalMessage', ({ ack }: { readonly ack?: number }) => {
    if (ack !== undefined) given.delete(ack);
  });
  worker.once('exit', () => given.forEach((connection) => connection.close()));
}

const TELL_MS = 250;

/** In one of them: says where it listens, and from then on what it uses. */
export function tellFirst(port: number, usage: () => Usage): void {
  const tell = (news: News): void => void process.send?.(news, undefined, undefined, () => undefined);
  tell({ port });
  setInterval(() => tell({ usage: usage() }), TELL_MS).unref();
}

export const isOneOfThem = (): boolean => cluster.isWorker;
