// The words of our SQL: pieces that carry their values, and each kind of condition once, for both dialects. Pure; the keys of
// the index come as functions. event-sql.ts puts them together into queries.
import { likePattern, REST, type PatternPart } from '../../domain/epc-pattern.ts';
import type { Comparison, Criterion, ElementScope } from '../../service/criteria.ts';
import { EVENT_ID } from '../../service/queryable-texts.ts';
import type { Bound, Dialect, SqlValue } from '../database/database.ts';

/** The keys under which the index holds names and values. */
export interface Keys {
  /** 64 bits of the hash of a term's canonical form. */
  readonly term: (value: string) => bigint;
  /** 64 bits of the hash of a name. */
  readonly name: (name: string) => bigint;
  /** 128 bits of the hash of a named text. */
  readonly posting: (name: string, value: string) => Uint8Array;
  /** The bytes of a hash of CBV 2.0; undefined for any other text. */
  readonly digest: (hash: string) => Uint8Array | undefined;
  /** An EPC's canonical key, shortened to fit the index. */
  readonly epc: (key: string) => string;
}

export interface SqlContext {
  readonly dialect: Dialect;
  readonly keys: Keys;
}

export interface Fragment {
  readonly sql: string;
  readonly values: readonly Bound[];
}

export const fragment = (sql: string, values: readonly Bound[]): Fragment => ({ sql, values });

export const NOTHING: Fragment = { sql: '', values: [] };

export function join(fragments: readonly Fragment[], separator: string): Fragment {
  const [only] = fragments;
  if (only && fragments.length === 1) return only;
  return fragment(
    fragments.map(({ sql }) => sql).join(separator),
    fragments.flatMap(({ values }) => values),
  );
}

/** SQLite takes no expression deeper than 1,000, nor more than 500 parts of one UNION: what is more stands in parts of parts. */
const MOST_IN_A_ROW = 400;

export function joinInParts(
  fragments: readonly Fragment[],
  separator: string,
  asPart: (sql: string) => string,
): Fragment {
  const parts: Fragment[] = [];
  for (let at = 0; at < fragments.length; at += MOST_IN_A_ROW) {
    const { sql, values } = join(fragments.slice(at, at + MOST_IN_A_ROW), separator);
    parts.push(fragment(fragments.length <= MOST_IN_A_ROW ? sql : asPart(sql), values));
  }
  return join(parts, separator);
}

/** Lists are filled up to 1, 2, 4, 8 … values, so that few statements need preparing. */
export function inList(column: string, values: readonly SqlValue[]): Fragment {
  if (values.length === 1) return fragment(`${column} = ?`, values);
  const size = 2 ** Math.ceil(Math.log2(values.length));
  const last = values.at(-1) ?? null;
  const padded = Array.from({ length: size }, (_, n) => values[n] ?? last);
  return fragment(`${column} IN (${padded.map(() => '?').join(', ')})`, padded);
}

/**
 * Whether there is such a row. SQLite would make a join of each (since 3.51), and plan a query with a hundred of them for seconds; the
 * sign keeps it from that.
 */
export const exists = (dialect: Dialect, select: string): string =>
  `${dialect === 'sqlite' ? '+' : ''}EXISTS (${select})`;

export function likeCondition(column: string, stored: readonly PatternPart[], dialect: Dialect): Fragment {
  return dialect === 'mysql'
    ? fragment(`${column} LIKE ? ESCAPE '!'`, [likePattern(stored)])
    : fragment(`${column} GLOB ?`, [globPattern(stored)]);
}

