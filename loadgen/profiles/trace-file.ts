// Reads recorded loads in the forms they are published in. Pure: text in, a series of counts out.
//
//   time and count a line   "1998-04-30 21:30:00,2": the usual distance of the times is the interval
//   step and count a line   "0.5,230634.0;" (LIMBO): how long a step is says its column ("minute") or the file's name ("hourly",
//                           "15min"), else it is taken as a minute
//   a count a line          each a step
//   an arrival a line       "2023-11-16 18:15:46.6805900,374,44" under "TIMESTAMP,…": counted by the second (or minute, hour, day where
//                           all times are whole ones)
//   a web server's log      "… [01/Jul/1995:00:00:01 -0400] …": each line an arrival
//   a function a row        "HashFunction,…,1,2,3,…": columns 1, 2, 3… are the invocations in each minute, added up over the rows
//
// Or JSON: an object or an array with the same a line, or an array of them.
//
// How cells are kept apart is in trace-sheet.ts, which are times and counts in trace-columns.ts, what a time is in trace-time.ts, what could be
// meant in two ways, and is refused, in trace-doubts.ts.
import type { Millis } from '../../src/model.ts';
import { OptionError } from '../workload/option-error.ts';
import { columnsOf, isPlain, saysWhich, type Column } from './trace-columns.ts';
import { binned, isEven, isScattered, MINUTE, SECOND, stepIn, usualGap, usualInterval } from './trace-intervals.ts';
import {
  checkAlone,
  checkCells,
  checkEven,
  checkFunctions,
  checkGroups,
  checkMetrics,
  checkName,
  checkOnce,
  checkParts,
  checkScattered,
  checkSteps,
  checkSums,
  checkWhole,
} from './trace-doubts.ts';
import { isJson, sheetOfJson } from './trace-json.ts';
import { hasMinutes, isNumber, numberIn, sheetOf, withWholeTimes, type Row, type Sheet } from './trace-sheet.ts';
import { timeInLog, timeOf } from './trace-time.ts';
import type { Trace } from './trace.ts';

interface Recording extends Sheet {
  /** The file's. */
  readonly name: string;
}

/** What some 2 GB hold. */
const MOST_ROWS = 3e6;

/** Lines, and what stands in brackets in JSON. */
function rowsIn(text: string): number {
  let rows = 0;
  for (let i = 0; i < text.length; i++) {
    const sign = text.charCodeAt(i);
    if (sign === 10 || sign === 93 || sign === 125 || (sign === 13 && text.charCodeAt(i + 1) !== 10)) rows += 1;
  }
  return rows;
}

/** Throws an OptionError that says in one sentence what is wrong with `name`. */
export function parseTrace(text: string, name: string): Trace {
  if (rowsIn(text) > MOST_ROWS)
    throw new OptionError(
      `The trace ${name} has more than ${MOST_ROWS / 1e6} million lines: count its arrivals by the second, or leave a part of it.`,
    );
  const trace =
    timeInLog(text.slice(0, 2_000).trimStart().split('\n')[0] ?? '') === undefined
      ? sheetTrace({ ...withWholeTimes(isJson(text) ? sheetOfJson(text, name) : sheetOf(text)), name })
      : loggedTrace(text, name);
  if (trace.counts.length === 0) throw new OptionError(`The trace ${name} has no line with a count.`);
  return trace;
}

