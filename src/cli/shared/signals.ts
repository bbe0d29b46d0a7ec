// Ctrl-C, SIGTERM and a terminal that is closed: the first asks for an orderly end, a second one more than a second later ends at once.

interface Interruption extends Promise<void> {
  readonly happened: boolean;
}

/** npm passes the terminal's SIGINT on to a process that has it already: what comes within this time is the same one. */
const SAME_SIGNAL_MS = 1_000;

export function untilInterrupted(): Interruption {
  const { promise, resolve } = Promise.withResolvers<void>();
  let at: number | undefined;
  const onSignal = () => {
    if (at === undefined) {
      at = performance.now();
      resolve();
    } else if (performance.now() - at > SAME_SIGNAL_MS) {
      process.exit(130);
    }
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, onSignal);
  return Object.defineProperty(promise, 'happened', { get: () => at !== undefined }) as Interruption;
}
