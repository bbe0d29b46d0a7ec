// The logarithms of a load, kept from one decision to the next: each is only one further in the past then.
import type { PeriodSummary } from '../../model.ts';

interface Known {
  readonly periods: readonly PeriodSummary[];
  readonly floor: number;
  readonly logs: Float64Array;
}

/** The newest alone. What is taken from it is what would be found again, so only the time depends on it. */
let newest: Known | undefined;

/** The two newest periods become other objects later: they get what was learned, and lose it again. */
const SETTLED = 2;
/** Floors are taken in steps of about an eighth, so that few of them differ from the last. */
const STEPS = 6;

/** Of the rates (requests a second), newest first, with about `floor` added, so that idle is a level as well. */
export function logsOf(periods: readonly PeriodSummary[], floor: number): Known {
  const stepped = 2 ** (Math.round(STEPS * Math.log2(floor)) / STEPS);
  const logs = new Float64Array(periods.length);
  const moved = newest?.floor === stepped ? movedBy(newest.periods, periods) : undefined;
  const own = moved === undefined ? logs.length : SETTLED + moved;
  if (newest !== undefined && own < logs.length)
    logs.set(newest.logs.subarray(SETTLED, SETTLED + logs.length - own), own);
  for (let i = 0; i < own; i++) logs[i] = Math.log((periods[i]?.arrivalRate ?? 0) + stepped);
  newest = { periods, floor: stepped, logs };
  return newest;
}

/** How many periods have come since the others; undefined: it is not their past. */
function movedBy(before: readonly PeriodSummary[], periods: readonly PeriodSummary[]): number | undefined {
  return [1, 0].find((moved) => {
    if (periods.length < SETTLED + moved || periods.length > before.length + moved) return false;
    for (let i = SETTLED + moved; i < periods.length; i++) if (periods[i] !== before[i - moved]) return false;
    return true;
  });
}
