// @ts-check
// The four charts over time. uPlot draws; the key below each chart shows the values under the pointer, or the latest.
import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import { html } from './html.js';
import { ms, number, signed } from './format.js';

/** @import { ShownPeriod, ManagerView } from '../../loop/view.ts' */

/**
 * @typedef {{ label: string, color: string, dash?: number[], fill?: boolean, stepped?: boolean, width?: number,
 *   value: (period: ShownPeriod) => number | undefined, show: (value: number | undefined) => string }} Line
 */

const percent = (value) => number(value, '%');
const count = (value) => number(value);
const rate = (value) => number(value, '/s', 1);
const stepped = true;
const DASHED = [6, 4];
const DOTTED = [2, 4];

/** @param {{ periods: ShownPeriod[], limits: ManagerView['limits'], thresholds: ManagerView['thresholds'] }} props */
export function Charts({ periods, limits, thresholds }) {
  /** A bound as it was in each period: of a time that had none nothing is drawn. */
  const bound = (label, value, color, show, dash = DASHED) => ({
    ...{ label, color, dash, value, show, stepped, width: 1.25 },
  });
  const drawn = thresholdsIn(periods, thresholds);
  /** @param {(threshold: ManagerView['thresholds'][number]) => boolean} wanted */
  const bounds = (wanted) =>
    drawn.filter(wanted).map(({ name, of, value }) => {
      const color = value < 0 || name.endsWith('low') ? '--line-low' : '--line-high';
      const key = keyOf({ name, of, value });
      const then = (p) => p.bounds?.thresholds.find((each) => keyOf(each) === key)?.value;
      const show = (now) => (now === undefined ? '–' : `${of === 'delta TP' && now > 0 ? '+' : ''}${minus(now)} %`);
      const label = of === 'delta TP' ? `${name}, ${value < 0 ? 'falling' : 'rising'}` : name;
      return bound(label, then, color, show, name.startsWith('near') ? DOTTED : DASHED);
    });
  const highest = Math.max(1, limits.max, ...periods.map((p) => Math.max(p.vms, p.bounds?.max ?? 0)));
  const trend = Math.max(20, ...drawn.filter(({ of }) => of === 'delta TP').map(({ value }) => value)) * 1.5;
  return html`<div class="charts">
    <${Chart}
      title="Load prediction (LP)"
      periods=${periods}
      range=${[0, 100]}
      unit="%"
      marks
      lines=${[
        { label: 'LP', color: '--line-1', width: 2.25, fill: true, value: (p) => p.lp, show: percent },
        ...bounds(({ of }) => of !== 'delta TP'),
      ]}
    />
    <${Chart}
      title="Change of response time (delta TP)"
      periods=${periods}
      soft=${[-trend, trend]}
      unit="%"
      lines=${[
        { label: 'delta TP', color: '--line-1', width: 2, value: (p) => p.deltaTp, show: signed },
        ...bounds(({ of }) => of === 'delta TP'),
      ]}
    />
    <${Chart}
      title="Response time (ms)"
      periods=${periods}
      soft=${[0, 1]}
      lines=${[
        { label: 'TP', color: '--line-1', width: 2.25, fill: true, value: (p) => p.tp, show: ms },
        { label: 'measured', color: '--line-2', width: 1.25, value: (p) => p.responseTime || undefined, show: ms },
      ]}
    />
    <${Chart}
      title="VMs"
      periods=${periods}
      range=${[0, highest + 0.5]}
      whole
      lines=${[
        { label: 'ready', color: '--line-1', width: 2.25, fill: true, stepped, value: (p) => p.ready, show: count },
        { label: 'allocated', color: '--line-2', width: 1.5, stepped, value: (p) => p.vms, show: count },
        bound('max', (p) => p.bounds?.max, '--line-high', count),
        bound('min', (p) => p.bounds?.min, '--line-low', count),
      ]}
    />
    <${Chart}
      title="Requests a second"
      periods=${periods}
      soft=${[0, 1]}
      wide
      lines=${[
        { label: 'answered', color: '--line-1', width: 2, fill: true, value: (p) => p.throughput, show: rate },
        { label: 'arrived', color: '--line-2', width: 1.25, value: (p) => p.arrivalRate, show: rate },
        { label: 'lost', color: '--line-high', width: 1.5, value: lostRate, show: rate },
      ]}
    />
  </div>`;
}

/** One name may stand on both sides of zero. */
const keyOf = ({ of, name, value }) => `${of} ${name} ${value < 0}`;

/** Each that there is now or was in a period shown, with the newest value. */
function thresholdsIn(periods, thresholds) {
  const all = new Map();
  for (const each of [...periods.flatMap(({ bounds }) => bounds?.thresholds ?? []), ...thresholds])
    all.set(keyOf(each), each);
  return [...all.values()];
}

