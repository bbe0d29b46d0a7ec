// Something done again and again, never twice at a time, less often while it fails.
import { backOff } from '../domain/back-off.ts';

export interface Poll {
  /** Not only when the time comes. */
  now(): void;
  /** Resolves when what is under way is done. */
  stop(): Promise<void>;
}

const LONGEST_PAUSE_MS = 10_000;

export function every(
  ms: number,
  work: () => Promise<void>,
  logFailure: (error: unknown, what: string) => string,
): Poll {
  let timer: NodeJS.Timeout | undefined;
  let underWay: Promise<void> | undefined;
  let isWanted = false;
  let isStopped = false;
  let failures = 0;

  const round = async (): Promise<void> => {
    try {
      await work();
      failures = 0;
    } catch (error) {
      failures += 1;
      logFailure(error, 'looking for work in the repository');
    }
  };
  const start = (): void => {
    clearTimeout(timer);
    isWanted = false;
    underWay = round().then(() => {
      underWay = undefined;
      if (isStopped) return;
      // 500 ms after a success; 1 s, 2 s, 4 s ... 10 s after failures
      if (isWanted && failures === 0) start();
      else timer = setTimeout(start, backOff(failures + 1, ms, Math.max(ms, LONGEST_PAUSE_MS)));
    });
  };
  start();
  return {
    now() {
      if (underWay === undefined && !isStopped) start();
      else isWanted = true;
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await underWay;
    },
  };
}
