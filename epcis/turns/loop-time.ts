/** The turns of this process's loop. */
export const LOOP_TIME = {
  now: () => performance.now(),
  // the second one from here: what came meanwhile, and waits for a turn itself, is before it
  nextTurn: () => new Promise<void>((resolve) => void setImmediate(() => setImmediate(resolve))),
  sleep: (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms)),
};
