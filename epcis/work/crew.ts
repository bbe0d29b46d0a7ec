// A bounded number of tasks at a time in this process, each under a lease that is renewed while it runs. A task whose turn is
// before that of one at work gets a place beside it, and that one pauses where it can.
import { Turns, type Pass } from './turns.ts';

export interface Task {
  /** Handles its own failures. Stops early when the signal says so; calls `pass` where it can pause. */
  run(signal: AbortSignal, pass: Pass): Promise<void>;
  /** False: the lease is lost. */
  renew(): Promise<boolean>;
  /** Smaller goes first; absent where all tasks are equal. */
  readonly turn?: number;
}

export interface Crew {
  /** Claims as much as there is room for. */
  look(): Promise<void>;
  /** Claims no more; what runs longer than this is told to stop. */
  close(seconds: number): Promise<void>;
}

export interface CrewOptions {
  readonly size: number;
  readonly leaseSeconds: number;
  /** `before`: only a task whose turn is before that. */
  readonly claim: (before?: number) => Promise<Task | undefined>;
  readonly logFailure: (error: unknown, what: string) => string;
}

export function createCrew({ size, leaseSeconds, claim, logFailure }: CrewOptions): Crew {
  const running = new Set<Promise<void>>();
  const turns = new Turns(size);
  const stop = new AbortController();
  let isClosed = false;
  let isLooking = false;
  let isWanted = false;

  const look = async (): Promise<void> => {
    isWanted = true; // also when somebody is looking: what is there now may not have been there when that look began
    if (isLooking) return;
    isLooking = true;
    try {
      while (isWanted && !isClosed && (running.size < size || turns.overtaking !== undefined)) {
        isWanted = false;
        const task = await claim(running.size < size ? undefined : turns.overtaking);
        if (task === undefined) continue;
        start(task);
        isWanted = true;
      }
    } finally {
      isLooking = false;
    }
  };
  const start = (task: Task): void => {
    const place = turns.take(task.turn ?? -Infinity);
    const done: Promise<void> = underLease(task, leaseSeconds, stop.signal, place.pass, logFailure)
      .catch((error: unknown) => void logFailure(error, 'work from the repository'))
      .then(() => {
        running.delete(done);
        place.leave();
        // there may be more; when the repository is out of reach the next poll finds it
        void look().catch(() => undefined);
      });
    running.add(done);
  };
  return {
    look,
    async close(seconds) {
      isClosed = true;
      const timer = setTimeout(() => stop.abort(new Error('This VM is closing.')), seconds * 1000);
      while (running.size > 0) await Promise.all(running);
      clearTimeout(timer);
    },
  };
}

/** A lease is renewed so often even where it lasts long: progress is told with it. */
const OFTEN_MS = 5_000;

async function underLease(
  task: Task,
  leaseSeconds: number,
  stop: AbortSignal,
  pass: Pass,
  logFailure: CrewOptions['logFailure'],
): Promise<void> {
  const lost = new AbortController();
  const renew = async (): Promise<void> => {
    try {
      if (!(await task.renew())) lost.abort(new Error('The lease ran out; another VM goes on.'));
    } catch (error) {
      logFailure(error, 'renewing a lease'); // the next try may be in time
    }
  };
  // three tries within one lease
  const timer = setInterval(() => void renew(), Math.min(OFTEN_MS, (leaseSeconds * 1000) / 3));
  const ended = AbortSignal.any([stop, lost.signal]);
  try {
    await task.run(ended, (longestMs) => pass(longestMs, ended));
  } finally {
    clearInterval(timer);
  }
}
