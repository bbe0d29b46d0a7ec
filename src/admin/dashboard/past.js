// @ts-check
// Which time the charts show: live, a range up to now, or a part of the past that somebody zoomed into.
import { useEffect, useState } from 'preact/hooks';
import { readHistory } from './connection.js';
import { when, zone } from './format.js';
import { html } from './html.js';

/** @import { ShownPeriod } from '../../loop/view.ts' */
/** @import { ShownPoint } from '../../loop/past.ts' */

/** @typedef {ShownPeriod | ShownPoint} Point */
/** @typedef {{ span: string } | { from: number, until: number, back: string }} Range */

const RANGES = {
  live: 'Live',
  '15m': '15 minutes',
  '1h': '1 hour',
  '6h': '6 hours',
  '1d': '24 hours',
  '7d': '7 days',
  '30d': '30 days',
};
const AGAIN_MS = 30_000;
/** What comes by itself is of the VMs that clients use. */
const LIVE_OF_WORK = { span: '15m', again: 5_000 };

/** @param {import('./connection.js').Role} role @param {ShownPeriod[]} live */
export function usePast(role, live) {
  const [range, setRange] = useState(/** @type {Range} */ ({ span: 'live' }));
  const [past, setPast] = useState({ points: /** @type {Point[]} */ ([]), problem: '' });
  const isLive = 'span' in range && range.span === 'live';
  const comes = isLive && role !== 'work';
  useEffect(() => {
    if (comes) return undefined;
    setPast({ points: [], problem: '' });
    let over = false;
    const read = () =>
      readHistory(role, isLive ? LIVE_OF_WORK : range).then(
        ({ points }) => over || setPast({ points, problem: '' }),
        (error) => over || setPast((before) => ({ ...before, problem: error.message })),
      );
    read();
    const again = 'span' in range ? setInterval(read, isLive ? LIVE_OF_WORK.again : AGAIN_MS) : undefined;
    return () => {
      over = true;
      clearInterval(again);
    };
  }, [range, role]);
  /** @type {Point[]} */
  const points = comes ? live : past.points;
  return { range, setRange, points, comes, problem: comes ? '' : past.problem };
}

/** @param {{ range: Range, setRange: (range: Range) => void, points: readonly Point[], problem: string }} props */
export function TimeShown({ range, setRange, points, problem }) {
  const [first, last] = [points[0], points.at(-1)];
  const chosen = 'span' in range ? range.span : 'zoomed';
  const back = 'span' in range ? range.span : range.back;
  const from = 'span' in range ? (first?.at ?? 0) : range.from;
  const until = 'span' in range ? (last?.at ?? 0) : range.until;
  /** By so many of its own lengths. */
  const move = (start, end) => () => {
    const length = until - from;
    setRange({ from: from + start * length, until: until + end * length, back });
  };
  const canMove = until > from;
  return html`<div class="toolbar" role="group" aria-label="Time shown">
    <label class="toggle" for="time-shown">Time</label>
    <select id="time-shown" value=${chosen} onChange=${(event) => setRange({ span: event.currentTarget.value })}>
      ${chosen === 'zoomed' && html`<option value="zoomed" selected>Zoomed</option>`}
      ${Object.entries(RANGES).map(([value, label]) => html`<option key=${value} value=${value} selected=${value === chosen}>${label}</option>`)}
    </select>
    <button type="button" class="plain small" disabled=${!canMove} onClick=${move(0.25, -0.25)}>Zoom in</button>
    <button type="button" class="plain small" disabled=${!canMove} onClick=${move(-0.5, -0.5)}>Earlier</button>
    ${
      chosen === 'zoomed' &&
      html`<button type="button" class="plain small" onClick=${move(0.5, 0.5)}>Later</button>
        <button type="button" class="plain small" onClick=${() => setRange({ span: back })}>
          Back to ${RANGES[back].toLowerCase()}
        </button>
        <span class="note">${when(from)} to ${when(until)}</span>`
    }
    ${problem ? html`<span role="alert" class="answer error">${problem}</span>` : html`<span class="note">Drag over a chart to zoom. Times are those of ${zone()}.</span>`}
  </div>`;
}
