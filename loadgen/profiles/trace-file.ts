// Reads recorded loads in the forms they are published in. Pure: text in, a series of counts out.
//
//   time and count a line   "1998-04-30 21:30:00,2" under "period,count" or "timestamp,value"
//   step and count a line   "0.5,230634.0;" (LIMBO); how long a step is stands in the file's name at best ("hourly", "15min"),
//                           else it is taken as a minute
//   a function a row        "HashFunction,…,1,2,3,…": columns 1, 2, 3… are the invocations in each minute, added up over the rows
//   an arrival a line       "2023-11-16 18:15:46.6805900,374,44" under "TIMESTAMP,…": counted by the second
import { OptionError } from '../workload/option-error.ts';
import type { Trace } from './trace.ts';

/** Throws an OptionError that says in one sentence what is wrong with `name`. */
export function parseTrace(text: string, name: string): Trace {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  const header = (lines[0] ?? '').split(',').map((cell) => cell.trim());
  const trace = formOf(header)(lines, header, name);
  if (trace.counts.length === 0) throw new OptionError(`The trace ${name} has no line with a count.`);
  return trace;
}

type Form = (lines: readonly string[], header: readonly string[], name: string) => Trace;

function formOf(header: readonly string[]): Form {
  const [first = '', second = ''] = header;
  if (header.includes('1') && header.includes('2') && !isNumber(first)) return functionRows;
  if (/^(count|value)$/i.test(second)) return timedCounts;
  if (/^timestamp$/i.test(first)) return arrivalTimes;
  if (isNumber(first)) return numberedSteps;
  return (_lines, _header, name) => {
    throw new OptionError(
      `The trace ${name} has none of the known forms: its first line is "${header.join(',').slice(0, 60)}".`,
    );
  };
}

const timedCounts: Form = (lines, _header, name) => {
  const rows = lines.slice(1).map((line, i) => {
    const [time = '', value = ''] = line.split(',');
    return { at: timeIn(time, name, i + 2), count: countIn(value, name, i + 2) };
  });
  const [first] = rows;
  if (first === undefined) return { interval: MINUTE, counts: [] };
  // The shortest gap is the interval; what a longer gap leaves out were intervals without a request.
  const gaps = rows.slice(1).map((row, i) => row.at - (rows[i]?.at ?? 0));
  const interval = gaps.reduce((shortest, gap) => (gap > 0 && gap < shortest ? gap : shortest), Infinity);
  if (interval === Infinity) return { interval: MINUTE, counts: [first.count] };
  return { interval, counts: binned(rows, interval, name) };
};

const numberedSteps: Form = (lines, _header, name) => ({
  interval: /hourly/i.test(name) ? 60 * MINUTE : Number(/(\d+)-?min/i.exec(name)?.[1] ?? 1) * MINUTE,
  counts: lines.map((line, i) => countIn((line.split(',')[1] ?? '').replace(/;\s*$/, ''), name, i + 1)),
});

const functionRows: Form = (lines, header, name) => {
  const from = header.indexOf('1');
  const counts = header.slice(from).map(() => 0);
  lines.slice(1).forEach((line, i) => {
    line
      .split(',')
      .slice(from)
      .forEach((cell, minute) => {
        counts[minute] = (counts[minute] ?? 0) + countIn(cell, name, i + 2);
      });
  });
  return { interval: MINUTE, counts };
};

const arrivalTimes: Form = (lines, _header, name) => {
  const rows = lines.slice(1).map((line, i) => ({ at: timeIn(line.split(',')[0] ?? '', name, i + 2), count: 1 }));
  return { interval: SECOND, counts: binned(rows, SECOND, name) };
};

const SECOND = 1000;
const MINUTE = 60 * SECOND;
/** A year of seconds: more than that is a broken time in the file, not a trace. */
const MOST_INTERVALS = 366 * 86_400;

function binned(
  rows: readonly { readonly at: number; readonly count: number }[],
  interval: number,
  name: string,
): number[] {
  const start = rows.reduce((earliest, { at }) => Math.min(earliest, at), Infinity);
  const end = rows.reduce((latest, { at }) => Math.max(latest, at), -Infinity);
  const length = rows.length === 0 ? 0 : Math.floor((end - start) / interval) + 1;
  if (length > MOST_INTERVALS)
    throw new OptionError(`The times in the trace ${name} are more than a year of intervals apart.`);
  const counts = new Array<number>(length).fill(0);
  for (const { at, count } of rows) {
    const index = Math.floor((at - start) / interval);
    counts[index] = (counts[index] ?? 0) + count;
  }
  return counts;
}

/** "2014-04-10 00:04:00" or ISO 8601, with any number of decimals; UTC unless it says otherwise. */
function timeIn(text: string, name: string, line: number): number {
  const iso = text
    .trim()
    .replace(' ', 'T')
    .replace(/([.]\d{3})\d+/, '$1');
  const at = Date.parse(/(Z|[+-]\d\d:?\d\d)$/.test(iso) ? iso : `${iso}Z`);
  if (Number.isNaN(at)) throw new OptionError(`Line ${line} of the trace ${name} has no time: "${text.slice(0, 40)}".`);
  return at;
}

function countIn(text: string, name: string, line: number): number {
  const count = Number(text);
  if (text.trim() === '' || !Number.isFinite(count) || count < 0) {
    throw new OptionError(`Line ${line} of the trace ${name} has no count: "${text.slice(0, 40)}".`);
  }
  return count;
}

function isNumber(text: string): boolean {
  return text !== '' && Number.isFinite(Number(text));
}
