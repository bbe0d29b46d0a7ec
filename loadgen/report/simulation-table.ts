// Live and simulated beside each other.
import type { Measures } from '../../src/simulate/simulate.ts';
import { percentOff, verdictOn, type Agreement } from './agreement.ts';
import { estimateOf, type Cell } from './results.ts';
import { number, signed, text } from './statistics.ts';
import type { Table } from './table.ts';

const COMPARED: readonly ((measures: Measures) => number)[] = [
  ({ energy }) => energy,
  ({ responseMs }) => responseMs,
  ({ lossPercent }) => lossPercent,
  ({ saturatedMinutes }) => saturatedMinutes,
];

export function simulationTable(cells: readonly Cell[], agreement: Agreement): Table {
  return {
    id: 'simulation',
    title: 'Live and simulated',
    caption:
      'The same policies, loads, boot and release times on simulated VMs made of the calibration, behind the same parts of the gateway. ' +
      verdictOn(agreement),
    columns: [
      ...['load', 'policy', 'VM-min: live', 'simulated', 'difference (%)'],
      ...['response (ms)', 'loss (%)', 'saturated (min)'].flatMap((what) => [`${what}: live`, 'simulated']),
    ],
    names: 2,
    rows: cells.flatMap((cell) => {
      const { profile, policy, simulated } = cell;
      if (simulated === undefined) return [];
      const [energy = [], ...others] = COMPARED.map((of) => [
        text(estimateOf(cell.measures, of)),
        number(estimateOf(simulated.measures, of)?.mean),
      ]);
      return [[profile, policy, ...energy, signed(percentOff(cell)), ...others.flat()]];
    }),
  };
}

/** Which policies differ, and by how much. */
export function orderTable({ pairs }: Agreement): Table {
  const said = { same: 'yes', different: 'NO', equal: 'equal live' };
  return {
    id: 'order',
    title: 'VM-minutes of the policies, pair by pair',
    caption:
      "The second policy's less the first one's, with the 95 % confidence interval of the difference (Student's t, both policies " +
      'scattering alike). A difference smaller than its interval may be chance.',
    columns: ['load', 'policies', 'live', 'simulated', 'same order'],
    names: 2,
    rows: pairs.map(({ profile, one, other, live, simulated, order }) => [
      ...[
        profile,
        `${one}, ${other}`,
        `${signed(live.mean)}${live.half === undefined ? '' : ` ± ${number(live.half)}`}`,
      ],
      ...[signed(simulated), said[order]],
    ]),
  };
}
