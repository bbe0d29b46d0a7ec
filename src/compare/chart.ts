// A comparison as one SVG: a small chart for each load (down) and boot time (across), violations against VM-hours.
import { policies } from '../decide/policies/index.ts';
import { escape, scale, ticks } from '../svg.ts';
import { frontier, LEAST_PERCENT, type Comparison, type Point } from './compare.ts';

const WIDTH = 360;
const HEIGHT = 240;
const LEFT = 46;
const RIGHT = 10;
const TOP = 24;
const BOTTOM = 30;

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

export function comparisonChart(comparisons: readonly Comparison[], columns: number): string {
  const rows = Math.ceil(comparisons.length / columns);
  const shown = new Set(comparisons.flatMap(({ points }) => points.map(({ policy }) => policy)));
  const legend = [...shown].map(
    (name, i) =>
      `<g transform="translate(${10 + (i % 6) * 150},${rows * HEIGHT + 16 + Math.floor(i / 6) * 18})"><circle cx="4" cy="-4" r="4" fill="${colourOf(name)}"/><text x="12">${name}</text></g>`,
  );
  const charts = comparisons.map(
    (comparison, i) =>
      `<g transform="translate(${(i % columns) * WIDTH},${Math.floor(i / columns) * HEIGHT})">${chart(comparison)}</g>`,
  );
  const [width, height] = [Math.max(920, columns * WIDTH), rows * HEIGHT + 60];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="11"><rect width="100%" height="100%" fill="#fff"/>${charts.join('')}${legend.join('')}<text x="10" y="${height - 6}">per cent of requests that miss the objective, against VM-hours; grey: the peers' frontier, dashed: perfect foresight</text></svg>\n`;
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
    const [cx, cy] = place(point).split(',');
    const title = `${point.policy} ${point.label}: ${point.vmHours.toFixed(1)} VM-hours, ${point.violationsPercent.toFixed(2)} %, ${point.actions} actions`;
    const radius = point.policy === 'adaptive' ? 4 : 2.5;
    return `<circle cx="${cx}" cy="${cy}" r="${radius}" fill="${colourOf(point.policy)}"><title>${title}</title></circle>`;
  });
  const grid = [0.01, 0.1, 1, 10, 100].map(
    (percent) =>
      `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(percent)}" y2="${y(percent)}" stroke="#ddd"/><text x="${LEFT - 4}" y="${y(percent) + 4}" text-anchor="end">${percent} %</text>`,
  );
  const hours = ticks(0, most)
    .filter((at) => at <= most)
    .map(
      (at) =>
        `<line x1="${x(at)}" x2="${x(at)}" y1="${HEIGHT - BOTTOM}" y2="${HEIGHT - BOTTOM + 4}" stroke="#999"/><text x="${x(at)}" y="${HEIGHT - BOTTOM + 15}" text-anchor="middle">${at}</text>`,
    );
  return [
    `<text x="${LEFT}" y="14" font-weight="bold">${escape(scene.name)}, boot ${scene.bootMs / 1000} s, ${scene.objective.ms} ms</text>`,
    ...grid,
    ...hours,
    line(frontier(of((policy) => policy !== 'adaptive' && policy !== 'foresight')), 'stroke="#999" stroke-width="2"'),
    line(byHours(of((policy) => policy === 'adaptive')), `stroke="${colourOf('adaptive')}"`),
    line(byHours(of((policy) => policy === 'foresight')), 'stroke="#111" stroke-dasharray="4 3"'),
    ...dots,
  ].join('');
}
