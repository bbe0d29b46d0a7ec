// What the VMs of a run cost, in the provider's currency.
import type { Run } from './raw.ts';

const HOUR = 3_600_000;

/** A price holds until the next sample. Worked: 3 an hour for 20 minutes, then 6 for 10: 2. Undefined: nobody said what they cost. */
export function costOf({ fleet, info: { load } }: Pick<Run, 'fleet' | 'info'>): number | undefined {
  const samples = fleet.filter(({ price, elapsed }) => price !== undefined && elapsed < load.duration);
  if (samples.length === 0) return undefined;
  return samples.reduce((sum, { elapsed, price = 0 }, i) => {
    const from = i === 0 ? 0 : elapsed;
    return sum + (price * ((samples[i + 1]?.elapsed ?? load.duration) - from)) / HOUR;
  }, 0);
}
