// A comparison as one SVG: a small chart for each load (down) and boot time (across), violations against VM-hours.
import { policies } from '../decide/policies/index.ts';
import { escape, scale, ticks } from '../svg.ts';
import { frontier, LEAST_PERCENT, type Comparison, type Point } from './compare.ts';

const WIDTH = 360;
const HEIGHT = 252;
const LEFT = 60;
const RIGHT = 10;
const TOP = 24;
const BOTTOM = 42;

/** In the order of the table of policies. */
const PALETTE = [
  '#c49c94',
  '#8c564b',
  '#ff7f0e',
  '#2ca02c',
  '#9467bd',
  '#7f7f7f',
  '#1f77b4',
  '#17becf',
  '#bcbd22',
  '#d62728',
  '#e377c2',
];

const NAMES: readonly string[] = Object.keys(policies);
const colourOf = (policy: string): string =>
  policy === 'foresight'
    ? '#111111'
    : policy === 'static'
      ? '#555555'
      : (PALETTE[NAMES.indexOf(policy) % PALETTE.length] ?? '#000000');

/** Shapes within a unit circle, as points of a polygon; with hollow and filled ones every policy can be told in grey, too. */
const SHAPES: readonly (readonly (readonly [number, number])[])[] = [
  Array.from({ length: 12 }, (_, i) => [Math.cos((i * Math.PI) / 6), Math.sin((i * Math.PI) / 6)] as const),
  [-0.8, 0.8].flatMap((x) => [[x, 0.8 * Math.sign(x)] as const, [x, -0.8 * Math.sign(x)] as const]),
  [-90, 30, 150].map((at) => [Math.cos((at * Math.PI) / 180), Math.sin((at * Math.PI) / 180)] as const),
  [0, 90, 180, 270].map((at) => [Math.cos((at * Math.PI) / 180), Math.sin((at * Math.PI) / 180)] as const),
  [90, 210, 330].map((at) => [Math.cos((at * Math.PI) / 180), Math.sin((at * Math.PI) / 180)] as const),
  Array.from({ length: 10 }, (_, i) => {
    const [at, far] = [((i * 36 - 90) * Math.PI) / 180, i % 2 === 0 ? 1 : 0.4];
    return [far * Math.cos(at), far * Math.sin(at)] as const;
  }),
  [0, 90, 180, 270].flatMap((at) => {
    const [cos, sin] = [Math.cos((at * Math.PI) / 180), Math.sin((at * Math.PI) / 180)];
    const arm = [
      [0.35, 0.35],
      [1, 0.35],
      [1, -0.35],
    ] as const; // of a cross
    return arm.map(([dx, dy]) => [dx * cos + dy * sin, dx * sin - dy * cos] as const);
  }),
];

/** A policy's mark at that place. */
function mark(policy: string, x: number, y: number, radius: number, title = ''): string {
  const index = NAMES.indexOf(policy) + 1;
  const shape = SHAPES[index % SHAPES.length] ?? [];
  const points = shape.map(([dx, dy]) => `${(x + radius * dx).toFixed(1)},${(y + radius * dy).toFixed(1)}`).join(' ');
  const fill = index >= SHAPES.length ? '#fff' : colourOf(policy);
  return `<polygon points="${points}" fill="${fill}" stroke="${colourOf(policy)}" stroke-width="1.2">${title}</polygon>`;
}

/** Of the legend: a policy's place, and what a letter takes. */
const ENTRY = 116;
const LINE = 18;
const LETTER = 5.6;
const FOOT =
  "up: per cent of all requests that miss the objective, the last number of the title; grey line: the peers' frontier; dashed: perfect foresight";

