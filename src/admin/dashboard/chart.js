// @ts-check
// One chart over time. uPlot draws; the key below shows the values under the pointer, or the latest; marks are decisions.
import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import { axisTime, when } from './format.js';
import { html } from './html.js';

/** @typedef {{ at: number, span?: number }} Timed */
/** @typedef {{ at: number, action: string, count: number, reason: string }} Decided */

/**
 * @typedef {{ label: string, color: string, dash?: number[], fill?: boolean, stepped?: boolean, width?: number,
 *   value: (point: any) => number | undefined, show: (value: number | undefined) => string }} Line
 */

export const DASHED = [6, 4];
export const DOTTED = [2, 4];
/** Of lines that say nothing of it, so that nobody has to tell them apart by colour alone: the first is whole. */
const DASHES = [[14, 3], [8, 3, 2, 3], DASHED, DOTTED];

const HEIGHT = 190;
const NEAR_PX = 12;

/** @param {readonly Line[]} lines @returns {Line[]} */
function toldApart(lines) {
  const plain = lines.filter(({ dash }) => dash === undefined);
  return lines.map((line) => {
    const nth = plain.indexOf(line);
    return nth < 1
      ? line
      : { ...line, dash: DASHES[(nth - 1 + Math.floor((nth - 1) / DASHES.length)) % DASHES.length] };
  });
}

/** Of a period the one that it is, of a longer point those that are remembered. @returns {readonly Decided[]} */
export const decisionsOf = (point) =>
  point.decisions ?? (point.action !== undefined && point.action !== 'hold' ? [point] : []);

/**
 * @param {{ title: string, points: readonly Timed[], lines: Line[], range?: [number, number], soft?: [number, number],
 *   unit?: string, tick?: (value: number) => string, whole?: boolean, marks?: boolean, wide?: boolean, onZoom?: (from: number, until: number) => void }} props
 */
export function Chart({
  title,
  points,
  lines: given,
  range,
  soft,
  unit = '',
  tick = (value) => `${value}${unit === '%' ? ' %' : ''}`,
  whole,
  marks,
  wide,
  onZoom,
}) {
  const lines = toldApart(given);
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  const plot = useRef(/** @type {uPlot | null} */ (null));
  const rows = withGaps(points);
  const latest = useRef({ rows, lines, onZoom });
  latest.current = { rows, lines, onZoom };
  const [pointed, setPointed] = useState(/** @type {number | null} */ (null));
  const [near, setNear] = useState(/** @type {Decided | undefined} */ (undefined));
  const key = JSON.stringify([lines.map(({ label }) => label), range, soft]);

  useEffect(() => {
    const element = /** @type {HTMLElement} */ (place.current);
    const build = () => {
      plot.current?.destroy();
      const hooks = {
        setCursor: [
          (u) => {
            setPointed(u.cursor.idx ?? null);
            if (marks) setNear(nearest(u, latest.current.rows));
          },
        ],
        setSelect: [(u) => zoom(u, latest.current.onZoom)],
        draw: marks ? [decisionMarks(() => latest.current.rows)] : [],
      };
      const options = optionsFor({ element, lines, range, soft, tick, whole, hooks, zooms: onZoom !== undefined });
      plot.current = new uPlot(options, dataOf(latest.current.rows, lines), element);
    };
    build();
    const resize = new ResizeObserver(() => plot.current?.setSize({ width: element.clientWidth, height: HEIGHT }));
    resize.observe(element);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', build);
    return () => {
      scheme.removeEventListener('change', build);
      resize.disconnect();
      plot.current?.destroy();
      plot.current = null;
    };
  }, [key]);
  useEffect(() => plot.current?.setData(dataOf(rows, lines)), [points]);

  const shown = (pointed === null ? undefined : rows[pointed]) ?? rows.at(-1);
  const text = (line, point) => (point ? line.show(line.value(point)) : '–');
  const now = lines.map((line) => `${line.label} ${text(line, rows.at(-1))}`.trimEnd());
  const record = near && `${when(near.at)} ${near.action} ${near.count}: ${near.reason}`;
  return html`<section class=${`card chart ${wide ? 'wide' : ''}`} aria-label=${title}>
    <h2>${title}</h2>
    <div class="plot" role="img" aria-label=${`${title}: ${now.join(', ')}`} ref=${place}></div>
    ${points.length === 0 && html`<p class="empty">Nothing is known of this time yet.</p>`}
    <ul class="key" aria-hidden="true">
      ${lines.map(
        (line) =>
          html`<li key=${line.label}>
            <svg class=${`swatch ${line.color.slice(2)}`} width="26" height="8">
              <line x1="0" x2="26" y1="4" y2="4" stroke-dasharray=${line.dash?.join(' ') ?? 'none'} />
            </svg>
            ${line.label}
            <b>${text(line, shown)}</b>
          </li>`,
      )}
    </ul>
    ${marks && html`<p class="record" aria-hidden="true" title=${record}>${record}</p>`}
  </section>`;
}

