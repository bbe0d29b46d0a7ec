// Criteria → SQL and bound values, for both dialects. No I/O.
//
// Every query has one form: `keys` finds ids in order, the outer statement fetches their rows. `keys` starts from the
// criterion that an index answers best (the driver) and probes the others; the join order and the index are prescribed, so
// that no statistics of the moment turn a look-up into a scan of all events.
import type { SqlValue } from '../database/database.ts';
import type { Alternatives, Criterion, EventOrder, EventQuery } from '../../service/criteria.ts';
import { decided, givenBy } from './decided.ts';
import { anyOfSql, conditionOf, eventTime, ROW, rowOf, type Place } from './conditions.ts';
import { fragment, join, NOTHING, type Fragment, type SqlContext } from './sql.ts';
import { driverOf, rankOf, type Source } from './sql-drivers.ts';

/** More alternatives than this are looked up together and sorted, instead of merged in order. */
export const MAX_BRANCHES = 16;

/**
 * Rows: id and at (the order's time), as text, for neither need be a number that JavaScript takes (microseconds of the year 9999
 * are none that SQLite's driver gives); record_time, hash, payload, and whether each mark is met.
 */
export function eventsSql(query: EventQuery, context: SqlContext): Fragment {
  const keys = keysSql(query, context);
  const { direction } = query.order;
  const marks = marksSql(query.marks ?? [], context);
  return fragment(
    `SELECT ${straight(context)}CAST(e.id AS CHAR(20)) AS id, CAST(k.at AS CHAR(20)) AS at, e.record_time AS record_time, e.hash AS hash, e.payload AS payload${marks.sql}
     FROM (${keys.sql}) k ${crossJoin(context)} event e ON e.id = k.id ORDER BY k.at ${direction}, k.id ${direction}`,
    [...marks.values, ...keys.values],
  );
}

export function countSql(query: EventQuery, context: SqlContext): Fragment {
  const keys = keysSql(query, context);
  return fragment(`SELECT COUNT(*) AS n FROM (${keys.sql}) k`, keys.values);
}

function marksSql(marks: readonly Alternatives[], context: SqlContext): Fragment {
  const place: Place = { source: ROW, usesRow: true };
  const columns = marks.map((mark, n) => {
    const { sql, values } = anyOfSql(mark, place, context);
    return fragment(`, (${sql}) IS TRUE AS mark${n}`, values);
  });
  return columns.length === 0 ? NOTHING : join(columns, '');
}

/** id and at of the events, the first `limit` in order; the caller orders. Each event once. */
function keysSql(query: EventQuery, context: SqlContext): Fragment {
  const driver = driverFor(query);
  const rest = query.criteria.filter((criterion) => criterion !== driver);
  const alternatives = driver && query.limit !== undefined ? alternativesOf(driver) : [driver];
  const branches = alternatives.map((alternative) =>
    branchSql(driverOf(alternative, query.order, context), undecided(rest, alternative, context), query, context),
  );
  const [only] = branches;
  if (only && branches.length === 1) return only;
  const { direction } = query.order;
  const all = join(
    branches.map(({ sql, values }, n) => fragment(`SELECT id, at FROM (${sql}) b${n}`, values)),
    ' UNION ',
  );
  const sql = `SELECT id, at FROM (${all.sql}) u ORDER BY at ${direction}, id ${direction} LIMIT ?`;
  return fragment(sql, [...all.values, query.limit ?? 0]);
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
  if (driver.kind === 'elements' && driver.ids.length <= MAX_BRANCHES)
    return driver.ids.map((id) => ({ ...driver, ids: [id] }));
  return [driver];
}

function branchSql(given: Source, all: readonly Criterion[], query: EventQuery, context: SqlContext): Fragment {
  const { source, rest } = looksUpFirst(given, all, context) ?? { source: given, rest: all };
  const place: Place = { source, usesRow: source.isEvent };
  const conditions = [source.where, ...rest.map((criterion) => conditionOf(criterion, place, context))];
  const at = timeOf(query.order, place);
  if (query.after) conditions.push(afterSql(query, at, source.id));
  const where = join(
    conditions.filter((condition) => condition.sql !== ''),
    ' AND ',
  );
  const row =
    place.usesRow && !source.isEvent ? `${crossJoin(context)} event e ${byId(context)} ON e.id = ${source.id}` : '';
  const { direction } = query.order;
  const order = query.limit === undefined ? '' : `ORDER BY ${at} ${direction}, ${source.id} ${direction} LIMIT ?`;
  return fragment(
    `SELECT ${straight(context)}${source.repeats ? 'DISTINCT ' : ''}${source.id} AS id, ${at} AS at
     FROM ${source.from.sql} ${row} ${where.sql && `WHERE ${where.sql}`} ${order}`,
    [...source.from.values, ...where.values, ...(query.limit === undefined ? [] : [query.limit])],
  );
}

/**
 * MySQL reads an event's row before it asks anything of it, also what the index alone could tell: where rules go by the row, that is every event
 * of a place instead of those few that are left. So what is looked up by ID and time is asked of the index, and the rest of the rows of these.
 */
function looksUpFirst(
  source: Source,
  all: readonly Criterion[],
  context: SqlContext,
): { readonly source: Source; readonly rest: readonly Criterion[] } | undefined {
  const rest = all.filter((criterion) => !isLookedUp(criterion));
  const isIndex = source.isEvent && source.position === undefined;
  if (context.dialect !== 'mysql' || !isIndex || rest.length === 0 || rest.length === all.length) return undefined;
  const place: Place = { source, usesRow: true };
  const asked = all.filter(isLookedUp).map((criterion) => conditionOf(criterion, place, context));
  const where = join(
    [source.where, ...asked].filter(({ sql }) => sql !== ''),
    ' AND ',
  );
  const from = fragment(
    `(SELECT ${source.id} AS event_id, ${source.time} AS event_time FROM ${source.from.sql} WHERE ${where.sql}) d`,
    [...source.from.values, ...where.values],
  );
  const found = {
    from,
    where: NOTHING,
    id: 'd.event_id',
    time: 'd.event_time',
    isEvent: false,
    repeats: source.repeats,
  };
  return { source: found, rest };
}

const isLookedUp = ({ kind }: Criterion): boolean => kind === 'number' || kind === 'text' || kind === 'epc';

/** What the order goes by. */
function timeOf({ by }: EventOrder, place: Place): string {
  if (by === 'eventTime') return eventTime(place);
  return (by === 'feed' && place.source.position) || rowOf(place, 'record_time');
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

/** Nothing else is tried: for a hundred places of rules that would cost more than the query. */
function byId({ dialect }: SqlContext): string {
  return dialect === 'mysql' ? 'FORCE INDEX (PRIMARY)' : '';
}

function crossJoin({ dialect }: SqlContext): string {
  return dialect === 'mysql' ? 'JOIN' : 'CROSS JOIN';
}
