// A figure as SVG, by hand: no font is embedded, text is text.
import { escape, scale, ticks, type Scale } from '../../src/svg.ts';
import type { Figure, Line, Panel } from './figure.ts';

/** Across a page, and in a column of one: there the text has to be as large as beside it. */
const PAGE = 760;
export const COLUMN = 380;
const LEFT = 62;
/** Room for what marks say, beside the lines and not on them. */
const RIGHT = 66;
/** Between two of them. */
const LINE = 10;
const PANEL = 130;
const GAP = 30;
const ROW = 17;
const BOTTOM = 44;
/** Mean width of one, and of one of the title. */
const LETTER = 5.8;
const TITLE_LETTER = 7.4;

export function svgOf(figure: Figure, width = PAGE): string {
  const { title, xTitle, x, panels } = figure;
  const right = width - RIGHT;
  const titles = wrapped(title, right - LEFT, TITLE_LETTER);
  const down = (titles.length - 1) * ROW;
  const { rows, drawn } = legend(panels, right, down);
  const heads = panels.map((panel) => wrapped(panel.title, right - LEFT));
  const top = 44 + down + rows * ROW + (Math.max(...heads.map(({ length }) => length)) - 1) * ROW;
  const height = top + panels.length * (PANEL + GAP) - GAP + BOTTOM;
  // x are the middles of periods
  const end = (x[0] ?? 0) + (x.at(-1) ?? 1);
  const across = ticks(0, end, width / 84).filter((tick) => tick <= end);
  const scaleX = scale(0, end, LEFT, right);
  const bottom = height - BOTTOM;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="Inter, Helvetica, Arial, sans-serif" font-size="11" fill="#222" role="img">`,
    `<title>${escape(title)}</title>`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    ...titles.map((line, i) => `<text x="${LEFT}" y="${18 + i * ROW}" font-size="14">${escape(line)}</text>`),
    drawn,
    ...panels.map((panel, i) =>
      drawPanel({ ...panel, head: heads[i] ?? [] }, x, across, scaleX, top + i * (PANEL + GAP), right),
    ),
    ...across.map((tick) => label(scaleX(tick), bottom + 15, 'middle', String(tick))),
    label((LEFT + right) / 2, bottom + 33, 'middle', xTitle),
    '</svg>',
  ].join('\n');
}

function drawPanel(
  { head, lines, marks = [], uprights = [], steps }: Panel & { readonly head: readonly string[] },
  middles: readonly number[],
  across: readonly number[],
  scaleX: (value: number) => number,
  top: number,
  right: number,
): string {
  const half = steps ? (middles[0] ?? 0) : 0;
  const wide = <T>(all: readonly T[]): readonly T[] => (steps ? all.flatMap((one) => [one, one]) : all);
  const x = wide(middles).map((at, i) => at + (i % 2 === 0 ? -half : half));
  const up = ticks(...rangeOf(lines, marks));
  const scaleY = scale(up[0] ?? 0, up.at(-1) ?? 1, top + PANEL, top);
  const rule = (x1: number, y1: number, x2: number, y2: number, color: string, more = ''): string =>
    `<line x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}" stroke="${color}"${more}/>`;
  return [
    '<g>',
    ...head.map(
      (text, i) => `<text x="${LEFT}" y="${top - 6 - (head.length - 1 - i) * ROW}" fill="#444">${escape(text)}</text>`,
    ),
    ...up.map((tick) => rule(LEFT, scaleY(tick), right, scaleY(tick), '#e4e4e4')),
    ...up.map((tick) => label(LEFT - 6, scaleY(tick) + 4, 'end', String(tick))),
    ...across.map((tick) => rule(scaleX(tick), top, scaleX(tick), top + PANEL, '#f0f0f0')),
    ...marks.map(({ y }) => rule(LEFT, scaleY(y), right, scaleY(y), '#888', ' stroke-dasharray="1 3"')),
    ...apart(marks.map(({ y, label }) => ({ label, at: scaleY(y) }))).map(({ label, at }) =>
      note(right + 4, at + 3, label),
    ),
    ...uprights.flatMap(({ label, x }) => [
      rule(scaleX(x), top, scaleX(x), top + PANEL, '#888', ' stroke-dasharray="1 3"'),
      note(scaleX(x) + 4, top + PANEL - 5, label),
    ]),
    ...lines.map(({ color, low, high }) =>
      low && high
        ? `<path d="${band(x, wide(low), wide(high), scaleX, scaleY)}" fill="${color}" fill-opacity="0.13"/>`
        : '',
    ),
    ...lines.map(
      ({ y, ...stroke }) => `<path d="${path(x, wide(y), scaleX, scaleY)}" fill="none" ${strokeText(stroke)}/>`,
    ),
    rule(LEFT, top + PANEL, right, top + PANEL, '#999'),
    '</g>',
  ]
    .filter((part) => part !== '')
    .join('\n');
}

