// A recorded load in JSON, as a sheet: what stands in an object under a name is a cell under that name.
import { OptionError } from '../workload/option-error.ts';
import type { Sheet } from './trace-sheet.ts';

export const isJson = (text: string): boolean => /^\uFEFF?\s*[[{]/.test(text);

type Line = string | number | boolean | null | readonly unknown[] | Readonly<Record<string, unknown>>;

export function sheetOfJson(text: string, name: string): Sheet {
  const lines = linesIn(text.replace(/^\uFEFF/, ''), name);
  const isRecord = ({ value }: Numbered): boolean =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const names =
    lines.length > 0 && lines.every(isRecord)
      ? [...new Set(lines.flatMap(({ value }) => Object.keys(value ?? {})))]
      : undefined;
  const rows = lines.map(({ value, line }) => {
    const values = names?.map((each) => (value as Record<string, unknown>)[each]) ?? [value].flat();
    return { line, cells: values.map((each) => cellOf(each, line, name)) };
  });
  return { ...(names && { names }), rows, decimalComma: false, separator: ',' };
}

interface Numbered {
  readonly line: number;
  readonly value: Line;
}

/** One array of all, or a value a line. */
function linesIn(text: string, name: string): readonly Numbered[] {
  const whole = parsed(text);
  if (whole !== undefined) return [whole].flat().map((value, i) => ({ line: i + 1, value: value as Line }));
  return text.split(/\r\n|\r|\n/).flatMap((content, i) => {
    if (content.trim() === '') return [];
    const value = parsed(content);
    if (value === undefined) throw notFlat(name, i + 1);
    return [{ line: i + 1, value: value as Line }];
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function cellOf(value: unknown, line: number, name: string): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'object') throw notFlat(name, line);
  return typeof value === 'string' ? value.trim() : JSON.stringify(value);
}

const notFlat = (name: string, line: number): OptionError =>
  new OptionError(
    `The trace ${name} is JSON of another form than a line each like {"time": "2014-04-10T00:04:00Z", "count": 5} (line ${line}): write it so, or as lines of time,count (jq and its @csv do that).`,
  );
