// Criteria → SQL and bound values, for both dialects. No I/O.
//
// Every query has one form: `keys` finds ids in order, the outer statement fetches their rows. `keys` starts from the
// criterion that an index answers best (the driver) and probes the others; the join order and the index are prescribed, so
// that no statistics of the moment turn a look-up into a scan of all events.
import type { SqlValue } from '../database/database.ts';
import type { Alternatives, Criterion, EventOrder, EventQuery } from '../../service/criteria.ts';
import { decided, givenBy } from './decided.ts';
import { inWindow } from './feed-window.ts';
import { numbered } from './numbered.ts';
import {
  between,
  compare,
  epcCondition,
  epcOfEvent,
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
import { columnOf, driverOf, rankOf, type Source } from './sql-drivers.ts';

/** More alternatives than this are looked up together and sorted, instead of merged in order. */
export const MAX_BRANCHES = 16;

/** Rows: id (as text), at (the order's time), record_time, hash, payload, and whether each mark is met. */
export function eventsSql(query: EventQuery, context: SqlContext): Fragment {
  const keys = keysSql(query, context);
  const { direction } = query.order;
  const marks = marksSql(query.marks ?? [], context);
  const all = fragment(
    `SELECT ${straight(context)}CAST(e.id AS CHAR(20)) AS id, k.at AS at, e.record_time AS record_time, e.hash AS hash, e.payload AS payload${marks.sql}
     FROM (${keys.sql}) k ${crossJoin(context)} event e ON e.id = k.id ORDER BY k.at ${direction}, k.id ${direction}`,
    [...marks.values, ...keys.values],
  );
  return keys.repeats ? numbered(all, context) : all;
}

export function countSql(query: EventQuery, context: SqlContext): Fragment {
  const keys = keysSql(query, context);
  const all = fragment(`SELECT COUNT(*) AS n FROM (${keys.sql}) k`, keys.values);
  return keys.repeats ? numbered(all, context) : all;
}

function marksSql(marks: readonly Alternatives[], context: SqlContext): Fragment {
  const place: Place = { source: ROW, usesRow: true };
  const columns = marks.map((mark, n) => {
    const { sql, values } = anyOfSql(mark, place, context);
    return fragment(`, (${sql}) IS TRUE AS mark${n}`, values);
  });
  return columns.length === 0 ? NOTHING : join(columns, '');
}

/** Conditions on the row `e` of an event. */
export function rowSql(criteria: readonly Criterion[], context: SqlContext): Fragment {
  return allOfSql(criteria, { source: ROW, usesRow: true }, context);
}

/** id and at of the events, the first `limit` in order; the caller orders. Each event once. `repeats`: rules, in each branch. */
function keysSql(query: EventQuery, context: SqlContext): Fragment & { readonly repeats: boolean } {
  const driver = driverFor(query);
  const rest = query.criteria.filter((criterion) => criterion !== driver);
  const alternatives = driver && query.limit !== undefined ? alternativesOf(driver) : [driver];
  const branches = alternatives.map((alternative) =>
    branchSql(driverOf(alternative, query.order, context), undecided(rest, alternative, context), query, context),
  );
  const [only] = branches;
  if (only && branches.length === 1) return { ...only, repeats: false };
  const { direction } = query.order;
  const all = join(
    branches.map(({ sql, values }, n) => fragment(`SELECT id, at FROM (${sql}) b${n}`, values)),
    ' UNION ',
  );
  const sql = `SELECT id, at FROM (${all.sql}) u ORDER BY at ${direction}, id ${direction} LIMIT ?`;
  return { sql, values: [...all.values, query.limit ?? 0], repeats: rest.some(isOfRules) };
}

/** Without what is known of rules already by the conditions of the query and of this branch. */
function undecided(
  rest: readonly Criterion[],
  driver: Criterion | undefined,
  { keys }: SqlContext,
): readonly Criterion[] {
  if (!rest.some(isOfRules)) return rest;
  const given = givenBy([driver, ...rest], keys);
  return rest.flatMap((criterion) => {
    const left = isOfRules(criterion) ? decided(criterion, given, keys) : criterion;
    return left === true ? [] : [left === false ? NOBODY : left];
  });
}

const isOfRules = ({ kind }: Criterion): boolean => kind === 'anyOf' || kind === 'noneOf';

const NOBODY: Criterion = { kind: 'anyOf', of: [] };

/** What the fewest events have in common; but only the feed itself gives its order. */
function driverFor({ criteria, order }: EventQuery): Criterion | undefined {
  const feed = criteria.find((criterion) => criterion.kind === 'feed' && criterion.after !== undefined);
  if (order.by === 'feed' && feed) return feed;
  const [first] = [...criteria].sort((a, b) => rankOf(a) - rankOf(b));
  return first && rankOf(first) < Infinity ? first : undefined;
}

/** One criterion per value, each of which the index gives in order of time. */
function alternativesOf(driver: Criterion): readonly Criterion[] {
  if (driver.kind === 'epc' && driver.patterns.length <= MAX_BRANCHES)
    return driver.patterns.map((pattern) => ({ ...driver, patterns: [pattern] }));
  if ((driver.kind === 'text' || driver.kind === 'column') && driver.values.length <= MAX_BRANCHES)
    return driver.values.map((value) => ({ ...driver, values: [value] }));
  if (driver.kind === 'elements') return driver.ids.map((id) => ({ ...driver, ids: [id] }));
  return [driver];
}

function branchSql(source: Source, rest: readonly Criterion[], query: EventQuery, context: SqlContext): Fragment {
  const place: Place = { source, usesRow: source.isEvent };
  const conditions = [source.where, ...rest.map((criterion) => conditionOf(criterion, place, context))];
  const at = timeOf(query.order, place);
  if (query.after) conditions.push(afterSql(query, at, source.id));
  const where = join(
    conditions.filter((condition) => condition.sql !== ''),
    ' AND ',
  );
  const row = place.usesRow && !source.isEvent ? `${crossJoin(context)} event e ON e.id = ${source.id}` : '';
  const { direction } = query.order;
  const order = query.limit === undefined ? '' : `ORDER BY ${at} ${direction}, ${source.id} ${direction} LIMIT ?`;
  return fragment(
    `SELECT ${straight(context)}${source.repeats ? 'DISTINCT ' : ''}${source.id} AS id, ${at} AS at
     FROM ${source.from.sql} ${row} ${where.sql && `WHERE ${where.sql}`} ${order}`,
    [...source.from.values, ...where.values, ...(query.limit === undefined ? [] : [query.limit])],
  );
}

const ROW: Source = { from: NOTHING, where: NOTHING, id: 'e.id', time: 'e.event_time', isEvent: true, repeats: false };

/** Where a condition stands: which columns it can use, and whether it needs the event's row. */
interface Place {
  readonly source: Source;
  usesRow: boolean;
}

function rowOf(place: Place, column: string): string {
  place.usesRow = true;
  return `e.${column}`;
}

function conditionOf(criterion: Criterion, place: Place, context: SqlContext): Fragment {
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
      const set = setOf(criterion, keys);
      return fragment(`${rowOf(place, columnOf(criterion.column))} IN (${set.sql})`, set.values);
    }
    case 'text': {
      const values = criterion.values.map((value) => keys.posting(criterion.name, value));
      const list = inList('t.posting', values);
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
      const condition = epcCondition('p', criterion, dialect, keys);
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

/**
 * Alternatives are those of rules: many, and the same ones in query after query. What they are in SQL is remembered for as long
 * as they are, for each place where they may stand.
 */
const known = new WeakMap<Alternatives, Map<string, { readonly sql: Fragment; readonly usesRow: boolean }>>();

function anyOfSql(alternatives: Alternatives, place: Place, context: SqlContext): Fragment {
  const at = `${context.dialect} ${place.source.id} ${place.source.time}`;
  const places = known.get(alternatives) ?? new Map<string, { readonly sql: Fragment; readonly usesRow: boolean }>();
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

function alternativesSql(alternatives: Alternatives, place: Place, context: SqlContext): Fragment {
  if (alternatives.length === 0) return fragment('1 = 0', []);
  const { sql, values } = join(
    cheapFirst(alternatives, looksUpAny).map((criteria) => allOfSql(criteria, place, context)),
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

/** So many EPCs are looked up one by one; of more it costs less to look at the event's own. */
const FEW = 4;

/** Inside of alternatives an event is at hand, of which its EPCs are looked at: a rule's pattern may be met by a million others. */
function nestedSql(criterion: Criterion, place: Place, context: SqlContext): Fragment {
  if (criterion.kind !== 'epc') return conditionOf(criterion, place, context);
  const { patterns } = criterion;
  if (patterns.length <= FEW && patterns.every(({ exact }) => exact !== undefined))
    return conditionOf(criterion, place, context);
  const { sql, values } = epcOfEvent('p', criterion, context.dialect, context.keys);
  return fragment(
    exists(context.dialect, `SELECT 1 FROM event_epc p WHERE p.event_id = ${place.source.id} AND ${sql}`),
    values,
  );
}

/** What the order goes by. */
function timeOf({ by }: EventOrder, place: Place): string {
  if (by === 'eventTime') return eventTime(place);
  return (by === 'feed' && place.source.position) || rowOf(place, 'record_time');
}

/** The index of numbers has no time of its own: the row has. */
function eventTime(place: Place): string {
  if (place.source.time.startsWith('e.')) place.usesRow = true;
  return place.source.time;
}

/** The first condition repeats part of the second, in the form that an index range can use. */
function afterSql({ after, order }: EventQuery, at: string, id: string): Fragment {
  if (!after) return fragment('', []);
  const [beyond, from] = order.direction === 'DESC' ? ['<', '<='] : ['>', '>='];
  const values: SqlValue[] = [after.time, after.time, after.time, BigInt(after.id)];
  return fragment(`${at} ${from} ? AND (${at} ${beyond} ? OR (${at} = ? AND ${id} ${beyond} ?))`, values);
}

/** Joins in the order written, and no sub-query turned into a join of another order. */
function straight({ dialect }: SqlContext): string {
  return dialect === 'mysql' ? 'STRAIGHT_JOIN ' : '';
}

function crossJoin({ dialect }: SqlContext): string {
  return dialect === 'mysql' ? 'JOIN' : 'CROSS JOIN';
}
