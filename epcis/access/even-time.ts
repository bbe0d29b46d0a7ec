// How long it took to find that there is nothing for a client is not to be told by when the answer comes: what others have takes some
// microseconds longer to find and leave out than what nobody has. So such an answer comes a whole number of STEPs after the question.
//
// A thread sleeps for that. Node's own timers count whole milliseconds from where the process went to sleep, which tells when its work ended.
import { Worker } from 'node:worker_threads';
import { EpcisException } from '../domain/exceptions.ts';

/** Called with a question; what comes of it is waited for where nothing was found, so that the time of the answer tells nothing else. */
export type BeginEven = () => () => Promise<void>;

/** Longer than most questions that find nothing take. */
const STEP_MS = 5;
/** What the thread takes to hear of it. */
const AT_LEAST_MS = 0.5;

/** ms of the clock that all threads of a process have in common. */
export const sharedNow = (): number => Number(process.hrtime.bigint()) / 1e6;

export class EvenTime {
  readonly #signal = new Int32Array(new SharedArrayBuffer(4));
  readonly #waiting = new Map<number, (() => void)[]>();
  #thread: Worker | undefined;

  readonly begin: BeginEven = () => {
    const begun = sharedNow();
    return () => this.#until(begun + STEP_MS * Math.ceil((sharedNow() + AT_LEAST_MS - begun) / STEP_MS));
  };

  #until(at: number): Promise<void> {
    const thread = (this.#thread ??= this.#start());
    return new Promise((resolve) => {
      this.#waiting.set(at, [...(this.#waiting.get(at) ?? []), resolve]);
      thread.ref();
      thread.postMessage(at);
      Atomics.add(this.#signal, 0, 1);
      Atomics.notify(this.#signal, 0);
    });
  }

  #start(): Worker {
    const thread = new Worker(new URL('./even-time-thread.ts', import.meta.url), { workerData: this.#signal });
    thread.on('message', (at: number) => {
      this.#end(at);
      if (this.#waiting.size === 0) thread.unref();
    });
    // nobody waits for one that failed; the next to wait starts another
    thread.on('error', () => undefined);
    thread.once('exit', () => {
      this.#thread = undefined;
      for (const at of this.#waiting.keys()) this.#end(at);
    });
    thread.unref();
    return thread;
  }

  #end(at: number): void {
    for (const resolve of this.#waiting.get(at) ?? []) resolve();
    this.#waiting.delete(at);
  }

  async close(): Promise<void> {
    await this.#thread?.terminate();
  }
}

/** The same services, which take their time to say that there is none of what they are asked for. */
export function saysNoEvenly<S extends object>(services: S, begin: BeginEven): S {
  const of = ([name, service]: readonly [string, object]) => [name, oneEvenly(service, begin)];
  return Object.fromEntries(Object.entries(services).map(of)) as S;
}

type Act = (...given: readonly unknown[]) => Promise<unknown>;

function oneEvenly(service: object, begin: BeginEven): object {
  const evenly =
    (act: Act): Act =>
    async (...given) => {
      const even = begin();
      try {
        return await act(...given);
      } catch (error) {
        if (error instanceof EpcisException && error.name.startsWith('NoSuch')) await even();
        throw error;
      }
    };
  const acts = Object.entries(service) as readonly (readonly [string, Act])[];
  return Object.fromEntries(acts.map(([name, act]) => [name, evenly(act)]));
}
