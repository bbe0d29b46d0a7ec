// Events as rows of a table: a column for each field that most questions are about, and last one with all of the event in JSON.

interface Json {
  readonly [name: string]: unknown;
}

/** Undefined where the event has no such field. */
export type Cell = string | readonly string[] | undefined;

export interface Column {
  readonly name: string;
  readonly kind: 'text' | 'time' | 'list';
}

const text = (value: unknown): Cell => (typeof value === 'string' ? value : undefined);
const list = (value: unknown): Cell =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : undefined;
const ofPlace = (value: unknown): Cell => text((value as { readonly id?: unknown } | undefined)?.id);

type Field = Column & { readonly of: (value: unknown) => Cell };
const all = (kind: Column['kind'], of: Field['of'], ...names: readonly string[]): readonly Field[] =>
  names.map((name) => ({ name, kind, of }));

const FIELDS: readonly Field[] = [
  ...all('text', text, 'eventID', 'type'),
  ...all('time', text, 'eventTime'),
  ...all('text', text, 'eventTimeZoneOffset'),
  ...all('time', text, 'recordTime'),
  ...all('text', text, 'action', 'bizStep', 'disposition'),
  ...all('text', ofPlace, 'readPoint', 'bizLocation'),
  ...all('text', text, 'parentID'),
  ...all('list', list, 'epcList', 'childEPCs', 'inputEPCList', 'outputEPCList'),
];

export const COLUMNS: readonly Column[] = [...FIELDS, { name: 'event', kind: 'text' }];

/** Of an event in JSON, in the order of the columns. */
export function rowOf(event: string): readonly Cell[] {
  const fields = JSON.parse(event) as Json;
  return [...FIELDS.map(({ name, of }) => of(fields[name])), event];
}
