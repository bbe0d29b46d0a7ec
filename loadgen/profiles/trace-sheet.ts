// A recorded load as a sheet of cells, as people keep them: between commas, semicolons, tabs or spaces, in quotes or not,
// with remarks, under names of columns or without.
import { timeOf } from './trace-time.ts';

export interface Row {
  /** In the file, from 1 on. */
  readonly line: number;
  readonly cells: readonly string[];
}

export interface Sheet {
  /** Names of the columns, where the first line has them. */
  readonly names?: readonly string[];
  readonly rows: readonly Row[];
  /** A comma is a decimal one where it doesn't stand between cells. */
  readonly decimalComma: boolean;
  /** What stands between cells; undefined: spaces. */
  readonly separator: string | undefined;
}

export function sheetOf(text: string): Sheet {
  // Excel writes and reads the separator so
  const [declaration = '', declared] = /^\uFEFF?"?sep=([;,\t|])"?[ \t]*(\r\n|\r|\n)/i.exec(text) ?? [];
  const rows: Row[] = [];
  let separator: string | undefined;
  let line = declared === undefined ? 0 : 1;
  // one after the other: there may be millions
  for (const [written] of text
    .slice(declaration.length)
    .replace(/^\uFEFF/, '')
    .matchAll(LINE)) {
    line += 1;
    const content = written.replace(/;\s*$/, '').trimEnd();
    if (/^\s*(#|\/\/|%|$)/.test(content)) continue;
    if (rows.length === 0) separator = declared ?? separatorIn(content);
    rows.push({ line, cells: separator === undefined ? wordsOf(content) : cellsOf(content, separator) });
  }
  const decimalComma = separator !== ',';
  const [first, ...others] = rows;
  if (first === undefined || !isHead(first.cells, others[0]?.cells ?? [], decimalComma))
    return { rows, decimalComma, separator };
  return { names: first.cells, rows: others, decimalComma, separator };
}

const LINE = /[^\r\n]*(\r\n|\r|\n|$)/g;

/** Where tabs and semicolons stand between all cells the tabs are for the eye. */
const separatorIn = (sample: string): string | undefined =>
  [...(/;\t/.test(sample) ? [';'] : []), '\t', ';', ',', '|'].find((each) => sample.includes(each));

/** A function's minutes are named 1, 2, 3…, and a column without a name 0 by pandas; other names are no numbers. */
function isHead(cells: readonly string[], [next = '']: readonly string[], decimalComma: boolean): boolean {
  const isData = (cell: string): boolean => timeOf(cell) !== undefined || isNumber(cell, decimalComma);
  const [start = '', ...others] = cells;
  if (isData(start)) return false;
  const named = hasMinutes(cells) || !others.some(isData);
  return named || (timeOf(next) !== undefined && !others.some((cell) => cell !== '0' && isData(cell)));
}

export const hasMinutes = (names: readonly string[]): boolean => names.includes('1') && names.includes('2');

const NUMBER = /^[-+]?(\d+(?:\.\d*)?|\.\d+)(e[-+]?\d+)?$/i;

/** NaN where it is none. */
export function numberIn(text: string, decimalComma: boolean): number {
  const plain = decimalComma ? text.replace(/^(-?\d+),(\d+)$/, '$1.$2') : text;
  return NUMBER.test(plain) ? Number(plain) : NaN;
}

export const isNumber = (text: string, decimalComma: boolean): boolean => Number.isFinite(numberIn(text, decimalComma));

function cellsOf(content: string, separator: string): readonly string[] {
  if (!content.includes('"')) return content.split(separator).map((cell) => cell.trim());
  const cells = [''];
  let quoted = false;
  for (const sign of content) {
    if (sign === '"') quoted = !quoted;
    else if (sign === separator && !quoted) cells.push('');
    else cells[cells.length - 1] += sign;
  }
  return cells.map((cell) => cell.trim());
}

/** A time may have spaces in it. */
function wordsOf(content: string): readonly string[] {
  const words = (content.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replace(/^"(.*)"$/, '$1'));
  for (const length of [3, 2]) {
    const time = words.slice(0, length).join(' ');
    if (words.length >= length && timeOf(time) !== undefined) return [time, ...words.slice(length)];
  }
  return words;
}

const DAY = /^(\d{4}[-/]\d\d?[-/]\d\d?|(19|20)\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01]))$/;
const CLOCK = /^\d\d?:\d\d(:\d\d([.,]\d+)?)?$/;
const HOUR = /^(0?\d|1\d|2[0-3])$/;
const MINUTE = /^[0-5]?\d$/;

/** The day that a cell says, and no time in it. */
export const isDay = (cell: string): boolean => DAY.test(cell);

/** The same, where the day and its time are in two columns: in one. */
export function withWholeTimes(sheet: Sheet): Sheet {
  const { names, rows } = sheet;
  const every = (at: number, form: RegExp): boolean => rows.every(({ cells }) => form.test(cells[at] ?? ''));
  const columns = (names ?? rows[0]?.cells ?? []).map((_, at) => at);
  const day = columns.find((at) => every(at, DAY));
  if (day === undefined || rows.length === 0) return sheet;
  const clock = columns.find((at) => every(at, CLOCK));
  const hour = columns.find((at) => /^h(ou)?rs?(?![a-z])/i.test(names?.[at] ?? '') && every(at, HOUR));
  const minute = columns.find((at) => /^min(ute)?s?$/i.test(names?.[at] ?? '') && every(at, MINUTE));
  const within = clock ?? hour;
  if (within === undefined) return sheet;
  const used = [day, within, ...(clock === undefined && minute !== undefined ? [minute] : [])];
  const joined = (cells: readonly string[]): readonly string[] => {
    const after = clock === undefined ? `:${(cells[minute ?? -1] ?? '').padStart(2, '0')}` : '';
    return [`${cells[day]} ${cells[within]}${after}`, ...cells.filter((_, at) => !used.includes(at))];
  };
  return {
    ...sheet,
    ...(names && { names: ['time', ...names.filter((_, at) => !used.includes(at))] }),
    rows: rows.map(({ line, cells }) => ({ line, cells: joined(cells) })),
  };
}
