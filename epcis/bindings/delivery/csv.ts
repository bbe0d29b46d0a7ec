// Events as a table in text (RFC 4180), for what reads tables. Identifiers of a list stand behind each other with a space between, since a
// URI has none.
//
// A cell that begins with = + - or @ is a formula to some programs. Of ours none can but the time zone's offset, which is two numbers.
import { COLUMNS, rowOf, type Cell } from './table.ts';

export const END_OF_ROW = '\r\n';

export const csvHeading = (): string => COLUMNS.map(({ name }) => name).join(',') + END_OF_ROW;

/** Of an event in JSON. */
export const csvRow = (event: string): string => rowOf(event).map(cell).join(',');

function cell(of: Cell = ''): string {
  const value = typeof of === 'string' ? of : of.join(' ');
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
