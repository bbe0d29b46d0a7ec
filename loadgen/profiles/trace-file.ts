// Reads recorded loads in the forms they are published in. Pure: text in, a series of counts out.
//
//   time and count a line   "1998-04-30 21:30:00,2" under a header or without one; the usual distance of the times is the interval
//   step and count a line   "0.5,230634.0;" (LIMBO); how long a step is stands in the file's name at best ("hourly", "15min"),
//                           else it is taken as a minute
//   a function a row        "HashFunction,…,1,2,3,…": columns 1, 2, 3… are the invocations in each minute, added up over the rows
//   an arrival a line       "2023-11-16 18:15:46.6805900,374,44" under "TIMESTAMP,…": counted by the second
//
// Cells stand between commas, semicolons (then a number may have a decimal comma) or tabs, in quotes or not. Times are in
// trace-time.ts.
import { OptionError } from '../workload/option-error.ts';
import { timeOf } from './trace-time.ts';
import type { Trace } from './trace.ts';

/** Throws an OptionError that says in one sentence what is wrong with `name`. */
export function parseTrace(text: string, name: string): Trace {
  const rows = rowsOf(text);
  const [first] = rows;
  const trace = first === undefined ? undefined : formOf(first, name)(rows, name);
  if (trace === undefined || trace.counts.length === 0)
    throw new OptionError(`The trace ${name} has no line with a count.`);
  return trace;
}

interface Row {
  /** In the file, from 1 on. */
  readonly line: number;
  readonly cells: readonly string[];
  readonly separator: string;
}

function rowsOf(text: string): readonly Row[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/);
  const sample = lines.find((line) => line.trim() !== '')?.replace(/;\s*$/, '') ?? '';
  const separator = ['\t', ';'].find((each) => sample.includes(each)) ?? ',';
  return lines.flatMap((line, i) =>
    line.trim() === ''
      ? []
      : [{ line: i + 1, separator, cells: line.replace(/;\s*$/, '').split(separator).map(unquoted) }],
  );
}

const unquoted = (cell: string): string =>
  cell
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .trim();

type Form = (rows: readonly Row[], name: string) => Trace;

const COUNT = /^(count|value|requests?|hits|arrivals|invocations|y)\b/i;

function formOf({ cells, separator }: Row, name: string): Form {
  const [first = '', second = ''] = cells;
  if (isTime(first)) return cells.length === 1 ? arrivalTimes(0) : timedCounts(0);
  if (isNumber(first)) return numberedSteps;
  if (cells.includes('1') && cells.includes('2')) return functionRows;
  if (COUNT.test(second) || (cells.length === 2 && /^(time|date|period|ds)\b/i.test(first))) return timedCounts(1);
  if (/^(timestamp|time)\b/i.test(first)) return arrivalTimes(1);
  throw new OptionError(
    `The trace ${name} has none of the known forms: its first line is "${cells.join(separator).slice(0, 60)}".`,
  );
}

/** After so many lines of header. */
const timedCounts =
  (header: number): Form =>
  (rows, name) => {
    const points = rows
      .slice(header)
      .map((row) => ({ at: timeIn(row, name), count: countIn(row.cells[1] ?? '', row, name) }))
      .sort((a, b) => a.at - b.at);
    const [first] = points;
    if (first === undefined) return { interval: MINUTE, counts: [] };
    const gap = usualGap(points.map(({ at }) => at));
    const interval = ROUND.find((round) => gap !== undefined && near(gap, round)) ?? gap;
    if (interval === undefined)
      return { interval: MINUTE, counts: [points.reduce((sum, { count }) => sum + count, 0)] };
    return { interval, counts: binned(points, interval, name) };
  };

/**
 * How far the times are apart: most of them, if most are about as far apart (a clock that is a second late makes no
 * interval of a second), else the closest. What a longer gap leaves out were intervals without a request.
 */
function usualGap(times: readonly number[]): number | undefined {
  const gaps = times.flatMap((at, i) => {
    const gap = at - (times[i - 1] ?? at);
    return gap > 0 ? [gap] : [];
  });
  gaps.sort((a, b) => a - b);
  const [shortest, middle = 0] = [gaps[0], gaps[Math.floor(gaps.length / 2)]];
  if (shortest === undefined || middle === shortest) return shortest;
  if (2 * gaps.filter((gap) => near(gap, middle)).length <= gaps.length) return shortest;
  return middle;
}

/** But for a tenth. */
const near = (gap: number, of: number): boolean => Math.abs(gap - of) <= of / 10;