function globPattern(parts: readonly PatternPart[]): string {
  return parts
    .map((part) => {
      if (typeof part === 'number') return '?'.repeat(part);
      return part === REST ? '*' : part.replace(/[*?[]/g, '[$&]');
    })
    .join('');
}

export function compare(column: string, comparison: Comparison, values: readonly number[]): Fragment {
  return comparison === '=' ? inList(column, values) : fragment(`${column} ${comparison} ?`, values);
}

export function between(column: string, from: number | undefined, before: number | undefined): Fragment {
  const parts: Fragment[] = [];
  if (from !== undefined) parts.push(fragment(`${column} >= ?`, [from]));
  if (before !== undefined) parts.push(fragment(`${column} < ?`, [before]));
  return join(parts, ' AND ');
}

/** The ids of events with these IDs, each once. */
export function eventIdSql(values: readonly string[], keys: Keys): Fragment {
  const own = inList(
    't.posting',
    values.map((value) => keys.posting(EVENT_ID.name, value)),
  );
  const byId = fragment(`SELECT t.event_id AS id FROM event_text t WHERE ${own.sql}`, own.values);
  const digests = values.flatMap((value) => keys.digest(value) ?? []);
  if (digests.length === 0) return byId;
  const hashes = inList('h.hash', digests);
  const byHash = fragment(`SELECT h.id AS id FROM event h WHERE ${hashes.sql} AND h.variant & 1 = 0`, hashes.values);
  return join([byId, byHash], ' UNION ');
}

export function setOf(criterion: Extract<Criterion, { kind: 'within' | 'attribute' }>, context: SqlContext): Fragment {
  if (criterion.kind === 'attribute') return attributeSql('DISTINCT a.element AS id', criterion, context);
  // relations are stored without the vocabulary that tells them
  if (criterion.among !== undefined) throw new Error('what is below by way of some elements is found beforehand');
  return belowSql(criterion.roots.map(context.keys.term), context);
}

/** A condition on a row of vocabulary_element, or of vocabulary_attribute. */
export function inScopes(alias: string, scopes: readonly ElementScope[], context: SqlContext): Fragment {
  if (scopes.length === 0) return fragment('1 = 0', []);
  const { sql, values } = join(
    scopes.map((scope) => inScope(alias, scope, context)),
    ' OR ',
  );
  return fragment(`(${sql})`, values);
}

function inScope(alias: string, { vocabularies, names, within }: ElementScope, context: SqlContext): Fragment {
  const { keys } = context;
  const below = within && belowSql(within.map(keys.term), context);
  const conditions = [
    ...(vocabularies ? [inList(`${alias}.vocabulary`, vocabularies.map(keys.term))] : []),
    ...(names ? [inList(`${alias}.element`, names.map(keys.term))] : []),
    ...(below ? [fragment(`${alias}.element IN (${below.sql})`, below.values)] : []),
  ];
  const { sql, values } = conditions.length === 0 ? fragment('1 = 1', []) : join(conditions, ' AND ');
  return fragment(`(${sql})`, values);
}

/** The roots and everything below them; UNION ends at what was seen before, so that a cycle does no harm. */
export function belowSql(roots: readonly bigint[], { dialect }: SqlContext): Fragment {
  const anchors = anchorsSql(roots, dialect);
  return fragment(
    `WITH RECURSIVE below AS (${anchors.sql} UNION
       SELECT c.child FROM below b JOIN vocabulary_child c ON c.parent = b.id) SELECT id FROM below`,
    anchors.values,
  );
}

/** Two thousand parts of a UNION take SQLite, in our one thread, 9 ms, as rows they take 2; of rows the two servers have each its own form. */
function anchorsSql(roots: readonly bigint[], dialect: Dialect): Fragment {
  if (dialect === 'sqlite')
    return fragment(`SELECT column1 AS id FROM (VALUES ${roots.map(() => '(?)').join(', ')})`, roots);
  return joinInParts(
    roots.map((root) => fragment('SELECT CAST(? AS SIGNED) AS id', [root])),
    ' UNION ',
    (part) => `SELECT id FROM (${part}) AS roots`,
  );
}

/** Of the elements that have one of the attributes. An attribute is one vocabulary's: in another the same name is another element. */
export function attributeSql(
  columns: string,
  { attributes, values, among }: Omit<Extract<Criterion, { kind: 'attribute' }>, 'kind' | 'column'>,
  context: SqlContext,
): Fragment {
  const { keys } = context;
  const conditions = [inList('a.attribute', attributes.map(keys.name))];
  const postings = values?.map((value) => keys.posting('attribute', value));
  if (postings) conditions.push(inList('a.value', postings));
  if (among) conditions.push(inScopes('a', among, context));
  const where = join(conditions, ' AND ');
  return fragment(`SELECT ${columns} FROM vocabulary_attribute a WHERE ${where.sql}`, where.values);
}
