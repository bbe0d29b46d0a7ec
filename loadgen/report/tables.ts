// The tables that every experiment has.
import type { Measures } from '../../src/simulate/simulate.ts';
import { costOf } from './cost.ts';
import type { Calibration, LoadInfo, Run } from './raw.ts';
import { estimateOf, type Cell } from './results.ts';
import { estimate, number, text } from './statistics.ts';
import type { Table } from './table.ts';

const FIRST: readonly { title: string; of: (measures: Measures) => number | undefined }[] = [
  { title: 'answered a second', of: ({ throughput }) => throughput },
  { title: 'response (ms)', of: ({ responseMs }) => responseMs },
];
const MEASURES: typeof FIRST = [
  { title: 'saturated (min)', of: ({ saturatedMinutes }) => saturatedMinutes },
  { title: 'loss (%)', of: ({ lossPercent }) => lossPercent },
  { title: 'violations (%)', of: ({ violationsPercent }) => violationsPercent },
  { title: 'Apdex', of: ({ apdex }) => apdex },
  { title: 'energy (VM-min)', of: ({ energy }) => energy },
  { title: 'VM-hours', of: ({ vmHours }) => vmHours },
  { title: 'mean LP (%)', of: ({ meanLp }) => meanLp },
  { title: 'θU (%)', of: ({ thetaUnder }) => thetaUnder },
  { title: 'θO (%)', of: ({ thetaOver }) => thetaOver },
  { title: 'τU (%)', of: ({ tauUnder }) => tauUnder },
  { title: 'τO (%)', of: ({ tauOver }) => tauOver },
  { title: 'υ (%)', of: ({ instability }) => instability },
  { title: 'scaling actions', of: ({ actions }) => actions },
];

export function measuresTable(cells: readonly Cell[]): Table {
  const { objective } = cells[0]?.runs[0]?.info ?? {};
  const costs = cells.map(({ runs }) => estimate(runs.map(costOf).filter((cost) => cost !== undefined)));
  return {
    id: 'measures',
    title: 'All measures',
    caption:
      `Violations: requests slower than ${objective?.ms ?? '?'} ms, or lost; Apdex with the same T. θU, θO: VMs missing and to spare, in per cent of ` +
      'those needed; τU, τO: share of time with too few and too many; υ: share of time in which supply and demand did not move in the ' +
      'same direction. The VMs needed follow from the calibration by a queueing model for requests that come at random.',
    columns: ['measure', ...cells.map(({ policy, profile }) => `${profile}: ${policy}`)],
    rows: [
      ...rowsOf(cells, FIRST),
      ...percentileRows(cells),
      ...objectiveRows(cells),
      ...rowsOf(cells, MEASURES),
      ...(costs.some((cost) => cost !== undefined) ? [['cost', ...costs.map(text)]] : []),
    ],
  };
}

/** What each policy did under all loads together, repetition by repetition. */
export function totalsTable(cells: readonly Cell[]): Table {
  const loads = new Set(cells.map(({ profile }) => profile)).size;
  const rows = [...new Set(cells.map(({ policy }) => policy))].flatMap((policy) => {
    const own = cells.filter((cell) => cell.policy === policy);
    if (own.length < loads) return [];
    const repetitions = Array.from({ length: Math.min(...own.map(({ runs }) => runs.length)) }, (_, i) =>
      togetherOf(own, i),
    );
    const of = (what: keyof Together): string =>
      text(estimate(repetitions.flatMap((repetition) => repetition[what] ?? [])));
    return [[policy, of('actions'), of('violations'), of('vmHours'), of('cost')]];
  });
  const withCost = cells.some(({ runs }) => runs.some((run) => costOf(run) !== undefined));
  return {
    id: 'totals',
    title: 'Totals by policy',
    caption: `Under ${loads === 1 ? 'the load' : `all ${loads} loads together`}, in a repetition; a policy that has not run under each of them is left out.`,
    columns: ['policy', 'scaling actions', 'violations (%)', 'VM-hours', ...(withCost ? ['cost'] : [])],
    rows: rows.map((row) => (withCost ? row : row.slice(0, -1))),
  };
}

interface Together {
  readonly actions: number;
  /** Per cent of all requests. */
  readonly violations: number;
  readonly vmHours: number;
  readonly cost: number | undefined;
}

/** Worked: 1 % of 100 requests under one load and 4 % of 200 under another: 3 % of 300. */
function togetherOf(cells: readonly Cell[], repetition: number): Together {
  const measures = cells.flatMap((cell) => cell.measures[repetition] ?? []);
  const sum = (of: (one: Measures) => number): number => measures.reduce((all, one) => all + of(one), 0);
  const costs = cells.flatMap(({ runs }) => runs.slice(repetition, repetition + 1)).map(costOf);
  const isKnown = costs.every((cost) => cost !== undefined);
  return {
    actions: sum(({ actions }) => actions),
    violations:
      sum((one) => one.violationsPercent * one.requests) /
      Math.max(
        1,
        sum(({ requests }) => requests),
      ),
    vmHours: sum(({ vmHours }) => vmHours),
    cost: isKnown ? costs.reduce((all: number, cost = 0) => all + cost, 0) : undefined,
  };
}

const rowsOf = (cells: readonly Cell[], measures: typeof FIRST): string[][] =>
  measures.map(({ title, of }) => [title, ...cells.map((cell) => text(estimateOf(cell.measures, of)))]);

const percentileRows = (cells: readonly Cell[]): string[][] =>
  (['p50', 'p95', 'p99'] as const).map((which) => [
    `${which} (ms)`,
    ...cells.map(({ runs }) => text(estimate(runs.map(({ info }) => info.result.latency[which])))),
  ]);