const numberedSteps: Form = (rows, name) => {
  const interval = stepIn(name);
  const points = rows.map((row) => ({
    at: numberIn(row.cells[0] ?? '', row),
    count: countIn(row.cells[1] ?? '', row, name),
  }));
  const wrong = rows[points.findIndex(({ at }) => !Number.isFinite(at))];
  if (wrong !== undefined)
    throw new OptionError(
      `Line ${wrong.line} of the trace ${name} has no step: "${(wrong.cells[0] ?? '').slice(0, 40)}".`,
    );
  const step = interval / (usualGap(points.map(({ at }) => at).sort((a, b) => a - b)) ?? 1);
  return {
    interval,
    counts: binned(
      points.map(({ at, count }) => ({ at: at * step, count })),
      interval,
      name,
    ),
  };
};

/** By the file's own name, whatever folders it is in. */
function stepIn(path: string): number {
  const name = path.replace(/^.*[/\\]/, '');
  const [, number, unit = ''] = /(\d+)[-_ ]?(s|sec|min|h|hours?)(?![a-z])/i.exec(name) ?? [];
  if (Number(number) > 0) return Number(number) * (/^s/i.test(unit) ? SECOND : /^m/i.test(unit) ? MINUTE : 60 * MINUTE);
  return /hourly|per[-_ ]hour/i.test(name) ? 60 * MINUTE : MINUTE;
}

const functionRows: Form = ([head, ...rows], name) => {
  const from = head?.cells.indexOf('1') ?? 0;
  const counts = (head?.cells ?? []).slice(from).map(() => 0);
  for (const row of rows)
    row.cells.slice(from).forEach((cell, minute) => {
      counts[minute] = (counts[minute] ?? 0) + countIn(cell, row, name);
    });
  return { interval: MINUTE, counts };
};

const arrivalTimes =
  (header: number): Form =>
  (rows, name) => ({
    interval: SECOND,
    counts: binned(
      rows.slice(header).map((row) => ({ at: timeIn(row, name), count: 1 })),
      SECOND,
      name,
    ),
  });

const SECOND = 1000;
const MINUTE = 60 * SECOND;
/** What recordings are counted by. */
const ROUND = [
  1, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1200, 1800, 3600, 7200, 14_400, 21_600, 43_200, 86_400,
].map((seconds) => seconds * SECOND);
/** A year of seconds: more than that is a broken time in the file, not a trace. */
const MOST_INTERVALS = 366 * 86_400;

/** A time counts in the interval that it is nearest to the beginning of; a second's arrivals in that second. */
function binned(
  rows: readonly { readonly at: number; readonly count: number }[],
  interval: number,
  name: string,
): number[] {
  const start = rows.reduce((earliest, { at }) => Math.min(earliest, at), Infinity);
  const indexOf = (at: number): number => (interval === SECOND ? Math.floor : Math.round)((at - start) / interval);
  const length = rows.length === 0 ? 0 : rows.reduce((most, { at }) => Math.max(most, indexOf(at)), 0) + 1;
  if (length > MOST_INTERVALS)
    throw new OptionError(`The times in the trace ${name} are more than a year of intervals apart.`);
  const counts = new Array<number>(length).fill(0);
  for (const { at, count } of rows) counts[indexOf(at)] = (counts[indexOf(at)] ?? 0) + count;
  return counts;
}

function timeIn({ cells: [text = ''], line }: Row, name: string): number {
  const at = timeOf(text);
  if (at === undefined)
    throw new OptionError(
      `Line ${line} of the trace ${name} has no time: "${text.slice(0, 40)}"; one is like 2014-04-10 00:04:00, with +02:00 behind it where it isn't UTC, or seconds since 1970.`,
    );
  return at;
}

function countIn(text: string, row: Row, name: string): number {
  const count = numberIn(text, row);
  if (!Number.isFinite(count) || count < 0)
    throw new OptionError(`Line ${row.line} of the trace ${name} has no count: "${text.slice(0, 40)}".`);
  return count;
}

/** NaN where it is none. A comma can be a decimal one where it isn't the separator. */
const numberIn = (text: string, { separator }: Pick<Row, 'separator'>): number =>
  text === '' ? NaN : Number(separator === ',' ? text : text.replace(/^(-?\d+),(\d+)$/, '$1.$2'));

const isTime = (text: string): boolean => timeOf(text) !== undefined;
const isNumber = (text: string): boolean =>
  text !== '' && Number.isFinite(Number(text.replace(/^(\d+),(\d+)$/, '$1.$2')));
