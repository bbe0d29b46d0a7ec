// What is asked of an event at hand: conditions on its row, and on what the index has of it.
import type { Alternatives, Criterion } from '../../service/criteria.ts';
import { epcsOfEvent, isOneOf, textsOfEvent } from './at-hand.ts';
import { inWindow } from './feed-window.ts';
import {
  between,
  compare,
  eventIdSql,
  exists,
  fragment,
  inList,
  join,
  NOTHING,
  setOf,
  type Fragment,
  type SqlContext,
} from './sql.ts';
import { epcCondition } from './epcs.ts';
import { columnOf, type Source } from './sql-drivers.ts';

/** Where a condition stands: which columns it can use, and whether it needs the event's row. */
export interface Place {
  readonly source: Source;
  usesRow: boolean;
}

/** The event's row `e` alone. */
export const ROW: Source = {
  from: NOTHING,
  where: NOTHING,
  id: 'e.id',
  time: 'e.event_time',
  isEvent: true,
  repeats: false,
};

/** Conditions on the row `e` of an event. */
export function rowSql(criteria: readonly Criterion[], context: SqlContext): Fragment {
  return allOfSql(criteria, { source: ROW, usesRow: true }, context);
}

export function rowOf(place: Place, column: string): string {
  place.usesRow = true;
  return `e.${column}`;
}

/** The index of numbers has no time of its own: the row has. */
export function eventTime(place: Place): string {
  if (place.source.time.startsWith('e.')) place.usesRow = true;
  return place.source.time;
}

export function conditionOf(criterion: Criterion, place: Place, context: SqlContext): Fragment {
  const { id } = place.source;
  const { keys, dialect } = context;
  switch (criterion.kind) {
    case 'time': {
      const column = criterion.column === 'eventTime' ? eventTime(place) : rowOf(place, 'record_time');
      return between(column, criterion.from, criterion.before);
    }
    case 'column':
      return inList(rowOf(place, columnOf(criterion.column)), criterion.values.map(keys.term));
    case 'elements':
      return inList(rowOf(place, columnOf(criterion.column)), criterion.ids);
    case 'within':
    case 'attribute': {
      const set = setOf(criterion, context);
      return fragment(`${rowOf(place, columnOf(criterion.column))} IN (${set.sql})`, set.values);
    }
    case 'text': {
      const list = inList(
        't.posting',
        criterion.values.map((value) => keys.posting(criterion.name, value)),
      );
      const probe = `SELECT 1 FROM event_text t WHERE ${list.sql} AND t.event_time = ${eventTime(place)} AND t.event_id = ${id}`;
      return fragment(exists(dialect, probe), list.values);
    }
    case 'number': {
      const value = compare('n.value', criterion.comparison, criterion.values);
      return fragment(
        exists(dialect, `SELECT 1 FROM event_number n WHERE n.event_id = ${id} AND n.name = ? AND ${value.sql}`),
        [keys.name(criterion.name), ...value.values],
      );
    }
    case 'eventID': {
      const ids = eventIdSql(criterion.values, keys);
      return fragment(`${id} IN (${ids.sql})`, ids.values);
    }
    case 'feed':
      return inWindow(id, criterion);
    case 'anyOf':
      return anyOfSql(criterion.of, place, context);
    case 'noneOf': {
      // a condition on what an event has not is neither true nor false
      const { sql, values } = anyOfSql(criterion.of, place, context);
      return fragment(`(${sql}) IS NOT TRUE`, values);
    }
    case 'epc': {
      const condition = epcCondition('p', criterion, context);
      if (criterion.patterns.every((pattern) => pattern.exact !== undefined))
        return fragment(
          exists(
            dialect,
            `SELECT 1 FROM event_epc p WHERE ${condition.sql} AND p.event_time = ${eventTime(place)} AND p.event_id = ${id}`,
          ),
          condition.values,
        );
      return fragment(`${id} IN (SELECT p.event_id FROM event_epc p WHERE ${condition.sql})`, condition.values);
    }
  }
}

interface Known {
  readonly sql: Fragment;
  readonly usesRow: boolean;
}

/**
 * Alternatives are those of rules: many, and the same ones in query after query. What they are in SQL is remembered for as long
 * as they are, for each place where they may stand.
 */
