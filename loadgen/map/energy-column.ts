// Why Table 2's energy column can't be: arithmetic on the paper's own numbers, for one duration, four VMs at most, no release.
import { PAPER } from '../report/paper.ts';

/** Minute in which each manager added its first VM, ascending (the paper's figures of VMs over time). */
const FIRST_ADDED = { eliot: 6, mmeliot: 4 } as const;
const MOST_VMS = 4;
const ENERGY = 3;

/**
 * The shortest run in which so many VM-minutes can come together: one VM until the first is added, then all of them.
 * Worked: 24 VM-minutes, first added in minute 6: 6 × 1 + 4.5 × 4 = 24, so 10.5 minutes.
 */
export const shortestRun = (energy: number, firstAdded: number, most: number): number =>
  firstAdded + (energy - firstAdded) / most;

/** The fewest VM-minutes of a run: one VM, then two to the end. Worked: 10.5 minutes, added in minute 4: 4 + 6.5 × 2 = 17. */
export const leastEnergy = (minutes: number, firstAdded: number): number => firstAdded + (minutes - firstAdded) * 2;

export function energyColumn(): readonly string[] {
  const energyOf = (manager: 'eliot' | 'mmeliot'): number => PAPER['ascending']?.[manager]?.[ENERGY] ?? 0;
  const minutes = shortestRun(energyOf('eliot'), FIRST_ADDED.eliot, MOST_VMS);
  const least = leastEnergy(minutes, FIRST_ADDED.mmeliot);
  return [
    `The paper's energy column can't be of runs that last equally long: Eliot's ${energyOf('eliot')} VM-minutes, with its first VM added in minute ${FIRST_ADDED.eliot} ` +
      `and ${MOST_VMS} VMs at most, take ${minutes} minutes or more; in as many, MMEliot, which added its first in minute ${FIRST_ADDED.mmeliot} and released none, ` +
      `has at least ${least} VM-minutes, not ${energyOf('mmeliot')}.`,
  ];
}
