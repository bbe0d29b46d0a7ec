// Events as a table (RFC 4180), for what reads tables: a row for each event. A column for each field that most questions are about;
// identifiers of a list stand behind each other with a space between, since a URI has none. The last column has all of the event.
//
// A cell that begins with = + - or @ is a formula to some programs. Of ours none can but the time zone's offset, which is two numbers.

interface Json {
  readonly [name: string]: unknown;
}

export const END_OF_ROW = '\r\n';

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const list = (value: unknown): string =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string').join(' ') : '';
const ofPlace = (value: unknown): string => text((value as { readonly id?: unknown } | undefined)?.id);

const FIELDS: readonly (readonly [name: string, of: (value: unknown) => string])[] = [
  ...(['eventID', 'type', 'eventTime', 'eventTimeZoneOffset', 'recordTime'] as const).map(
    (name) => [name, text] as const,
  ),
  ...(['action', 'bizStep', 'disposition'] as const).map((name) => [name, text] as const),
  ...(['readPoint', 'bizLocation'] as const).map((name) => [name, ofPlace] as const),
  ['parentID', text],
  ...(['epcList', 'childEPCs', 'inputEPCList', 'outputEPCList'] as const).map((name) => [name, list] as const),
];

export const csvHeading = (): string => [...FIELDS.map(([name]) => name), 'event'].join(',') + END_OF_ROW;

/** Of an event in JSON. */
export function csvRow(event: string): string {
  const fields = JSON.parse(event) as Json;
  return [...FIELDS.map(([name, of]) => of(fields[name])), event].map(cell).join(',');
}

const cell = (value: string): string => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
