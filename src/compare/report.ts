// A comparison as tables: Markdown for people, CSV of every point.
import { frontier, geometricMean, judgements, type Comparison, type Scene, type Judgement } from './compare.ts';
import { markdownTable } from './markdown-table.ts';

export function comparisonMarkdown(comparisons: readonly Comparison[]): string {
  const rows = comparisons.flatMap((comparison) =>
    judgements(comparison).map((verdict) => row(comparison.scene, verdict)),
  );
  if (rows.length === 0) return frontierMarkdown(comparisons);
  return [
    '# Policies compared',
    '',
    "Violations are requests slower than the objective, or lost. The frontier is drawn by all peers, each over all its settings; its violations are at adaptive's",
    'VM-hours. The peer is the best of the frontier with as many VM-hours or fewer (else the cheapest). Foresight knows the load in advance.',
    '',
    markdownTable(HEAD, rows),
    ...summary(comparisons),
    '',
  ].join('\n');
}

const HEAD = [
  'load',
  'boot',
  'objective',
  'adaptive',
  'VM-hours',
  'violations %',
  'frontier %',
  'ratio',
  'foresight %',
  'actions',
  "peer's actions",
  'peer',
];

/** Without adaptive there is nothing to hold against the others: the settings that no other one beats. */
function frontierMarkdown(comparisons: readonly Comparison[]): string {
  const rows = comparisons.flatMap(({ scene, points }) =>
    frontier(points.filter(({ policy }) => policy !== 'foresight')).map((point) => [
      ...columnsOf(scene),
      `${point.policy} ${point.label}`,
      show(point.vmHours),
      show(point.violationsPercent),
      String(point.actions),
    ]),
  );
  return [
    '# Policies compared',
    '',
    'Violations are requests slower than the objective, or lost. These settings make the frontier: none of the others has fewer of both.',
    '',
    markdownTable(['load', 'boot', 'objective', 'policy', 'VM-hours', 'violations %', 'actions'], rows),
    '',
  ].join('\n');
}

const columnsOf = ({ name, bootMs, objective }: Scene): readonly string[] => [
  name,
  `${bootMs / 1000} s`,
  `${objective.share * 100} % < ${objective.ms} ms`,
];

const row = (scene: Scene, { point, frontier, ratio, foresight, peer }: Judgement): readonly string[] => [
  ...columnsOf(scene),
  point.label,
  show(point.vmHours),
  show(point.violationsPercent),
  show(frontier),
  show(ratio),
  show(foresight),
  String(point.actions),
  peer === undefined ? '' : String(peer.actions),
  peer === undefined ? '' : `${peer.policy} ${peer.label}`,
];

/** By boot time, and all together; what no peer does with so few VM-hours has no ratio and is counted apart. */
function summary(comparisons: readonly Comparison[]): readonly string[] {
  const boots = [...new Set(comparisons.map(({ scene }) => scene.bootMs))];
  const groups = [
    ...boots.map((boot) => [`${boot / 1000} s`, comparisons.filter(({ scene }) => scene.bootMs === boot)] as const),
    ['all', comparisons] as const,
  ];
  const rows = groups.map(([name, group]) => {
    const all = group.flatMap(judgements);
    const ratios = all.flatMap(({ ratio }) => (ratio === undefined ? [] : [ratio]));
    const above = ratios.filter((ratio) => ratio > 1).length;
    const busier = all.filter(({ point, peer }) => peer !== undefined && point.actions > peer.actions).length;
    const mean = ratios.length === 0 ? undefined : geometricMean(ratios);
    return [name, show(mean), show(Math.max(...ratios)), String(above), String(busier), String(all.length)];
  });
  const head = [
    'boot',
    'ratio, geometric mean',
    'worst ratio',
    'above the frontier',
    'more actions than the peer',
    'of',
  ];
  return ['', '## In short', '', markdownTable(head, rows)];
}

/** Every run, and foresight, a line each. */
export function comparisonCsv(comparisons: readonly Comparison[]): string {
  const head = 'load,bootSeconds,objectiveMs,objectiveShare,policy,setting,vmHours,violationsPercent,actions\n';
  const lines = comparisons.flatMap(({ scene, points }) =>
    points.map(({ policy, label, vmHours, violationsPercent, actions }) =>
      [
        `"${scene.name.replaceAll('"', '""')}"`,
        scene.bootMs / 1000,
        scene.objective.ms,
        scene.objective.share,
        policy,
        label,
        vmHours.toFixed(3),
        violationsPercent.toFixed(4),
        actions,
      ].join(','),
    ),
  );
  return `${head}${lines.join('\n')}\n`;
}

const show = (value: number | undefined): string =>
  value === undefined || !Number.isFinite(value) ? '' : value >= 100 ? value.toFixed(0) : value.toPrecision(3);
