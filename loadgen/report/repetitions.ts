// How many repetitions it takes until a mean says something.
import { estimateOf, type Cell } from './results.ts';
import { number, tOf, type Estimate } from './statistics.ts';

/** A mean is good enough when it is known to a tenth of itself. */
const ENOUGH = 0.1;
const MOST = 30;
/** With fewer, the scatter itself is hardly known. */
const LEAST = 3;

/** About the response time, which scatters most: of the policy and load where it is known worst. */
export function adviceOn(cells: readonly Cell[]): readonly string[] {
  const once = cells.filter(({ runs }) => runs.length === 1);
  if (once.length > 0)
    return [
      `${once.length === cells.length ? 'Everything was' : 'Some of it was'} run once, which says nothing of chance: run ${LEAST} repetitions or more.`,
    ];
  const [worst] = cells
    .flatMap((cell) => {
      const found = estimateOf(cell.measures, ({ responseMs }) => responseMs);
      return found?.half === undefined || found.half <= ENOUGH * found.mean ? [] : [{ cell, found, half: found.half }];
    })
    .sort((a, b) => b.half / b.found.mean - a.half / a.found.mean);
  if (worst === undefined) return [];
  const { cell, found, half } = worst;
  const wanted = wantedFor(found);
  return [
    `By ${found.values.length} repetitions the response time of ${cell.policy} under ${cell.profile} (${number(found.mean)} ms) is known only to ± ${number(half)} ms: ` +
      (wanted === undefined
        ? `it scatters so much that ${MOST} would not do: look for what disturbs the runs first.`
        : `${wanted} would tell it to a tenth of itself, if they scatter as these do.`),
  ];
}

/** Worked: 10, 12, 14 have the deviation 2, and ± 1.2 is wanted: 13 give 2.179 × 2 / √13 = 1.21, 14 give 2.16 × 2 / √14 = 1.15. */
export function wantedFor({ mean, half, values }: Estimate): number | undefined {
  const n = values.length;
  if (half === undefined) return undefined;
  const deviation = (half * Math.sqrt(n)) / tOf(n - 1);
  for (let wanted = Math.max(n, LEAST); wanted <= MOST; wanted++)
    if ((tOf(wanted - 1) * deviation) / Math.sqrt(wanted) <= ENOUGH * mean) return wanted;
  return undefined;
}
