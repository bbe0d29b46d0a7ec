import type { Log } from '../telemetry/log.ts';

/** What the page shows as a problem stands in the log as well: once when it comes, once when it has gone. */
export function problemLog(log: Pick<Log, 'warn' | 'info'>): (problems: readonly string[]) => void {
  let known: readonly string[] = [];
  return (problems) => {
    for (const problem of problems) if (!known.includes(problem)) log.warn(problem);
    for (const problem of known) if (!problems.includes(problem)) log.info(`No longer: ${problem}`);
    known = problems;
  };
}
