// The paper's Table 2 with our numbers beside its own.
import type { Measures } from '../../src/simulate/simulate.ts';
import { estimateOf, type Cell } from './results.ts';
import { estimate, number, text } from './statistics.ts';
import type { Table } from './table.ts';

type Row = readonly [saturated: number, response: number, loss: number, energy: number];

export const PAPER: Readonly<Record<string, Readonly<Record<string, Row>>>> = {
  ascending: { eliot: [5, 465, 10.9, 24], mmeliot: [4.5, 337, 9.32, 15] },
  descending: { eliot: [3, 147, 25.3, 18], mmeliot: [3, 99, 24.4, 19] },
};

const COLUMNS: readonly { title: string; of: (measures: Measures) => number }[] = [
  { title: 'saturated (min)', of: ({ saturatedMinutes }) => saturatedMinutes },
  { title: 'response (ms)', of: ({ responseMs }) => responseMs },
  { title: 'loss (%)', of: ({ lossPercent }) => lossPercent },
  { title: 'energy (VM-min)', of: ({ energy }) => energy },
];

/** The control period of the original system. */
const PAPER_PERIOD_MS = 10_000;

export function paperTable(cells: readonly Cell[]): Table {
  const period = cells[0]?.runs[0]?.info.period ?? PAPER_PERIOD_MS;
  return {
    id: 'table-2',
    title: "Table 2: the paper's and ours",
    caption:
      'The paper states neither duration, client step, boot time nor the size of a VM, so minutes and ms differ by scale: one of our minutes has ' +
      `as many control periods as ${number(PAPER_PERIOD_MS / period)} of the original system's, which had 10 s. The next table compares the managers ` +
      'with each other. paper-literal is the algorithm as printed; the paper has no separate numbers for it.',
    columns: ['load', 'manager', ...COLUMNS.flatMap(({ title }) => [`${title}: paper`, 'ours'])],
    names: 2,
    rows: cells.map((cell) => [
      cell.profile,
      cell.policy,
      ...COLUMNS.flatMap(({ of }, i) => [
        number(PAPER[cell.profile]?.[cell.policy]?.[i]),
        text(estimateOf(cell.measures, of)),
      ]),
    ]),
  };
}

/** Each manager as a share of Eliot under the same load: what a change of scale leaves as it is. */
export function paperRatios(cells: readonly Cell[]): Table {
  const others = cells.filter(({ policy }) => policy !== 'eliot');
  return {
    id: 'table-2-ratios',
    title: 'Table 2 as ratios to Eliot',
    caption:
      'Below 1 is better than Eliot. Ours: geometric mean of the ratios of each repetition (which has one load and one time of the machine for all), with ' +
      "its 95 % confidence interval (Student's t of the logarithms); without one it is the ratio of the means. –: Eliot has 0, or the paper no number.",
    columns: ['load', 'manager', ...COLUMNS.flatMap(({ title }) => [`${title.replace(/ \(.*/, '')}: paper`, 'ours'])],
    names: 2,
    rows: others.map((cell) => {
      const eliot = cells.find(({ policy, profile }) => policy === 'eliot' && profile === cell.profile);
      return [
        cell.profile,
        cell.policy,
        ...COLUMNS.flatMap(({ of }, i) => [
          ratio(PAPER[cell.profile]?.[cell.policy]?.[i], PAPER[cell.profile]?.['eliot']?.[i]),
          eliot === undefined ? '–' : ratioText(cell, eliot, of),
        ]),
      ];
    }),
  };
}

/** Worked: 300 and 400 ms against 400 and 400: √(0.75 × 1) = 0.87. */
function ratioText(cell: Cell, eliot: Cell, of: (measures: Measures) => number): string {
  const logs = cell.runs.flatMap(({ info }, i) => {
    const other = eliot.runs.findIndex((run) => run.info.repetition === info.repetition);
    const [own, its] = [cell.measures[i], eliot.measures[other]].map((each) => (each === undefined ? 0 : of(each)));
    return own && its ? [Math.log(own / its)] : [];
  });
  const found = logs.length === cell.runs.length ? estimate(logs) : undefined;
  if (found?.half === undefined)
    return ratio(estimateOf(cell.measures, of)?.mean, estimateOf(eliot.measures, of)?.mean);
  const [mean, low, high] = [0, -found.half, found.half].map((off) => Math.exp(found.mean + off).toFixed(2));
  return `${mean} (${low}–${high})`;
}

const ratio = (value: number | undefined, of: number | undefined): string =>
  value === undefined || of === undefined || of === 0 ? '–' : (value / of).toFixed(2);