/** Of a time of which nothing is known no line is drawn. @param {readonly Timed[]} points */
function withGaps(points) {
  /** @type {Timed[]} */
  const rows = [];
  let usual = Infinity;
  for (const point of points) {
    const before = rows.at(-1);
    const step = point.span || (before ? point.at - before.at : 0);
    if (before && point.at - before.at > 3 * Math.max(step, Math.min(usual, 60_000))) rows.push({ at: before.at + 1 });
    if (before) usual = Math.min(usual, point.at - before.at);
    rows.push(point);
  }
  return rows;
}

/** The decision whose mark is under the pointer. @param {uPlot} u @param {readonly Timed[]} rows */
function nearest(u, rows) {
  const { left = -1 } = u.cursor;
  if (left < 0) return undefined;
  const [from, until] = [left - NEAR_PX, left + NEAR_PX].map((at) => u.posToVal(at, 'x') * 1000);
  const middle = (from + until) / 2;
  return rows
    .filter(({ at, span = 0 }) => at >= from && at - span <= until)
    .flatMap(decisionsOf)
    .filter(({ at }) => at >= from && at <= until)
    .sort((a, b) => Math.abs(a.at - middle) - Math.abs(b.at - middle))[0];
}

/** @param {uPlot} u @param {((from: number, until: number) => void) | undefined} onZoom */
function zoom(u, onZoom) {
  const { left, width } = u.select;
  if (width < 5) return;
  const [from, until] = [left, left + width].map((at) => u.posToVal(at, 'x') * 1000);
  u.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
  onZoom?.(from, until);
}

/** The first line is drawn last, on top of the others. @param {readonly Timed[]} rows @param {Line[]} lines @returns {any} */
const dataOf = (rows, lines) => [
  rows.map((row) => row.at / 1000),
  ...lines.toReversed().map((line) => rows.map((row) => line.value(row) ?? null)),
];

/** A first period alone stands in the middle of a minute, not of a day. @returns {[number, number]} */
const timeRange = (plot, min, max) => (plot.data[0].length > 1 ? [min, max] : [min - 30, min + 30]);

/** Of what is shown, in ms. @param {uPlot} u */
const lengthOf = ({ scales: { x } }) => ((x.max ?? 0) - (x.min ?? 0)) * 1000;

/** @returns {uPlot.Options} */
function optionsFor({ element, lines, range, soft, tick, whole, hooks, zooms }) {
  const style = getComputedStyle(element);
  const color = (name) => style.getPropertyValue(name).trim();
  const axis = {
    stroke: color('--muted'),
    grid: { stroke: color('--grid'), width: 1 },
    ticks: { show: false },
    font: '11px system-ui, sans-serif',
  };
  /** @type {uPlot.Scale} */
  const y = range
    ? { range: () => range }
    : { range: { min: { soft: soft[0], mode: 1 }, max: { soft: soft[1], mode: 1, pad: 0.1 } } };
  return {
    width: element.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, points: { size: 6 }, drag: { x: zooms, y: false, setScale: false } },
    hooks,
    scales: { x: { time: true, range: timeRange }, y },
    axes: [
      {
        ...axis,
        size: 28,
        values: (u, splits) => splits.map((at) => axisTime(at * 1000, lengthOf(u))),
        space: 80,
      },
      {
        ...axis,
        size: 52,
        ...(whole && { incrs: [1, 2, 5, 10, 20, 50, 100, 1000, 10000] }),
        values: (_plot, values) => values.map(tick),
      },
    ],
    series: [
      {},
      ...lines.toReversed().map((line) => ({
        label: line.label,
        stroke: color(line.color),
        width: line.width ?? 1.5,
        spanGaps: false,
        // a first period alone is no line yet
        points: { show: (plot) => plot.data[0].length === 1, size: 7, fill: color(line.color) },
        ...(line.dash && { dash: line.dash }),
        ...(line.fill && { fill: color('--fill') }),
        ...(line.stepped && { paths: uPlot.paths.stepped?.({ align: -1 }) }),
      })),
    ],
  };
}

/** Where a VM was allocated (▲) or released (▼), at the foot of the chart. */
const decisionMarks = (rows) => (u) => {
  const style = getComputedStyle(u.root);
  u.ctx.save();
  u.ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
  u.ctx.textAlign = 'center';
  u.ctx.fillStyle = style.getPropertyValue('--ink');
  for (const { at, action } of rows().flatMap(decisionsOf))
    u.ctx.fillText(action === 'allocate' ? '▲' : '▼', u.valToPos(at / 1000, 'x', true), u.bbox.top + u.bbox.height - 4);
  u.ctx.restore();
};
