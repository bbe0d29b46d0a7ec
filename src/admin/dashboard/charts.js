// @ts-check
// Which charts there are, and what each draws.
import { useState } from 'preact/hooks';
import { Chart, DASHED, DOTTED } from './chart.js';
import { html } from './html.js';
import { ms, number, signed } from './format.js';

/** @import { ManagerView } from '../../loop/view.ts' */
/** @import { Point } from './past.js' */

const percent = (value) => number(value, '%');
const count = (value) => number(value, '', Number.isInteger(value) ? 0 : 1);
const rate = (value) => number(value, '/s', 1);
const stepped = true;
const COLORS = ['--line-1', '--line-2', '--line-high', '--line-low'];

/**
 * @param {{ role: ManagerView['role'], points: readonly Point[], limits: ManagerView['limits'], thresholds: ManagerView['thresholds'],
 *   onZoom: (from: number, until: number) => void }} props
 */
export function Charts({ role, points, limits, thresholds, onZoom }) {
  /** A bound as it was in each period: of a time that had none nothing is drawn. */
  const bound = (label, value, color, show, dash = DASHED) => ({
    ...{ label, color, dash, value, show, stepped, width: 1.25 },
  });
  const drawn = thresholdsIn(points, thresholds);
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
  const highest = Math.max(1, limits.max, ...points.map((p) => Math.max(p.vms, p.bounds?.max ?? 0)));
  const trend = Math.max(20, ...drawn.filter(({ of }) => of === 'delta TP').map(({ value }) => value)) * 1.5;
  const causes = [...new Set(points.flatMap((p) => Object.keys(p.causes ?? {})))];
  const classes = [...new Set(points.flatMap((p) => (p.classes ?? []).map(({ name }) => name)))];
  const [chosen, setChosen] = useState('');
  /** What is drawn of a point: all its requests, or those of one class. @returns {any} */
  const of = chosen === '' ? (p) => p : (p) => p.classes?.find(({ name }) => name === chosen) ?? {};
  const named = (title) => (chosen === '' ? title : `${title}: ${chosen}`);
  const shared = { points, onZoom };
  return html`${
      classes.length > 1 &&
      html`<div class="toolbar">
        <label class="toggle" for="class-shown">Response and queue of</label>
        <select id="class-shown" value=${chosen} onChange=${(event) => setChosen(event.currentTarget.value)}>
          ${['', ...classes].map((name) => html`<option key=${name} value=${name} selected=${name === chosen}>${name || 'all classes'}</option>`)}
        </select>
      </div>`
    }
    <div class="charts">
      <${Chart}
        ...${shared}
        title="Load prediction (LP)"
        range=${[0, 100]}
        unit="%"
        marks
        lines=${[
          { label: 'LP', color: '--line-1', width: 2.25, fill: true, value: (p) => p.lp, show: percent },
          ...bounds(({ of }) => of !== 'delta TP'),
        ]}
      />
      <${Chart}
        ...${shared}
        title="VMs"
        range=${[0, highest + 0.5]}
        whole
        marks
        lines=${[
          { label: 'ready', color: '--line-1', width: 2.25, fill: true, stepped, value: (p) => p.ready, show: count },
          { label: 'allocated', color: '--line-2', width: 1.5, stepped, value: (p) => p.vms, show: count },
          bound('max', (p) => p.bounds?.max, '--line-high', count),
          bound('min', (p) => p.bounds?.min, '--line-low', count),
        ]}
      />
      ${
        role !== 'work' &&
        html`<${Chart}
            ...${shared}
            key=${`response ${chosen}`}
            title=${named('Response time (ms)')}
            soft=${[0, 1]}
            lines=${[
              ...(chosen === ''
                ? [{ label: 'TP', color: '--line-1', width: 2.25, fill: true, value: (p) => p.tp, show: ms }]
                : []),
              {
                label: 'mean',
                color: '--line-2',
                width: 1.25,
                value: (p) => of(p).responseTime || undefined,
                show: ms,
              },
              ...percentiles(of),
            ]}
          />
          <${Chart}
            ...${shared}
            title="Change of response time (delta TP)"
            soft=${[-trend, trend]}
            unit="%"
            lines=${[
              { label: 'delta TP', color: '--line-1', width: 2, value: (p) => p.deltaTp, show: signed },
              ...bounds(({ of }) => of === 'delta TP'),
            ]}
          />
          <${Chart}
            ...${shared}
            title="Requests a second"
            soft=${[0, 1]}
            lines=${[
              { label: 'answered', color: '--line-1', width: 2, fill: true, value: (p) => p.throughput, show: rate },
              { label: 'arrived', color: '--line-2', width: 1.25, value: (p) => p.arrivalRate, show: rate },
              { label: 'lost', color: '--line-high', width: 1.5, value: lostRate, show: rate },
            ]}
          />
          <${Chart}
            ...${shared}
            title="Requests in flight"
            soft=${[0, 1]}
            lines=${[
              { label: 'at VMs', color: '--line-1', width: 2, fill: true, value: (p) => p.inFlight, show: count },
              { label: 'waiting', color: '--line-high', width: 1.5, value: (p) => p.queued, show: count },
            ]}
          />
          <${Chart}
            ...${shared}
            key=${`queue ${chosen}`}
            title=${named('Time in the queue (ms)')}
            soft=${[0, 1]}
            lines=${[
              { label: 'mean', color: '--line-1', width: 2, fill: true, value: (p) => of(p).queueTime, show: ms },
              ...percentiles((p) => of(p).wait ?? {}),
            ]}
          />
          <${Chart}
            ...${shared}
            title="Lost, by cause"
            soft=${[0, 1]}
            lines=${[
              { label: 'all', color: '--line-high', width: 2, fill: true, value: (p) => p.lost, show: count },
              ...causes.map((name, i) => ({
                ...{ label: name, color: COLORS[(i + 3) % 4], width: 1.25, show: count },
                value: (p) => (p.lost === undefined ? undefined : (p.causes?.[name] ?? 0)),
              })),
            ]}
          />`
      }
    </div>`;
}

/** @param {(point: any) => { p50?: number, p95?: number, p99?: number }} of */
const percentiles = (of) => [
  { label: 'p50', color: '--line-low', width: 1.25, dash: DOTTED, value: (p) => of(p).p50, show: ms },
  { label: 'p95', color: '--line-high', width: 1.25, dash: DASHED, value: (p) => of(p).p95, show: ms },
  { label: 'p99', color: '--line-high', width: 1.25, value: (p) => of(p).p99, show: ms },
];

/** One name may stand on both sides of zero. */
const keyOf = ({ of, name, value }) => `${of} ${name} ${value < 0}`;

/** Each that there is now or was in a period shown, with the newest value. @param {readonly Point[]} points */
function thresholdsIn(points, thresholds) {
  const all = new Map();
  for (const each of [...points.flatMap(({ bounds }) => bounds?.thresholds ?? []), ...thresholds])
    all.set(keyOf(each), each);
  return [...all.values()];
}

/** By the length of its own period. 20 lost in 10 s: 2 a second @param {Point} point */
const lostRate = ({ lost, span }) => (span ? lost / (span / 1000) : undefined);

const minus = (value) => `${value}`.replace('-', '−');
