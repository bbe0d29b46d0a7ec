// @ts-check
// Numbers and times as people read them.

/** @param {number | undefined} value @param {string} unit */
export const number = (value, unit = '', digits = 0) =>
  value === undefined ? '–' : `${value.toFixed(digits)}${unit && ` ${unit}`}`;

/** 42 ms, 8.1 ms, 2.5 s @param {number | undefined} value */
export function ms(value) {
  if (value === undefined || value === 0) return '–';
  if (value >= 1000) return `${(value / 1000).toFixed(1)} s`;
  return `${value.toFixed(value < 10 ? 1 : 0)} ms`;
}

/** +12 %, −3 % @param {number | undefined} value */
export const signed = (value) =>
  value === undefined ? '–' : `${value > 0 ? '+' : value < 0 ? '−' : ''}${Math.abs(value).toFixed(1)} %`;

/** The page is in English, whatever the browser's language: not half of it in another, nor with an hour 24. */
const written = (/** @type {Intl.DateTimeFormatOptions} */ options) => new Intl.DateTimeFormat('en-GB', options);
const TIME = written({ hour: '2-digit', minute: '2-digit', second: '2-digit' });
const CLOCK = written({ hour: '2-digit', minute: '2-digit' });
const DAY = written({ day: 'numeric', month: 'short' });

/** Whose time it is that the page shows: Europe/Berlin */
export const zone = () => TIME.resolvedOptions().timeZone;

/** @param {number} at */
export const time = (at) => TIME.format(at);

/** How long: 12 s, 4 min, 3 h, 2 d @param {number} value in ms */
export function span(value) {
  const seconds = Math.max(0, Math.round(value / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
  return `${Math.floor(seconds / 86_400)} d ${Math.floor((seconds % 86_400) / 3600)} h`;
}

/** With the day where it is not today. @param {number} at */
export const when = (at) =>
  new Date(at).toDateString() === new Date().toDateString() ? time(at) : `${day(at)} ${clock(at)}`;

const day = (at) => DAY.format(at);
const clock = (at) => CLOCK.format(at);

/** As fine as the axis is long. @param {number} at @param {number} length ms */
export const axisTime = (at, length) =>
  length < 3 * 3_600_000
    ? time(at)
    : length < 36 * 3_600_000
      ? clock(at)
      : length < 10 * 86_400_000
        ? `${day(at)} ${clock(at)}`
        : day(at);

/** 12 B/s, 3.4 kB/s @param {number | undefined} value */
export function bytes(value) {
  if (value === undefined) return '–';
  const unit = ['B/s', 'kB/s', 'MB/s', 'GB/s'];
  const step = value < 1 ? 0 : Math.min(3, Math.floor(Math.log10(value) / 3));
  return `${(value / 1000 ** step).toFixed(step === 0 ? 0 : 1)} ${unit[step]}`;
}
