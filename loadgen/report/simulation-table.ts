// How well the simulator, with the measured VM, foretells what happened live.
import { estimateOf, type Cell } from './results.ts';
import { number, text } from './statistics.ts';
import type { Table } from './table.ts';

export interface Agreement {
  readonly profile: string;
  /** The largest difference of VM-minutes between simulated and live, per cent of live. */
  readonly worst: number;
  /** Policies by VM-minutes, fewest first. */
  readonly live: readonly string[];
  readonly simulated: readonly string[];
}

/** Live VM-minutes that differ by less than this share are the same as far as an order is concerned. */
const TIE = 0.05;

export function agreements(cells: readonly Cell[]): readonly Agreement[] {
  const profiles = [...new Set(cells.filter(({ simulated }) => simulated).map(({ profile }) => profile))];
  return profiles.map((profile) => {
    const of = cells.filter((cell) => cell.profile === profile && cell.simulated !== undefined);
    const by = (energy: (cell: Cell) => number) =>
      [...of].sort((a, b) => energy(a) - energy(b)).map(({ policy }) => policy);
    return {
      profile,
      worst: Math.max(...of.map((cell) => Math.abs(difference(cell)))),
      live: by(liveEnergy),
      simulated: by(simulatedEnergy),
    };
  });
}

/**
 * Whether policies that differ live stand in the same order in the simulation; `equal`: none differ live under the same
 * load, so that there is no order to foretell.
 */
export function orderOf(cells: readonly Cell[]): 'same' | 'different' | 'equal' {
  const pairs = cells.flatMap((one) =>
    cells
      .filter(({ profile }) => profile === one.profile)
      .filter((other) => liveEnergy(other) - liveEnergy(one) > TIE * liveEnergy(other))
      .map((other) => simulatedEnergy(one) < simulatedEnergy(other)),
  );
  if (pairs.length === 0) return 'equal';
  return pairs.every((held) => held) ? 'same' : 'different';
}

/** One sentence: does the simulator foretell what happens live? */
export function verdictOn(cells: readonly Cell[]): string {
  const worst = Math.max(0, ...agreements(cells).map((each) => each.worst));
  const order = {
    same: 'the order of the policies is the same',
    different: 'the order of the policies differs',
    equal: 'live no two policies differ by more than that under the same load, so there is no order to compare',
  }[orderOf(cells)];
  return `Live and simulated VM-minutes differ by ${number(worst)} % at most; policies within ${100 * TIE} % of each other counted as equal, ${order}.`;
}

const liveEnergy = (cell: Cell): number => estimateOf(cell, ({ energy }) => energy)?.mean ?? 0;
const simulatedEnergy = (cell: Cell): number => cell.simulated?.measures.energy ?? 0;
const difference = (cell: Cell): number => (100 * (simulatedEnergy(cell) - liveEnergy(cell))) / (liveEnergy(cell) || 1);

export function simulationTable(cells: readonly Cell[]): Table {
  const found = agreements(cells).map(
    ({ profile, worst, live, simulated }) =>
      `${profile}: live ${live.join(', ')}, simulated ${simulated.join(', ')} (differences up to ${number(worst)} %)`,
  );
  return {
    id: 'simulation',
    title: 'Live and simulated',
    caption:
      'The same policies, load and boot times on simulated VMs with the service curve of the calibration. ' +
      `${verdictOn(cells)} Fewest VM-minutes first: ${found.join('; ')}.`,
    columns: [
      ...['load', 'policy', 'VM-min: live', 'simulated', 'difference (%)'],
      ...['response (ms): live', 'simulated', 'loss (%): live', 'simulated'],
    ],
    names: 2,
    rows: cells.flatMap((cell) => {
      const { profile, policy, simulated } = cell;
      if (simulated === undefined) return [];
      const { energy, responseMs, lossPercent } = simulated.measures;
      return [
        [
          ...[profile, policy, text(estimateOf(cell, (live) => live.energy)), number(energy), number(difference(cell))],
          ...[text(estimateOf(cell, (live) => live.responseMs)), number(responseMs)],
          ...[text(estimateOf(cell, (live) => live.lossPercent)), number(lossPercent)],
        ],
      ];
    }),
  };
}
