// What a sheet may say in two ways is refused here, in one sentence each: a trace that is read as another one is worse than none.
import { OptionError } from '../workload/option-error.ts';
import type { Point } from './trace-intervals.ts';
import { isDay, type Row, type Sheet } from './trace-sheet.ts';
import { timeOf } from './trace-time.ts';

interface Named extends Sheet {
  readonly name: string;
}

/** Cells beyond those of the head: a comma of thousands, or two columns without a name. */
export function checkCells({ names, rows, name, separator }: Named): void {
  const most = names?.length ?? 2;
  for (const { cells, line } of rows) {
    if (cells[0] === names?.[0] && cells.length === names?.length && cells.every((cell, i) => cell === names[i]))
      throw new OptionError(
        `Line ${line} of the trace ${name} is its first line again: take apart what was written one behind the other.`,
      );
    const extra = cells.findLastIndex((cell) => cell !== '') + 1;
    if (extra > most && (names !== undefined || cells.length > 2))
      throw new OptionError(
        names === undefined
          ? `Line ${line} of the trace ${name} has ${extra} columns and nothing says which is what: give it a first line like time,count.`
          : `Line ${line} of the trace ${name} has ${extra} cells where its first line has ${most}: ${separator === undefined ? 'each needs a name, and one with spaces in it quotes' : 'a number with a comma in it needs quotes, or none'}.`,
      );
  }
}

/** Of k6 and of time series databases: what is in a line says its metric. */
export function checkMetrics({ names = [], rows, name }: Named): void {
  const at = names.findIndex((each) => /^(metric([_ ]?name)?|series|variable|_field|_measurement)$/i.test(each));
  const metrics = new Set(rows.map(({ cells }) => cells[at]));
  if (at >= 0 && metrics.size > 1)
    throw new OptionError(
      `The trace ${name} has lines of several metrics (${[...metrics].slice(0, 3).join(', ')}${metrics.size > 3 ? '…' : ''}): leave those that count requests.`,
    );
}

const THOUSANDS =
  /^(k|kilo|thousands?|tausend|tsd|miles|milhares|milliers|migliaia|mega|mio|millions?|[km](rps|qps|tps|reqs?|requests?|hits|ops))$/i;
const NO_REQUESTS =
  /cpu|util|latenc|latenz|memor|mémoire|speicher|auslastung|antwortzeit|dauer|durat|elapsed|respon[sc]e[ _-]?time|load[ _]?av|%/i;
/** Units of something else, and what a request was of. */
const OTHER_UNIT =
  /^(bits?|bytes?|tokens?|percent|percentage|pct|prozent|[kmgt](bits?|bytes?|bps|ib|i?b)|[kmg]hz|[kmgt]wh?|watts?)$/i;
/** Last words: what was measured of requests, or of anything; a rate per ms is one. */
const MEASURED = /(?<![a-z])(?<!per[ _-]|\/ ?)(sizes?|rtt|prices?|temperatures?|p\d\d(\.\d+)?|ms)$/i;

/** What the name of the column says it counts. */
export function checkName(column: string, name: string): void {
  if (column.split(/[^\p{L}]+/u).some((word) => THOUSANDS.test(word)))
    throw new OptionError(`The trace ${name} counts in thousands or more ("${column}"): write its numbers out.`);
  const inOther = column.split(/[^\p{L}]+/u).some((word) => OTHER_UNIT.test(word));
  if (
    inOther ||
    NO_REQUESTS.test(column) ||
    MEASURED.test(column.replace(/[)\]]+$/, '').replace(/([a-z])([A-Z])/g, '$1 $2'))
  )
    throw new OptionError(`The trace ${name} counts no requests: its numbers are "${column}".`);
}

/** 1.234 and 1,234 are thousands for some and have three decimals for others; a number in the column may tell which. */
const GROUPED = /^[1-9]\d{0,2}[.,]\d{3}$/;
const FRACTION = /^(\d*[.,](\d{1,2}|\d{4,})|0[.,]\d+|\d{4,}[.,]\d+)$/;

