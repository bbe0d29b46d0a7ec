// What the standard itself names of event types, business steps and dispositions: there before any event is.
import { cbvUri } from '../domain/cbv.ts';
import { BIZ_STEPS, DISPOSITIONS } from '../domain/cbv-words.ts';
import { EVENT_TYPES } from '../domain/event.ts';
import { eventTypeOf } from '../domain/event-shape.ts';
import { sortTexts } from '../domain/hash-text.ts';
import type { PageRequest, QueryService, ValuePage } from './services.ts';

type Collection = Parameters<QueryService['values']>[0];

const urisOf = (kind: 'bizStep' | 'disposition', words: Iterable<string>): readonly string[] =>
  sortTexts([...words].map((word) => cbvUri(kind, word) ?? word));

const STANDARD: Readonly<Partial<Record<Collection, readonly string[]>>> = {
  // 2.0 deprecates QuantityEvent: it is listed where it was captured
  eventTypes: sortTexts(EVENT_TYPES.filter((type) => type !== 'QuantityEvent')),
  bizSteps: urisOf('bizStep', BIZ_STEPS),
  dispositions: urisOf('disposition', DISPOSITIONS),
};

/** Whether the standard names this value, in whatever spelling. */
export function isStandardValue(of: Collection, value: string): boolean {
  const kind = of === 'bizSteps' ? 'bizStep' : of === 'dispositions' ? 'disposition' : undefined;
  const uri = kind === undefined ? eventTypeOf(value) : cbvUri(kind, value);
  return uri !== undefined && STANDARD[of]?.includes(uri) === true;
}

/** A page of what the repository holds, the standard's own values among them, in the same order. */
export function withStandardValues(of: Collection, held: ValuePage, { perPage, after = '' }: PageRequest): ValuePage {
  const standard = STANDARD[of];
  if (standard === undefined) return held;
  const from = standard.filter((value) => value !== after && sortTexts([value, after])[0] === after);
  const all = sortTexts([...new Set([...held.values, ...from])]);
  const values = all.slice(0, perPage);
  const last = values.at(-1);
  const more = all.length > perPage || held.next !== undefined;
  return more && last !== undefined ? { values, next: last } : { values };
}