const known = new WeakMap<Alternatives, Map<string, Known>>();

export function anyOfSql(alternatives: Alternatives, place: Place, context: SqlContext): Fragment {
  const at = `${context.dialect} ${place.source.id} ${place.source.time}`;
  const places = known.get(alternatives) ?? new Map<string, Known>();
  known.set(alternatives, places);
  let found = places.get(at);
  if (found === undefined) {
    const inside: Place = { source: place.source, usesRow: false };
    found = { sql: alternativesSql(alternatives, inside, context), usesRow: inside.usesRow };
    places.set(at, found);
  }
  place.usesRow ||= found.usesRow;
  return found.sql;
}

/** Of alternatives that look for an event's EPCs, or for its texts, all are looked for at once. */
function alternativesSql(alternatives: Alternatives, place: Place, context: SqlContext): Fragment {
  if (alternatives.length === 0) return fragment('1 = 0', []);
  const { id } = place.source;
  const single = alternatives.flatMap((criteria) => (criteria.length === 1 ? criteria : []));
  const epcs = single.filter((criterion) => criterion.kind === 'epc').filter(isManyEpcs);
  const texts = single.filter((criterion) => criterion.kind === 'text').filter(({ isAsked }) => isAsked !== true);
  const together = new Set<Criterion>([...epcs, ...texts]);
  const others = alternatives.filter(([only, ...more]) => !only || more.length > 0 || !together.has(only));
  const { sql, values } = join(
    [
      ...cheapFirst(others, looksUpAny).map((criteria) => allOfSql(criteria, place, context)),
      ...(texts.length > 0 ? [textsOfEvent(texts, { id, time: eventTime(place) }, context)] : []),
      ...(epcs.length > 0 ? [epcsOfEvent(epcs, id, context)] : []),
    ],
    ' OR ',
  );
  return fragment(`(${sql})`, values);
}

function allOfSql(criteria: readonly Criterion[], place: Place, context: SqlContext): Fragment {
  if (criteria.length === 0) return fragment('1 = 1', []);
  const { sql, values } = join(
    cheapFirst(criteria, looksUp).map((criterion) => nestedSql(criterion, place, context)),
    ' AND ',
  );
  return fragment(`(${sql})`, values);
}

/** Both databases ask in the order written and end where it is decided: first what the event's row says, then what is looked up for it. */
function cheapFirst<T>(all: readonly T[], isDear: (one: T) => boolean): readonly T[] {
  return [...all.filter((one) => !isDear(one)), ...all.filter(isDear)];
}

const looksUpAny = (criteria: readonly Criterion[]): boolean => criteria.some(looksUp);

function looksUp(criterion: Criterion): boolean {
  if (criterion.kind === 'anyOf' || criterion.kind === 'noneOf') return criterion.of.some(looksUpAny);
  return !(criterion.kind === 'column' || criterion.kind === 'elements' || criterion.kind === 'time');
}

/** Inside of alternatives an event is at hand, and the values are those of rules, the same in query after query. */
function nestedSql(criterion: Criterion, place: Place, context: SqlContext): Fragment {
  switch (criterion.kind) {
    case 'column':
      return isOneOf(rowOf(place, columnOf(criterion.column)), criterion.values.map(context.keys.term), context);
    case 'elements':
      return isOneOf(rowOf(place, columnOf(criterion.column)), criterion.ids, context);
    case 'text':
      // there may be no index for what no rule asks for
      if (criterion.isAsked) return conditionOf(criterion, place, context);
      return textsOfEvent([criterion], { id: place.source.id, time: eventTime(place) }, context);
    case 'epc':
      if (isManyEpcs(criterion)) return epcsOfEvent([criterion], place.source.id, context);
      return conditionOf(criterion, place, context);
    default:
      return conditionOf(criterion, place, context);
  }
}

/** So many EPCs are looked up one by one; of more it costs less to look at the event's own. */
const FEW = 4;

/** A rule's pattern may be met by a million other events. */
function isManyEpcs({ patterns }: Extract<Criterion, { kind: 'epc' }>): boolean {
  return patterns.length > FEW || patterns.some(({ exact }) => exact === undefined);
}