export function checkGroups(rows: readonly Row[], at: number, { name, separator }: Named): void {
  if (separator === ',') return;
  const cells = rows.map((row) => ({ row, text: row.cells[at] ?? '' }));
  const grouped = cells.find(({ text }) => GROUPED.test(text));
  if (grouped === undefined || cells.some(({ text }) => FRACTION.test(text))) return;
  throw new OptionError(
    `Line ${grouped.row.line} of the trace ${name} may mean thousands or three decimals ("${grouped.text}"): write thousands without a mark, decimals with another number of digits.`,
  );
}

/** Where nothing but its time tells a line from another. */
export function checkOnce(rows: readonly Row[], times: readonly number[], { names, name }: Named): void {
  if ((names?.length ?? 2) > 2) return;
  const lines = new Map<number, number>();
  times.forEach((time, i) => {
    const line = rows[i]?.line ?? 0;
    const before = lines.get(time);
    if (before !== undefined)
      throw new OptionError(
        `Line ${line} of the trace ${name} has the time of line ${before}, "${rows[i]?.cells.join(', ').slice(0, 40)}": leave one, or add them up; where local clocks were set back, write times with their offset.`,
      );
    lines.set(time, line);
  });
}

const PART = /^(years?|yr|months?|mon|mnth|days?|weekday|day[ _]of[ _]week|hours?|hr|hrs|minutes?|mins?)$/i;
const PART_OF_DAY =
  /^(time|.*(?<![a-z])(hours?|hr|hrs|minutes?|mins?|slots?|periods?|intervals?|bins?|buckets?|steps?)(?![a-z]).*)$/i;

/** In counts a change of the interval, or none at all, is neither a clock that is late nor an interval that was left out. */
export function checkEven(points: readonly Point[], interval: number, name: string): void {
  const inOrder = points.toSorted((a, b) => a.at - b.at);
  const steps = inOrder.slice(1).flatMap(({ at, count }, i) => {
    const gap = (at - (inOrder[i]?.at ?? at)) / interval;
    return gap > 0 ? [{ gap, apart: Math.round(gap), count }] : [];
  });
  const odd = steps.filter(({ gap, apart }) => Math.abs(gap - apart) > 0.25).length;
  const ask = 'write a line for each interval';
  if (steps.length > ENOUGH && odd > steps.length / ENOUGH)
    throw new OptionError(
      `The times of the trace ${name} are no whole intervals apart, so nobody knows over how long each line counts: ${ask}.`,
    );
  const usual = meanOf(steps.filter(({ apart }) => apart === 1));
  for (const apart of new Set(steps.map((step) => step.apart))) {
    const others = steps.filter((step, i) => step.apart === apart && steps[i - 1]?.apart === apart);
    // what comes every five minutes comes so, too, but not five times as much
    if (apart > 1 && others.length >= ENOUGH && meanOf(others) > (usual * apart) / 2)
      throw new OptionError(
        `The trace ${name} counts by ${interval / 1000} s, and in another part by ${(apart * interval) / 1000} s: take it apart, or ${ask}.`,
      );
  }
}

const meanOf = (points: readonly { readonly count: number }[]): number =>
  points.reduce((sum, { count }) => sum + count, 0) / points.length;

/** Trips have a number of passengers, requests one of bytes: of what comes at any time a number says what it was. */
export function checkScattered(column: string, name: string): never {
  throw new OptionError(
    `The lines of the trace ${name} come at any time, and may be requests each or count them ("${column}"): name that "count", or leave it out.`,
  );
}

/** Parts of the times that stand in columns of their own: what is left comes again and again. */
export function checkParts({ names = [], rows, name }: Named, times: readonly number[], at: number): void {
  if (new Set(times).size === times.length) return;
  const days = rows.every(({ cells }) => isDay(cells[at] ?? ''));
  const isPart = (each: string): boolean =>
    (!days && PART.test(each)) || PART_OF_DAY.test(each.replace(/([a-z])([A-Z])/g, '$1 $2'));
  const parts = names.filter((each, i) => i === at || isPart(each));
  const isWhole = !days && rows.some(({ cells }) => timeOf(cells[at] ?? '') !== undefined);
  if (parts.length > 1 && !isWhole)
    throw new OptionError(
      `The trace ${name} has parts of its times in several columns (${parts.join(', ')}): write each time in one, like 2014-04-10 00:04:00.`,
    );
}

