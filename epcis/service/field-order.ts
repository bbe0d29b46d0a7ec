// Orders events by an extension field, which no index does: numbers before times before texts, events without it last.
import type { Field } from '../domain/event.ts';
import { fieldKey, fieldName } from './queryable-fields.ts';
import type { EventRow } from './repository.ts';
import { numberOf, timeOf } from './text-values.ts';

type SortKey = readonly [kind: number, value: number | string];

export interface Keyed {
  readonly event: EventRow;
  readonly key: SortKey | undefined;
}

/** Each as it comes: to find its key an event is unpacked, which for thousands at once would take long. */
export const keyed = (event: EventRow, name: string): Keyed => ({
  event,
  key: sortKey(event.event.extensions ?? [], name),
});

export function sortKeyed(events: readonly Keyed[], direction: 'ASC' | 'DESC'): readonly EventRow[] {
  const sign = direction === 'ASC' ? 1 : -1;
  return events.toSorted((a, b) => compare(a.key, b.key, sign)).map(({ event }) => event);
}

function sortKey(fields: readonly Field[], name: string): SortKey | undefined {
  const field = fields.find((each) => fieldName('event', false, fieldKey(each.namespace, each.name)) === name);
  if (!field || typeof field.value !== 'string') return undefined;
  const number = numberOf(field.value);
  if (number !== undefined) return [0, number];
  const time = timeOf(field.value);
  return time === undefined ? [2, field.value] : [1, time];
}

function compare(a: SortKey | undefined, b: SortKey | undefined, sign: number): number {
  if (!a || !b) return Number(!a) - Number(!b);
  if (a[0] !== b[0]) return sign * (a[0] - b[0]);
  return a[1] === b[1] ? 0 : a[1] < b[1] ? -sign : sign;
}