/** From above to below, none on another. */
export function apart<T extends { readonly at: number }>(labels: readonly T[]): readonly T[] {
  let last = -Infinity;
  return labels.toSorted((a, b) => a.at - b.at).map((one) => ({ ...one, at: (last = Math.max(one.at, last + LINE)) }));
}

const note = (x: number, y: number, text: string): string =>
  `<text x="${round(x)}" y="${round(y)}" font-size="9" fill="#666">${escape(text)}</text>`;

/** In lines that are no wider, if its words are not. */
function wrapped(text: string, width: number, letter = LETTER): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && longer.length * letter <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** Each line once, however many panels it is in; as many rows as it takes. */
function legend(panels: readonly Panel[], right: number, down: number): { rows: number; drawn: string } {
  const lines = new Map(panels.flatMap(({ lines }) => lines.map((line) => [line.name, line] as const)));
  let [x, rows] = [LEFT, 1];
  const drawn = [...lines.values()].map((line) => {
    const width = 34 + line.name.length * LETTER;
    if (x + width > right) [x, rows] = [LEFT, rows + 1];
    const [from, y] = [x, 18 + down + rows * ROW];
    x += width + 16;
    const stroke = `<line x1="${round(from)}" y1="${y - 4}" x2="${round(from + 28)}" y2="${y - 4}" ${strokeText(line)}/>`;
    return stroke + label(from + 34, y, 'start', line.name);
  });
  return { rows, drawn: drawn.join('\n') };
}

const strokeText = ({ color, dash = [], width = 1.8 }: Pick<Line, 'color' | 'dash' | 'width'>): string =>
  `stroke="${color}" stroke-width="${width}" stroke-linejoin="round"${dash.length > 0 ? ` stroke-dasharray="${dash.join(' ')}"` : ''}`;

/** From 0, or from below where there is something below; never an empty range. */
export function rangeOf(lines: readonly Line[], marks: Panel['marks'] = []): [number, number] {
  const values = [
    ...lines.flatMap(({ y, low = [], high = [] }) => [...y, ...low, ...high]),
    ...marks.map(({ y }) => y),
  ];
  const known = values.filter((value) => value !== null);
  const high = known.reduce((most, value) => Math.max(most, value), 0);
  const low = known.reduce((least, value) => Math.min(least, value), 0);
  return [low, high > low ? high : low + 1];
}

function path(x: readonly number[], y: Line['y'], scaleX: Scale, scaleY: Scale): string {
  let pen = 'M';
  return y
    .map((value, i) => {
      if (value === null) pen = 'M';
      if (value === null) return '';
      const point = `${pen}${round(scaleX(x[i] ?? 0))} ${round(scaleY(value))}`;
      pen = 'L';
      return point;
    })
    .join('');
}

/** One closed shape for each stretch without a gap. */
function band(x: readonly number[], low: Line['y'], high: Line['y'], scaleX: Scale, scaleY: Scale): string {
  const shapes: string[] = [];
  let there: string[] = [];
  let back: string[] = [];
  const close = (): void => {
    if (there.length > 1) shapes.push(`M${there.join('L')}L${back.reverse().join('L')}Z`);
    there = [];
    back = [];
  };
  for (const [i, at] of x.entries()) {
    const [from, to] = [low[i] ?? null, high[i] ?? null];
    if (from === null || to === null) close();
    else {
      there.push(`${round(scaleX(at))} ${round(scaleY(to))}`);
      back.push(`${round(scaleX(at))} ${round(scaleY(from))}`);
    }
  }
  close();
  return shapes.join('');
}

const round = (value: number): string => String(Number(value.toFixed(1)));

const label = (x: number, y: number, anchor: string, text: string): string =>
  `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}">${escape(text)}</text>`;