/** Whole numbers without a unit: seconds, or thousandths of them. */
export function checkWhole(numbers: readonly string[], name: string): void {
  if (numbers.length > 1 && numbers.every((each) => /^\d+$/.test(each) && timeOf(each) === undefined))
    throw new OptionError(
      `The times of the trace ${name} are whole numbers, and nothing says of what: name their column "seconds", "ms" or "us".`,
    );
}

/** Numbers without any name: a count a line, or the time of an arrival, or how far it was behind the last. */
export function checkAlone(numbers: readonly number[], name: string): void {
  const ask = 'give them a first line that says what they are, like requests or seconds';
  const isLater = (number: number, i: number): boolean => number > (numbers[i - 1] ?? number);
  const fall = numbers.some((number, i) => number < (numbers[i - 1] ?? number));
  if (!fall && numbers.length > ENOUGH && 2 * numbers.filter(isLater).length > numbers.length)
    throw new OptionError(
      `The lines of the trace ${name} are numbers alone that never fall, counts or times of arrivals: ${ask}.`,
    );
  if (2 * numbers.filter((number) => !Number.isInteger(number)).length > numbers.length)
    throw new OptionError(
      `The lines of the trace ${name} are numbers alone with fractions, rates or times between arrivals: ${ask}.`,
    );
}

/** A day a row and its hours as columns look like a function a row and its minutes. */
export function checkFunctions({ names = [], rows, name }: Named, from: number): void {
  const hasTime = ({ cells }: Row): boolean => cells.slice(0, from).some((cell) => timeOf(cell) !== undefined);
  const cut = rows.find(({ cells }) => cells.length < names.length);
  if (cut !== undefined)
    throw new OptionError(
      `Line ${cut.line} of the trace ${name} has ${cut.cells.length} cells where its first line has ${names.length}: it was cut off.`,
    );
  const inOrder = names.slice(from).every((each, i) => each === String(i + 1));
  if (!inOrder || names.includes('0') || (rows.length > 0 && rows.every(hasTime)))
    throw new OptionError(
      `The trace ${name} has many columns of counts, and they aren't the minutes of a function a row: write a line with its time for each count.`,
    );
}

const ENOUGH = 10;

/** `column`: the name of the counts, if they have one. */
export function checkSums(counts: readonly number[], column: string | undefined, name: string): void {
  const last = counts.at(-1) ?? 0;
  const others = counts.slice(0, -1).reduce((sum, count) => sum + count, 0);
  if (counts.length > ENOUGH && last > 0 && last === others)
    throw new OptionError(`The last line of the trace ${name} is the sum of all others: leave it out.`);
  // a counter begins anew where what counts was restarted
  const falls = counts.filter((count, i) => count < (counts[i - 1] ?? 0)).length;
  const rises = counts.filter((count, i) => count > (counts[i - 1] ?? count)).length;
  if (
    column !== undefined &&
    /total|cumul|counter|^values?$/i.test(column) &&
    counts.length >= ENOUGH &&
    rises > 19 * falls
  )
    throw new OptionError(
      `The column "${column}" of the trace ${name} ${falls === 0 ? 'never' : 'hardly ever'} falls: where it counts on from the beginning, write what came in each interval, else name it "requests".`,
    );
}

/** Numbers without a unit that are not 1, 2, 3…; seconds, minutes or days of a spreadsheet. */
export function checkSteps(first: number, gap: number | undefined, named: boolean, name: string): void {
  if (first >= 20_000 && first < 100_000 && gap !== undefined && (gap < 1 || (gap === 1 && !named)))
    throw new OptionError(
      `The times of the trace ${name} look like days of a spreadsheet (${first}): write them like 2014-04-10 00:04:00.`,
    );
  if (gap === undefined || named || gap === 1 || gap === 60) return;
  throw new OptionError(
    `The times of the trace ${name} are ${gap} apart, and nothing says ${gap} of what: name their column "seconds" or "minutes", or the file for its steps, like load-15min.csv.`,
  );
}
