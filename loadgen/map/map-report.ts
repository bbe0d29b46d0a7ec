// The map as a report: one figure for each direction, a table of every point, and what it all says in sentences.
import { strokeOf, type Figure, type Line } from '../report/figure.ts';
import type { Report } from '../report/report.ts';
import type { Table } from '../report/table.ts';
import { energyColumn } from './energy-column.ts';
import type { MapPoint } from './points.ts';
import { ratioOf, type MapCell, type Ratio } from './verdict.ts';

export function mapReport(cells: readonly MapCell[]): Report {
  const directions = [...new Set(cells.map(({ point }) => point.direction))];
  return {
    title: 'Where MMEliot differs from Eliot',
    notes: [...directions.map((direction) => summaryOf(direction, cells)), ...energyColumn()],
    figures: directions.map((direction) => figureOf(direction, cells)),
    tables: [growthTable(cells), tableOf(cells)],
  };
}

const ofDirection = (direction: MapPoint['direction'], cells: readonly MapCell[]): readonly MapCell[] =>
  cells.filter(({ point }) => point.direction === direction);

function summaryOf(direction: MapPoint['direction'], all: readonly MapCell[]): string {
  const cells = ofDirection(direction, all);
  const count = (verdict: MapCell['verdict']): number => cells.filter((cell) => cell.verdict === verdict).length;
  // the best of those that seeds agree on, not the luckiest
  const helping = cells.filter(({ verdict }) => verdict === 'helps').sort((a, b) => a.response.mean - b.response.mean);
  const [best] = helping;
  return (
    `${direction}: of ${cells.length} points MMEliot helps at ${count('helps')}, hurts at ${count('hurts')} and makes no difference at ${count('nothing')}. ` +
    (best === undefined
      ? ''
      : `Where it helps, it takes ${range(helping.map(({ energy }) => energy.mean))} times Eliot's VM-minutes; its best is ${shown(best.response)} of Eliot's response time, ${nameOf(best.point)}.`)
  );
}

/** One line for each drive and sample, over r·b, at the middle of everything else. */
function figureOf(direction: MapPoint['direction'], all: readonly MapCell[]): Figure {
  const [first] = all;
  const { max, target, boot, step } = first?.point ?? { max: 0, target: 0, boot: 0, step: 0 };
  const cells = ofDirection(direction, all).filter(
    ({ point }) => point.max === max && point.target === target && point.boot === boot && point.step === step,
  );
  const x = [...new Set(cells.map(({ point }) => point.growth))].sort((a, b) => a - b);
  const kinds = Map.groupBy(cells, ({ point }) => `${point.drive}, ${point.sample}`);
  const lines = (of: (cell: MapCell) => number): readonly Line[] =>
    [...kinds].map(([name, some], i) => {
      const at = x.map((growth) => some.find(({ point }) => point.growth === growth));
      return { name, ...strokeOf(i), y: at.map((cell) => (cell === undefined ? null : of(cell))) };
    });
  return {
    id: `map-${direction}`,
    title: `MMEliot ÷ Eliot, ${direction}`,
    caption: `Simulated: ${max} VMs at most, target ${target} %, boots of ${boot} periods, a burst or batch every ${step} periods. Geometric means over seeds; their intervals are in the table. Below 1 MMEliot is better.`,
    xTitle: 'r·b: by how many VMs the load grows while one boots',
    x,
    panels: [
      {
        title: 'response time',
        lines: lines(({ response }) => response.mean),
        marks: [{ label: 'as Eliot', y: 1 }],
      },
      { title: 'VM-minutes', lines: lines(({ energy }) => energy.mean), marks: [{ label: 'as Eliot', y: 1 }] },
      { title: 'runs in which delta TP decided (share)', lines: lines(({ decided }) => decided) },
    ],
  };
}

/** All points of an r·b together: one point's verdict is a matter of its seeds, and by chance one of forty has either. */
function growthTable(all: readonly MapCell[]): Table {
  const groups = Map.groupBy(all, ({ point }) => `${point.direction} ${point.growth}`);
  return {
    id: 'growth',
    title: 'By r·b',
    caption:
      'MMEliot ÷ Eliot, geometric mean over all points of an r·b, whatever their drive, sample and sizes, with its 95 % interval, points taken as independent of one another. By chance alone one point of forty would help and one hurt, were no difference too small to count.',
    columns: ['direction', 'r·b', 'points', 'helps', 'hurts', 'response', 'VM-minutes'],
    rows: [...groups.values()].flatMap((cells) => {
      const [{ point } = {}] = cells;
      if (point === undefined) return [];
      const count = (verdict: MapCell['verdict']): number => cells.filter((cell) => cell.verdict === verdict).length;
      const over = (of: (cell: MapCell) => Ratio): string => shown(ratioOf(cells.map((cell) => of(cell).mean)));
      return [
        [
          ...[point.direction, point.growth, cells.length, count('helps'), count('hurts')].map(String),
          ...[over(({ response }) => response), over(({ energy }) => energy)],
        ],
      ];
    }),
  };
}

function tableOf(cells: readonly MapCell[]): Table {
  return {
    id: 'map',
    title: 'Every point',
    caption:
      'MMEliot ÷ Eliot with the 95 % interval over seeds. r·b: by how many VMs the load grows while one boots. decided: share of runs in which delta TP decided.',
    columns: [
      ...['direction', 'drive', 'sample', 'VMs', 'target %', 'boot', 'step', 'r·b'],
      ...['response', 'VM-minutes', 'decided', 'MMEliot', 'because'],
    ],
    names: 3,
    rows: cells.map(({ point, response, energy, decided, verdict, reason }) => [
      ...[point.direction, point.drive, point.sample],
      ...[point.max, point.target, point.boot, point.step, point.growth].map(String),
      ...[shown(response), shown(energy), decided.toFixed(2)],
      verdict === 'nothing' ? 'makes no difference' : verdict,
      reason,
    ]),
  };
}

const nameOf = ({ drive, sample, growth, max, target, boot, step }: MapPoint): string =>
  `with ${drive}, ${sample}, r·b ${growth}, ${max} VMs, target ${target} %, boots of ${boot} and steps of ${step} periods`;

/** 0.74 (0.66–0.88). */
const shown = ({ mean, low, high }: Ratio): string =>
  Number.isFinite(high) ? `${mean.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})` : mean.toFixed(2);

const range = (values: readonly number[]): string =>
  `${Math.min(...values).toFixed(2)} to ${Math.max(...values).toFixed(2)}`;
