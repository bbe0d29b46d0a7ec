// The benchmark's report as Markdown.
import { geometricMean, judgements, type Comparison } from '../compare.ts';
import type { SceneResult, Summary } from './summary.ts';
import { EDITION, KNOWN } from './scenes.ts';

const show = (value: number | undefined): string => (value === undefined ? '' : value.toPrecision(3));
const percent = (share: number): string => `${Math.round(100 * share)} %`;
const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [line(head), line(head.map((_, i) => (i === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n');

export function benchmarkMarkdown(
  results: readonly SceneResult[],
  whole: Summary | undefined,
  comparisons: readonly Comparison[],
  pricePerHour: number | undefined,
): string {
  return [
    `# mmeliot benchmark, edition ${EDITION}`,
    '',
    "Ratio: adaptive's violations ÷ those of the frontier of all peers and static fleets at its VM-hours; geometric mean over its settings. Right of the frontier's last point it is 1 at least. Foresight: the same of a manager that knows the load beforehand, so what is left to win. Intervals: 95 % of 2000 resamples of the scenes, and of the seeds within them.",
    '',
    ...(whole === undefined ? ['No scene has a ratio: no peer is as cheap as adaptive.'] : inShort(whole)),
    '',
    '## Scenes',
    '',
    table(
      ['scene', 'ratio', 'by seed', 'foresight', 'above the frontier', 'more actions than the peer', 'of'],
      results.map(({ name, ratios, foresight, above, busier, settings }) => [
        name,
        ratios.length === 0 ? '' : show(geometricMean(ratios)),
        ratios.map(show).join(', '),
        show(foresight),
        ...[above, busier, settings].map(String),
      ]),
    ),
    '',
    "## Elasticity (SPEC), first seed, adaptive beside the frontier's peer",
    '',
    'θ: VMs too few or too many in per cent of those needed; τ: per cent of the time with too few or too many.',
    '',
    elasticity(comparisons, pricePerHour),
    '',
  ].join('\n');
}

const inShort = (found: Summary): readonly string[] => [
  table(
    [
      'scenes',
      'ratio',
      '95 % interval',
      'foresight',
      'worst scene',
      'scenes on or below the frontier',
      'no more actions than the peer',
    ],
    [
      [
        String(found.scenes),
        show(found.ratio),
        found.interval.map(show).join(' to '),
        show(found.foresight),
        `${show(found.worst.ratio)} (${found.worst.name})`,
        `${percent(found.scenesWon)} (${found.scenesWonInterval.map(percent).join(' to ')})`,
        `${percent(found.calm)} (${found.calmInterval.map(percent).join(' to ')})`,
      ],
    ],
  ),
];

function elasticity(comparisons: readonly Comparison[], pricePerHour: number | undefined): string {
  const money = (vmHours: number): readonly string[] =>
    pricePerHour === undefined ? [] : [(vmHours * pricePerHour).toFixed(2)];
  const rows = comparisons.flatMap((comparison) =>
    judgements(comparison)
      .slice(2, 3)
      .flatMap(({ point, peer }) =>
        [point, ...(peer === undefined ? [] : [peer])].map(
          ({ policy, label, vmHours, violationsPercent, measures }) => [
            `${comparison.scene.name}, boot ${comparison.scene.bootMs / 1000} s`,
            `${policy} ${label}`,
            vmHours.toFixed(1),
            show(violationsPercent),
            ...[measures?.thetaUnder, measures?.thetaOver, measures?.tauUnder, measures?.tauOver].map(show),
            ...money(vmHours),
          ],
        ),
      ),
  );
  const head = ['scene', 'policy', 'VM-hours', 'violations %', 'θ under', 'θ over', 'τ under', 'τ over'];
  return table(pricePerHour === undefined ? head : [...head, 'cost'], rows);
}

/** Where the traces of the frozen scenes are to be had. */
export const sources = (): string =>
  KNOWN.map(({ name, sha256, source }) => `${name}\n  ${source}\n  sha256 ${sha256}`).join('\n');
