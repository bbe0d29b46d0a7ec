// Which requests failed, and what the system did at that time. Pure.
import type { Outcome } from './measure.ts';

/** A line of a part's log. */
export interface Happening {
  /** ms of the clock that outcomes are told by. */
  readonly at: number;
  readonly what: string;
}

/** What happened so long before a request began, and until so long after it ended, is told with it. */
const AROUND_MS = 5_000;

/** The lines of a log in JSON that say when; `origin`: when that clock was 0. */
export function happeningsIn(part: string, log: string, origin: number): Happening[] {
  return log.split('\n').flatMap((line) => {
    const said = readLine(line);
    if (said === undefined) return [];
    const { time, level, msg, ...rest } = said;
    const more = Object.entries(rest).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
    return [{ at: Date.parse(time) - origin, what: [part, level, msg, ...more].join(' ') }];
  });
}

function readLine(line: string): { time: string; level?: string; msg?: string } | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const said = JSON.parse(line) as { time?: unknown };
    return typeof said.time === 'string' ? { ...said, time: said.time } : undefined;
  } catch {
    return undefined;
  }
}

/** A paragraph for each request that failed, the first first; times in seconds after `start`. */
export function tellFailures(outcomes: readonly Outcome[], happenings: readonly Happening[], start: number): string[] {
  const inSeconds = (at: number) => ((at - start) / 1000).toFixed(2);
  return outcomes
    .filter(({ answered }) => !answered)
    .sort((a, b) => a.ended - b.ended)
    .map(({ began, ended, why, detail }) => {
      const around = happenings
        .filter(({ at }) => at >= began - AROUND_MS && at <= ended + AROUND_MS)
        .sort((a, b) => a.at - b.at);
      return [
        `failed at ${inSeconds(ended)} s, begun at ${inSeconds(began)} s: ${detail ?? why ?? 'nobody knows why'}`,
        ...around.map(({ at, what }) => `  ${inSeconds(at)} s: ${what}`),
      ].join('\n');
    });
}