/** With one column it is as wide as a column of a paper: its letters are 7 points high where that is 85 mm. */
export function comparisonChart(comparisons: readonly Comparison[], columns: number): string {
  const rows = Math.ceil(comparisons.length / columns);
  const width = columns * WIDTH;
  const all = comparisons.flatMap(({ points }) => points.map(({ policy }) => policy));
  const shown = [...new Set(all.filter((policy) => policy !== 'foresight'))];
  const across = Math.floor((width - 10) / ENTRY);
  const legend = shown.map((name, i) => {
    const [x, y] = [10 + (i % across) * ENTRY, rows * HEIGHT + 16 + Math.floor(i / across) * LINE];
    return `<g transform="translate(${x},${y})">${mark(name, 4, -4, 5)}<text x="12">${name}</text></g>`;
  });
  const charts = comparisons.map(
    (comparison, i) =>
      `<g transform="translate(${(i % columns) * WIDTH},${Math.floor(i / columns) * HEIGHT})">${chart(comparison)}</g>`,
  );
  const below = rows * HEIGHT + 16 + LINE * Math.ceil(shown.length / across);
  const foot = lines(FOOT, (width - 20) / LETTER);
  const said = foot.map((line, i) => `<text x="10" y="${below + 14 * i}">${line}</text>`);
  const height = below + 14 * foot.length - 4;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="11"><rect width="100%" height="100%" fill="#fff"/>${charts.join('')}${legend.join('')}${said.join('')}</svg>\n`;
}

/** The text in lines of no more letters than that. */
function lines(text: string, letters: number): readonly string[] {
  const found: string[] = [];
  for (const word of text.split(' ')) {
    const longer = `${found.at(-1) ?? ''} ${word}`.trim();
    if (found.length > 0 && longer.length <= letters) found[found.length - 1] = longer;
    else found.push(word);
  }
  return found;
}

function chart({ scene, points }: Comparison): string {
  const most = Math.max(...points.map(({ vmHours }) => vmHours)) * 1.05;
  const x = scale(0, most, LEFT, WIDTH - RIGHT);
  const magnitude = scale(Math.log(LEAST_PERCENT), Math.log(100), HEIGHT - BOTTOM, TOP);
  const y = (percent: number): number => magnitude(Math.log(Math.max(LEAST_PERCENT, percent)));
  const place = ({ vmHours, violationsPercent }: Point): string =>
    `${x(vmHours).toFixed(1)},${y(violationsPercent).toFixed(1)}`;
  const line = (of: readonly Point[], style: string): string =>
    `<polyline points="${of.map(place).join(' ')}" fill="none" ${style}/>`;
  const of = (test: (policy: string) => boolean): readonly Point[] => points.filter(({ policy }) => test(policy));
  const byHours = (some: readonly Point[]): readonly Point[] => [...some].sort((a, b) => a.vmHours - b.vmHours);
  const dots = of((policy) => policy !== 'foresight').map((point) => {
    const [cx = 0, cy = 0] = place(point).split(',').map(Number);
    const title = `${point.policy} ${point.label}: ${point.vmHours.toFixed(1)} VM-hours, ${point.violationsPercent.toFixed(2)} %, ${point.actions} actions`;
    return mark(point.policy, cx, cy, point.policy === 'adaptive' ? 5 : 3.5, `<title>${escape(title)}</title>`);
  });
  // where all of them are one place, there is no line to see
  const foreseen = of((policy) => policy === 'foresight').map((point) => {
    const [cx = 0, cy = 0] = place(point).split(',').map(Number);
    return `<circle cx="${cx}" cy="${cy}" r="1.5" fill="${colourOf('foresight')}"/>`;
  });
  const grid = [0.01, 0.1, 1, 10, 100].map(
    (percent) =>
      `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(percent)}" y2="${y(percent)}" stroke="#ddd"/><text x="${LEFT - 4}" y="${y(percent) + 4}" text-anchor="end">${percent} %</text>`,
  );
  const hours = ticks(0, most, 8)
    .filter((at) => at <= most)
    .map(
      (at) =>
        `<line x1="${x(at)}" x2="${x(at)}" y1="${HEIGHT - BOTTOM}" y2="${HEIGHT - BOTTOM + 4}" stroke="#999"/><text x="${x(at)}" y="${HEIGHT - BOTTOM + 15}" text-anchor="middle">${at}</text>`,
    );
  return [
    `<text x="${LEFT}" y="14" font-weight="bold">${escape(scene.name)}, boot ${scene.bootMs / 1000} s, ${scene.objective.ms} ms</text>`,
    ...grid,
    ...hours,
    `<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 10}" text-anchor="middle">VM-hours</text>`,
    `<text transform="translate(11,${(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)" text-anchor="middle">requests that miss</text>`,
    line(frontier(of((policy) => policy !== 'adaptive' && policy !== 'foresight')), 'stroke="#999" stroke-width="2"'),
    line(byHours(of((policy) => policy === 'adaptive')), `stroke="${colourOf('adaptive')}"`),
    line(byHours(of((policy) => policy === 'foresight')), 'stroke="#111" stroke-dasharray="4 3"'),
    ...foreseen,
    ...dots,
  ].join('');
}