/** What share of all requests kept it, and in how many runs that was enough. */
function objectiveRows(cells: readonly Cell[]): string[][] {
  const { ms, share } = cells[0]?.runs[0]?.info.objective ?? { ms: 0, share: 0 };
  const within = ({ violationsPercent }: Measures): number => 100 - violationsPercent;
  return [
    [`within ${ms} ms (%)`, ...cells.map(({ measures }) => text(estimateOf(measures, within)))],
    [
      `objective kept: ${100 * share} % within ${ms} ms`,
      ...cells.map(({ measures }) => {
        const kept = measures.filter((one) => within(one) >= 100 * share).length;
        return `${kept === measures.length ? 'yes' : kept === 0 ? 'no' : 'at times'} (${kept} of ${measures.length})`;
      }),
    ],
  ];
}

export function lossTable(cells: readonly Cell[]): Table {
  const causes = [
    ...new Set(cells.flatMap(({ runs }) => runs.flatMap(({ info }) => Object.keys(info.result.lossByCause)))),
  ];
  return {
    id: 'losses',
    title: 'Lost requests by cause',
    caption: 'Requests a run. 503: the queue was full, or a request had waited in it up to its deadline.',
    columns: ['load', 'policy', 'sent', 'lost', ...causes],
    names: 2,
    rows: cells.map(({ profile, policy, runs }) => {
      const mean = (of: (run: Run) => number): string => text(estimate(runs.map(of)));
      return [
        ...[profile, policy, mean(({ info }) => info.result.sent), mean(({ info }) => info.result.lost)],
        ...causes.map((cause) => mean(({ info }) => info.result.lossByCause[cause] ?? 0)),
      ];
    }),
  };
}

export function runsTable(runs: readonly Run[], calibration?: Calibration): Table {
  return {
    id: 'runs',
    title: 'Runs, in the order they were made',
    caption:
      'Load average: processes that wanted a core just before the run. Latency counts from the time a request was meant to start; late: ' +
      '99 % of the requests were sent at most so many ms after it. A machine that others keep busy shows there first. ' +
      'r·b: by how many VMs the load of a ramp grew, or fell, while one booted, by the calibration.',
    columns: [
      'run',
      'started (UTC)',
      'load average',
      'sent',
      'answered',
      'mean (ms)',
      'p50',
      'p95',
      'p99',
      'late (ms)',
      'mean boot (s)',
      'r·b',
      'note',
    ],
    names: 2,
    rows: [...runs]
      .sort((a, b) => a.info.startedAt - b.info.startedAt)
      .map(({ info: { name, startedAt, machine, result, bootTimes, load } }) => {
        const { sent, ok, latency } = result;
        const boot = estimate(bootTimes.map((ms) => ms / 1000))?.mean;
        const growth = growthOf(load, calibration);
        return [
          ...[
            name,
            new Date(startedAt).toISOString().slice(0, 19),
            number(Number(machine['loadBefore'])),
            `${sent}`,
            `${ok}`,
          ],
          ...[latency.mean, latency.p50, latency.p95, latency.p99, result.late?.p99, boot].map(number),
          number(boot === undefined || growth === undefined ? undefined : boot * growth),
          result.bottleneck === undefined ? '' : 'generator was a bottleneck',
        ];
      }),
  };
}

/** VMs that a ramp needs more, or fewer, from second to second. Worked: 28 requests each 500 ms, 20 a second of a VM: 2.8 VMs, over 14 s 0.2. */
function growthOf({ profile, drive, max, step, duration }: LoadInfo, calibration?: Calibration): number | undefined {
  const isRamp = profile === 'ascending' || profile === 'descending';
  if (!isRamp || drive === 'closed' || calibration === undefined) return undefined;
  const perSecond = drive === 'open' ? max : (1000 * max) / step;
  return perSecond / Math.max(...calibration.curve.map(({ throughput }) => throughput)) / (duration / 1000);
}

export const calibrationTable = ({ curve, warming, inTurn, unsteadiness = 0, variation = 1 }: Calibration): Table => ({
  id: 'calibration',
  title: 'Calibration: one VM alone',
  caption:
    `Clients that never think, each waiting for its answer. The VM ${inTurn ? 'serves requests one after the other' : 'shares itself among its requests'}; ` +
    `the work of requests scatters by ${number(100 * variation)} % of its mean, the speed of the VM by ${number(100 * unsteadiness)} % from second to second` +
    (warming === undefined
      ? '.'
      : `; a new VM begins at ${number(100 * warming.speed)} % of full speed, which it reaches after ${warming.requests} requests.`),
  columns: ['clients', 'answered a second', 'mean response (ms)'],
  rows: curve.map(({ concurrency, throughput, responseMs }) => [
    `${concurrency}`,
    number(throughput),
    number(responseMs),
  ]),
});

/** Of the first run: settings, versions and machine are those of all. */
export function conditionsTable(runs: readonly Run[]): readonly Table[] {
  const [first] = runs;
  if (first === undefined) return [];
  const { load, settings, versions, machine, seed, objective } = first.info;
  const all = { ...machine, ...versions, ...load, ...settings, seed };
  const same = Object.entries(all).filter(([what]) => !DIFFERENT.has(what));
  return [
    {
      id: 'conditions',
      title: 'Conditions',
      caption: 'Times in ms. The whole configuration of each run is in its run.json.',
      columns: ['what', 'value'],
      names: 2,
      rows: [
        ...same.map(([what, value]) => [what, String(value)]),
        ['objective', `${objective.share * 100} % within ${objective.ms} ms`],
      ],
    },
  ];
}

/** From run to run, or of no interest. */
const DIFFERENT = new Set([
  'loadBefore',
  'host',
  'profile',
  'max',
  'elasticity.policy',
  'elasticity.policyParameters.preset',
]);
