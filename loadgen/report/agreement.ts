// Does the simulator, with the measured VM, foretell what happened live? VM-minutes of each policy under each load within
// 15 %, and whatever policies differ live, beyond chance, stand in the same order in the simulation.
import { estimateOf, type Cell } from './results.ts';
import { difference, number, type Difference } from './statistics.ts';

/** Per cent of live. */
const ALLOWED = 15;

export interface Agreement {
  readonly holds: boolean;
  readonly energies: readonly { readonly policy: string; readonly profile: string; readonly percent: number }[];
  /** Pairs of policies under one load. */
  readonly pairs: readonly Pair[];
}

export interface Pair {
  readonly profile: string;
  readonly one: string;
  readonly other: string;
  /** VM-minutes of `other` less those of `one`. */
  readonly live: Difference;
  readonly simulated: number;
  /** `equal`: live they don't differ by more than the confidence interval, so that there is no order to foretell. */
  readonly order: 'same' | 'different' | 'equal';
}

export function agreementOf(cells: readonly Cell[]): Agreement {
  const both = cells.filter(({ simulated }) => simulated !== undefined);
  const energies = both.map(({ policy, profile, ...cell }) => ({ policy, profile, percent: percentOff(cell) }));
  const pairs = both.flatMap((one, i) =>
    both.slice(i + 1).flatMap((other) => (other.profile === one.profile ? pairOf(one, other) : [])),
  );
  const holds =
    both.length > 0 &&
    energies.every(({ percent }) => Math.abs(percent) <= ALLOWED) &&
    pairs.every(({ order }) => order !== 'different');
  return { holds, energies, pairs };
}

type Energies = Pick<Cell, 'measures' | 'simulated'>;

const liveEnergy = (cell: Energies): number => estimateOf(cell.measures, ({ energy }) => energy)?.mean ?? 0;
const simulatedEnergy = ({ simulated }: Energies): number =>
  estimateOf(simulated?.measures ?? [], ({ energy }) => energy)?.mean ?? 0;
/** Worked: live 8 VM-minutes, simulated 8.8: 10 %. */
export const percentOff = (cell: Energies): number =>
  (100 * (simulatedEnergy(cell) - liveEnergy(cell))) / (liveEnergy(cell) || 1);

function pairOf(one: Cell, other: Cell): readonly Pair[] {
  const [a, b] = [one, other].map(({ measures }) => measures.map(({ energy }) => energy));
  const live = difference(a ?? [], b ?? []);
  if (live === undefined) return [];
  const simulated = simulatedEnergy(other) - simulatedEnergy(one);
  const differ = live.half !== undefined && Math.abs(live.mean) > live.half;
  const order = !differ ? 'equal' : simulated * live.mean > 0 ? 'same' : 'different';
  return [{ profile: one.profile, one: one.policy, other: other.policy, live, simulated, order }];
}

/** For people: the verdict, and what it rests on. */
export function verdictOn({ holds, energies, pairs }: Agreement): string {
  const worst = energies.reduce((most, { percent }) => Math.max(most, Math.abs(percent)), 0);
  const count = (order: Pair['order']): number => pairs.filter((pair) => pair.order === order).length;
  const [only] = pairs;
  const wrong = pairs.filter(({ order }) => order === 'different');
  const orders =
    count('equal') === pairs.length
      ? 'live no two policies differ by more than chance under the same load, so there is no order to compare'
      : only !== undefined && pairs.length === 1
        ? `${only.one} and ${only.other} stand in ${only.order === 'same' ? 'the same' : 'another'} order in the simulation under ${only.profile}`
        : `of ${pairs.length} pairs of policies ${count('equal')} are equal live, within the confidence interval, ${count('same')} ` +
          `in the same order in the simulation and ${wrong.length} in another` +
          (wrong.length > 0
            ? ` (${wrong.map(({ profile, one, other }) => `${profile}: ${one}, ${other}`).join('; ')})`
            : '');
  return (
    `The simulation ${holds ? 'agrees' : 'does not agree'} with the live runs: VM-minutes differ by ${number(worst)} % at most ` +
    `(${ALLOWED} % are allowed); ${orders}.`
  );
}
