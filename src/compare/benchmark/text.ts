// What the benchmark found, as tables that a report writes down.
import { geometricMean, judgements, type Comparison } from '../compare.ts';
import type { SceneResult, Summary } from './summary.ts';
import { KNOWN } from './scenes.ts';
import { COMPARED, type PolicyTotal, type Resampled } from './totals.ts';

export interface BenchmarkTable {
  readonly id: string;
  readonly title: string;
  readonly caption: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** So many columns on the left are names. */
  readonly names?: number;
}

export interface Found {
  readonly results: readonly SceneResult[];
  readonly whole: Summary | undefined;
  readonly totals: readonly PolicyTotal[];
  /** Of each scene that of its first seed. */
  readonly comparisons: readonly Comparison[];
  readonly pricePerHour: number | undefined;
}

const show = (value: number | undefined): string => (value === undefined ? '' : value.toPrecision(3));
const percent = (share: number): string => `${Math.round(100 * share)} %`;

export const benchmarkTables = (found: Found): readonly BenchmarkTable[] => [
  inShort(found),
  totalsTable(found),
  scenesTable(found.results),
  elasticityTable(found),
];

const NO_RATIO = 'No scene has a ratio: no peer is as cheap as adaptive.';

const inShort = ({ whole, results }: Found): BenchmarkTable => ({
  id: 'summary',
  title: 'In short',
  caption:
    "Ratio: adaptive's violations ÷ those of the frontier of all peers and static fleets at its VM-hours; geometric mean over its settings. Right of the frontier's last point it is 1 at least. Foresight: the same of a manager that knows the load beforehand, so what is left to win, and how often it has no more actions than the same peer. Where the peer never changes, no policy that changes has as few. Intervals: 95 % of 2000 resamples of the scenes, and of the seeds within them; by trace: of whole traces, for scenes of one have much in common (there are to be three or more)." +
    (whole !== undefined ? '' : results.length > 0 ? ` ${NO_RATIO}` : ' No scene was run.'),
  columns: [
    'scenes',
    'ratio',
    '95 % interval',
    'by trace',
    'foresight',
    'worst scene',
    'scenes on or below the frontier',
    'no more actions than the peer',
    'foresight: no more',
    'the peer never changes',
  ],
  rows:
    whole === undefined
      ? []
      : [
          [
            String(whole.scenes),
            show(whole.ratio),
            whole.interval.map(show).join(' to '),
            whole.intervalByTrace?.map(show).join(' to ') ?? '',
            show(whole.foresight),
            `${show(whole.worst.ratio)} (${whole.worst.name})`,
            `${percent(whole.scenesWon)} (${whole.scenesWonInterval.map(percent).join(' to ')})`,
            `${percent(whole.calm)} (${whole.calmInterval.map(percent).join(' to ')})`,
            percent(whole.foresightCalm),
            percent(whole.still),
          ],
        ],
});

const totalsTable = ({ totals, pricePerHour }: Found): BenchmarkTable => {
  const within = ({ value, interval }: Resampled, of: (value: number) => string): string =>
    `${of(value)} (${interval.map(of).join(' to ')})`;
  const count = (value: number): string => String(Math.round(value));
  const money = ({ value, interval }: Resampled, price: number): Resampled => ({
    value: price * value,
    interval: [price * interval[0], price * interval[1]],
  });
  return {
    id: 'totals',
    title: 'Totals by policy',
    caption:
      'Of one setting, in the mean over all settings of the policy: changes of the fleet, VM-hours and their price in all scenes together; violations in the mean over the scenes, in per cent of the requests. In brackets 95 % of 2000 resamples of the scenes.',
    columns: [
      ...['policy', 'settings', 'scenes', 'actions', 'violations %', 'VM-hours'],
      ...(pricePerHour === undefined ? [] : ['cost']),
    ],
    rows: totals.map(({ policy, settings, scenes, actions, violationsPercent, vmHours }) => [
      ...[policy, count(settings), count(scenes), within(actions, count)],
      ...[within(violationsPercent, show), within(vmHours, count)],
      ...(pricePerHour === undefined ? [] : [within(money(vmHours, pricePerHour), (value) => value.toFixed(2))]),
    ]),
  };
};

const scenesTable = (results: readonly SceneResult[]): BenchmarkTable => ({
  id: 'scenes',
  title: 'Scenes',
  caption:
    'By seed: its ratio for each. Actions: changes of the fleet by one setting, adaptive beside the peers of the frontier that its settings are compared with.',
  columns: [
    ...['scene', 'ratio', 'by seed', 'foresight', 'above the frontier', 'more actions than the peer', 'of'],
    ...['actions', "peers' actions"],
  ],
  rows: results.map(({ name, ratios, foresight, above, busier, settings, policies }) => [
    name,
    ratios.length === 0 ? '' : show(geometricMean(ratios)),
    ratios.map(show).join(', '),
    show(foresight),
    ...[above, busier, settings].map(String),
    ...['adaptive', COMPARED].map((policy) => {
      const actions = policies.find((one) => one.policy === policy)?.actions;
      return actions === undefined ? '' : String(Math.round(actions));
    }),
  ]),
});

function elasticityTable({ comparisons, pricePerHour }: Found): BenchmarkTable {
  const money = (vmHours: number): readonly string[] =>
    pricePerHour === undefined ? [] : [(vmHours * pricePerHour).toFixed(2)];
  const rows = comparisons.flatMap((comparison) =>
    judgements(comparison)
      .slice(2, 3)
      .flatMap(({ point, peer }) =>
        [point, ...(peer === undefined ? [] : [peer])].map(
          ({ policy, label, vmHours, violationsPercent, actions, measures }) => [
            `${comparison.scene.name}, boot ${comparison.scene.bootMs / 1000} s`,
            `${policy} ${label}`,
            vmHours.toFixed(1),
            show(violationsPercent),
            String(actions),
            ...[measures?.thetaUnder, measures?.thetaOver, measures?.tauUnder, measures?.tauOver].map(show),
            ...money(vmHours),
          ],
        ),
      ),
  );
  const head = ['scene', 'policy', 'VM-hours', 'violations %', 'actions', 'θ under', 'θ over', 'τ under', 'τ over'];
  return {
    id: 'elasticity',
    title: "Elasticity (SPEC), first seed, adaptive beside the frontier's peer",
    caption:
      'θ: VMs too few or too many in per cent of those needed; τ: per cent of the time with too few or too many.',
    columns: pricePerHour === undefined ? head : [...head, 'cost'],
    rows,
    names: 2,
  };
}

/** Where the traces of the frozen scenes are to be had. */
export const sources = (): string =>
  KNOWN.map(({ name, sha256, source }) => `${name}\n  ${source}\n  sha256 ${sha256}`).join('\n');