function sheetTrace(recording: Recording): Trace {
  const { names, rows, name } = recording;
  checkCells(recording);
  checkMetrics(recording);
  if (names === undefined) return namelessTrace(recording);
  if (hasMinutes(names)) return functionRows(recording, names);
  const { time, counts: named } = columnsOf(names);
  // "GET / HTTP/1.1" under "request" is what came, not how many
  const isText = ({ at }: Column): boolean =>
    names.length > 2 && rows.length > 0 && rows.every(({ cells }) => isWords(cells[at]));
  const counts = named.filter((column) => !isText(column));
  const [count, another] = counts;
  if (another !== undefined)
    throw new OptionError(
      `The trace ${name} has several columns that can be its counts (${counts.map(({ at }) => names[at]).join(', ')}): leave one of them.`,
    );
  if (count !== undefined && (time !== undefined || names.length === 1)) return series(recording, { time, count });
  if (time === undefined) throw unknownForm(names.join(', '), name);
  if (rows.length === 0) return NOTHING;
  const which = names.every((each, at) => at === time.at || saysWhich(each));
  if (which || !isEven(rows.map((row) => arrivalIn(row, time, recording)))) {
    for (const each of names) if (/\b(min|max|avg|mean|average)\b/i.test(each)) checkName(each, name);
    return arrivals(recording, time);
  }
  if (names.length === 2) return series(recording, { time, count: { at: 1 - time.at } });
  throw new OptionError(
    `The trace ${name} doesn't say which of its columns (${names.join(', ')}) is the count: name it "count".`,
  );
}

const isWords = (cell = ''): boolean =>
  /^[\p{L}/]/u.test(cell) && !/^(nan|na|n\/a|null|none|nil|undefined|inf|infinity|true|false)$/i.test(cell);

const NOTHING: Trace = { interval: MINUTE, counts: [] };

function namelessTrace(recording: Recording): Trace {
  const [first] = recording.rows;
  if (first === undefined) return NOTHING;
  const [start = ''] = first.cells;
  const [, second = ''] = first.cells;
  const alone = first.cells.length === 1;
  // eight digits alone are a date only with something beside it
  const isTime = timeOf(start) !== undefined && !(alone && /^\d{8}$/.test(start));
  if (!isTime && !isNumber(start, recording.decimalComma)) throw unknownForm(first.cells.join(', '), recording.name);
  const behind =
    !isTime && timeOf(second) !== undefined && isEven(recording.rows.map(({ cells }) => timeOf(cells[1] ?? '') ?? NaN));
  if (behind) return series(recording, { time: { at: 1 }, count: { at: 0 } });
  if (!alone) return series(recording, { time: { at: 0 }, count: { at: 1 } });
  if (isTime) return arrivals(recording, { at: 0 });
  checkAlone(
    recording.rows.map(({ cells: [number = ''] }) => numberIn(number, recording.decimalComma)),
    recording.name,
  );
  return series(recording, { count: { at: 0 } });
}

const unknownForm = (line: string, name: string): OptionError =>
  new OptionError(
    `The trace ${name} has none of the known forms (a count a line with its time or step, an arrival a line, a log, a function a row): its first line is "${line.slice(0, 60)}".`,
  );

interface Chosen {
  readonly time?: Column | undefined;
  readonly count: Column;
}

function series(recording: Recording, { time, count }: Chosen): Trace {
  const { rows, name, names } = recording;
  const column = names?.[count.at];
  if (column !== undefined) checkName(column, name);
  checkGroups(rows, count.at, recording);
  const counts = rows.map((row) => countIn(row, count, recording));
  checkSums(counts, column, name);
  const { interval, times } = timesOf(recording, time);
  checkOnce(rows, times, recording);
  if (time !== undefined) checkParts(recording, times, time.at);
  if (column !== undefined && (names?.length ?? 0) > 2 && !isPlain(column) && isScattered(times))
    checkScattered(column, name);
  const points = times.map((at, i) => ({ at, count: counts[i] ?? 0 }));
  checkEven(points, interval, name);
  const { unit = interval } = count;
  if (Number.isNaN(unit))
    throw new OptionError(`The trace ${name} says "${column ?? ''}", and that is no time that counts are per.`);
  return { interval, counts: binned(points, interval, name).map((rate) => (rate * interval) / unit) };
}