/** By the length of its own period. 20 lost in 10 s: 2 a second @param {ShownPeriod} period */
const lostRate = ({ lost, span }) => (span ? lost / (span / 1000) : undefined);

const minus = (value) => `${value}`.replace('-', '−');

/**
 * @param {{ title: string, periods: ShownPeriod[], lines: Line[], range?: [number, number], soft?: [number, number],
 *   unit?: string, whole?: boolean, marks?: boolean, wide?: boolean }} props
 */
function Chart({ title, periods, lines, range, soft, unit = '', whole, marks, wide }) {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  const plot = useRef(/** @type {uPlot | null} */ (null));
  const latest = useRef(periods);
  latest.current = periods;
  const [pointed, setPointed] = useState(/** @type {number | null} */ (null));
  const key = JSON.stringify([lines.map(({ label }) => label), range, soft]);

  useEffect(() => {
    const element = /** @type {HTMLElement} */ (place.current);
    const build = () => {
      plot.current?.destroy();
      const marker = marks ? [decisionMarks(() => latest.current)] : [];
      const hooks = { setCursor: [(u) => setPointed(u.cursor.idx ?? null)], draw: marker };
      const options = optionsFor({ element, lines, range, soft, unit, whole, hooks });
      plot.current = new uPlot(options, dataOf(latest.current, lines), element);
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
  useEffect(() => plot.current?.setData(dataOf(periods, lines)), [periods]);

  const shown = periods[pointed ?? periods.length - 1] ?? periods.at(-1);
  /** @param {Line} line @param {ShownPeriod | undefined} period */
  const text = (line, period) => (period ? line.show(line.value(period)) : '–');
  const now = lines.map((line) => `${line.label} ${text(line, periods.at(-1))}`.trimEnd());
  return html`<section class=${`card chart ${wide ? 'wide' : ''}`} aria-label=${title}>
    <h2>${title}</h2>
    <div class="plot" role="img" aria-label=${`${title}: ${now.join(', ')}`} ref=${place}></div>
    ${periods.length === 0 && html`<p class="empty">The first period is not over yet.</p>`}
    <ul class="key" aria-hidden="true">
      ${lines.map(
        (line) =>
          html`<li key=${line.label}>
            <span class=${`swatch ${dashClass(line.dash)} ${line.color.slice(2)}`}></span>${line.label}
            <b>${text(line, shown)}</b>
          </li>`,
      )}
    </ul>
  </section>`;
}

const HEIGHT = 190;
const dashClass = (dash) => (dash === DASHED ? 'dashed' : dash === DOTTED ? 'dotted' : '');

/** The first line is drawn last, on top of the others. @param {ShownPeriod[]} periods @param {Line[]} lines @returns {any} */
const dataOf = (periods, lines) => [
  periods.map((period) => period.at / 1000),
  ...lines.toReversed().map((line) => periods.map((period) => line.value(period) ?? null)),
];

/** A first period alone stands in the middle of a minute, not of a day. @returns {[number, number]} */
const timeRange = (plot, min, max) => (plot.data[0].length > 1 ? [min, max] : [min - 30, min + 30]);

/** @returns {uPlot.Options} */
function optionsFor({ element, lines, range, soft, unit, whole, hooks }) {
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
    cursor: { y: false, points: { size: 6 }, drag: { x: false, y: false } },
    hooks,
    scales: { x: { time: true, range: timeRange }, y },
    axes: [
      { ...axis, size: 28, values: '{HH}:{mm}:{ss}', space: 70 },
      {
        ...axis,
        size: 52,
        ...(whole && { incrs: [1, 2, 5, 10, 20, 50, 100, 1000, 10000] }),
        values: (_plot, values) => values.map((value) => `${value}${unit === '%' ? ' %' : ''}`),
      },
    ],
    series: [
      {},
      ...lines.toReversed().map((line) => ({
        label: line.label,
        stroke: color(line.color),
        width: line.width ?? 1.5,
        spanGaps: false,
        points: { show: false },
        ...(line.dash && { dash: line.dash }),
        ...(line.fill && { fill: color('--fill') }),
        ...(line.stepped && { paths: uPlot.paths.stepped?.({ align: -1 }) }),
      })),
    ],
  };
}

/** Where a VM was allocated (▲) or released (▼), at the foot of the chart. */
const decisionMarks = (periods) => (u) => {
  const style = getComputedStyle(u.root);
  u.ctx.save();
  u.ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
  u.ctx.textAlign = 'center';
  u.ctx.fillStyle = style.getPropertyValue('--ink');
  for (const { at, action } of periods()) {
    if (action === 'hold') continue;
    u.ctx.fillText(action === 'allocate' ? '▲' : '▼', u.valToPos(at / 1000, 'x', true), u.bbox.top + u.bbox.height - 4);
  }
  u.ctx.restore();
};
