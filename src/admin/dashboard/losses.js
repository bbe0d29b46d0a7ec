// @ts-check
// What was lost of late: a single period forgets it too soon.

/** @import { ShownPeriod } from '../../loop/view.ts' */

const LATE_MS = 600_000;

/** In the periods that ended in the last ten minutes, and how long they lasted together. @param {readonly ShownPeriod[]} periods */
export function lossesIn(periods) {
  const last = periods.at(-1);
  if (last === undefined) return undefined;
  const late = periods.filter(({ at }) => at > last.at - LATE_MS);
  const [first = last] = late;
  const lost = late.reduce((sum, period) => sum + period.lost, 0);
  return { lost, span: last.at - first.at + (first.span ?? 0), until: last.at };
}