function timesOf(recording: Recording, time: Column | undefined): { interval: Millis; times: readonly Millis[] } {
  const { rows, name } = recording;
  const step = stepIn(name);
  if (time === undefined) return { interval: step ?? MINUTE, times: rows.map((_, i) => i * (step ?? MINUTE)) };
  const first = rows[0]?.cells[time.at] ?? '';
  const areSteps = time.unit === undefined && timeOf(first) === undefined && isNumber(first, recording.decimalComma);
  if (!areSteps) {
    const times = rows.map((row) => timeIn(row, time, recording));
    return { interval: usualInterval(times) ?? time.unit ?? MINUTE, times };
  }
  const steps = rows.map((row) => stepAt(row, time, recording));
  const gap = usualGap(steps);
  checkSteps(steps[0] ?? 0, gap, step !== undefined, name);
  const interval = step ?? MINUTE;
  return { interval, times: steps.map((number) => number * (interval / (gap ?? 1))) };
}

function functionRows(recording: Recording, names: readonly string[]): Trace {
  const { rows } = recording;
  const from = names.indexOf('1');
  checkFunctions(recording, from);
  const counts = names.slice(from).map(() => 0);
  for (const row of rows)
    counts.forEach((sum, minute) => {
      counts[minute] = sum + countIn(row, { at: from + minute }, recording);
    });
  return { interval: MINUTE, counts };
}

function arrivals(recording: Recording, time: Column): Trace {
  const { rows, name } = recording;
  const times = rows.map((row) => arrivalIn(row, time, recording));
  checkParts(recording, times, time.at);
  if (time.unit === undefined)
    checkWhole(
      rows.map(({ cells }) => cells[time.at] ?? ''),
      name,
    );
  return counted(times, name);
}

/** Numbers with decimals are seconds if their column says nothing else. */
const arrivalIn = (row: Row, time: Column, recording: Recording): Millis =>
  timeIn(row, { unit: SECOND, ...time }, recording);

function loggedTrace(text: string, name: string): Trace {
  const lines = text.split('\n');
  const times = lines.flatMap((content, i) => {
    const at = timeInLog(content);
    // NASA's of July 1995 ends in the middle of its last line
    if (at === undefined && content.trim() !== '' && i < lines.length - 1)
      throw new OptionError(`Line ${i + 1} of the log ${name} has no time like [01/Jul/1995:00:00:01 -0400].`);
    return at ?? [];
  });
  return counted(times, name);
}

/** By the second, or by what all times are told to: those of a minute would all come in its first second else. */
function counted(times: readonly Millis[], name: string): Trace {
  const together = new Set(times).size < times.length;
  const isGrain = (grain: Millis): boolean => together && times.every((at) => at % grain === 0);
  const interval = [24 * 60 * MINUTE, 60 * MINUTE, MINUTE].find(isGrain) ?? SECOND;
  const points = times.map((at) => ({ at, count: 1 }));
  return { interval, counts: binned(points, interval, name) };
}

/** What the sheet says beside its rows. */
type Told = Pick<Recording, 'name' | 'decimalComma'>;

function timeIn({ cells, line }: Row, { at, unit = NaN }: Column, { name, decimalComma }: Told): Millis {
  const text = cells[at] ?? '';
  const number = numberIn(text, decimalComma) * unit;
  // thousandths of a millisecond may have as many digits as seconds since 1970, and milliseconds as many as a date
  const time = unit < 1 || (unit <= SECOND && /^\d{8}$/.test(text)) ? number : (timeOf(text) ?? number);
  if (Number.isFinite(time)) return time;
  throw new OptionError(
    `Line ${line} of the trace ${name} has no time: "${text.slice(0, 40)}"; one is like 2014-04-10 00:04:00, with +02:00 behind it where it isn't UTC, or seconds since 1970.`,
  );
}

function stepAt({ cells, line }: Row, { at }: Column, { name, decimalComma }: Told): number {
  const text = cells[at] ?? '';
  const step = numberIn(text, decimalComma);
  if (Number.isFinite(step)) return step;
  throw new OptionError(`Line ${line} of the trace ${name} has no step: "${text.slice(0, 40)}".`);
}

function countIn({ cells, line }: Row, { at }: Column, { name, decimalComma }: Told): number {
  const text = cells[at] ?? '';
  const count = numberIn(text, decimalComma);
  if (count >= 0 && count <= Number.MAX_SAFE_INTEGER) return count;
  throw new OptionError(`Line ${line} of the trace ${name} has no count: "${text.slice(0, 40)}".`);
}
