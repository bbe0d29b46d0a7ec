// What rules ask of an event at hand, however many they are: whether one of its EPCs or texts, or a column, is among many. Pure.
import { REST, type KeyPattern, type PatternPart } from '../../domain/epc-pattern.ts';
import type { Criterion } from '../../service/criteria.ts';
import type { Dialect, ValueList } from '../database/database.ts';
import { exists, fragment, inList, join, joinInParts, likeCondition, type Fragment, type SqlContext } from './sql.ts';

type Listed = ValueList['list'][number];

/** That the column is in the list `?` of a connection to SQLite. Without the signs a type of the column would keep it from the list's index. */
export const inListed = (column: string): string =>
  `+EXISTS (SELECT 1 FROM temp.listed l WHERE l.list = ? AND l.value = +${column})`;

/** Fewer are bound one by one. */
const MANY: Readonly<Record<Dialect, number>> = { sqlite: 4, mysql: 8 };

/** That a column has one of these values, the same ones in query after query. */
export function isOneOf(column: string, values: readonly Listed[], { dialect }: SqlContext): Fragment {
  if (values.length < MANY[dialect]) return inList(column, values);
  if (dialect === 'sqlite') return fragment(inListed(column), [{ list: values }]);
  return fragment(`${column} IN (${values.map(literal).join(', ')})`, []);
}

/** For MySQL, where what stands in the text is sent once and what is bound each time. Nothing of it can be read as SQL. */
function literal(value: Listed): string {
  return typeof value === 'bigint' ? String(value) : `X'${Buffer.from(value).toString('hex')}'`;
}

interface AtHand {
  readonly id: string;
  readonly time: string;
}

/** Of so many texts it costs less to look at the event's own, by an index made for that (access-rules.ts). */
export const areLookedForByEvent = (texts: readonly unknown[]): boolean => texts.length >= 8;

/** That the event has one of these texts. */
export function textsOfEvent(
  criteria: readonly Extract<Criterion, { kind: 'text' }>[],
  { id, time }: AtHand,
  context: SqlContext,
): Fragment {
  const postings = criteria.flatMap(({ name, values }) => values.map((value) => context.keys.posting(name, value)));
  const isAny = isOneOf('t.posting', postings, context);
  const from = areLookedForByEvent(postings)
    ? `event_text t ${by('event_text_of', context)} WHERE t.event_id = ${id}`
    : `event_text t WHERE t.event_time = ${time} AND t.event_id = ${id}`;
  return fragment(existsOf(`${from} AND ${isAny.sql}`, context), isAny.values);
}

/** Made before there are such rules (access-rules.ts); without a word both databases now and then read the whole table instead. */
function by(index: string, { dialect }: SqlContext): string {
  return dialect === 'sqlite' ? `INDEXED BY ${index}` : `FORCE INDEX (${index})`;
}

/** Asked of each event by itself: MariaDB would look up the answers for all events there are, and keep them for this one statement. */
function existsOf(from: string, { dialect }: SqlContext): string {
  return dialect === 'sqlite'
    ? exists(dialect, `SELECT 1 FROM ${from}`)
    : `(SELECT 1 FROM ${from} LIMIT 1) IS NOT NULL`;
}

/** That one of the event's EPCs matches one of the patterns in one of its roles: each EPC is looked at once. */
export function epcsOfEvent(
  criteria: readonly Extract<Criterion, { kind: 'epc' }>[],
  id: string,
  context: SqlContext,
): Fragment {
  const { sql, values } = join(
    criteria.map(({ roles, patterns }) => {
      const any = patternsSql('p.epc', patterns, context);
      return fragment(`(p.roles & ${roles} <> 0 AND ${any.sql})`, any.values);
    }),
    ' OR ',
  );
  return fragment(
    existsOf(`event_epc p ${by('event_epc_of', context)} WHERE p.event_id = ${id} AND (${sql})`, context),
    values,
  );
}

/** Patterns with the same free places are one look into a list of what stands between these. */
export function patternsSql(column: string, patterns: readonly KeyPattern[], context: SqlContext): Fragment {
  const { dialect, keys } = context;
  const alike = new Map<string, string[]>();
  const others: Fragment[] = [];
  for (const { exact, parts } of patterns) {
    const stored = exact === undefined ? [keys.epc(String(parts[0])), ...parts.slice(1)] : [keys.epc(exact)];
    const key = keyOf(column, stored, dialect);
    const texts = key && alike.get(key.of);
    if (key === undefined) others.push(likeCondition(column, stored, dialect));
    else if (texts === undefined) alike.set(key.of, [key.is]);
    else texts.push(key.is);
  }
  const lists = [...alike].map(([of, texts]) => isOneOf(of, texts, context));
  const { sql, values } = joinInParts([...lists, ...others], ' OR ', (part) => `(${part})`);
  return fragment(`(${sql})`, values);
}

/** What the column has in the places where the pattern has texts, and its length where that is told; undefined if this is not all of the pattern. */
function keyOf(
  column: string,
  parts: readonly PatternPart[],
  dialect: Dialect,
): { readonly of: string; readonly is: string } | undefined {
  const isOpen = parts.at(-1) === REST;
  const fixed = isOpen ? parts.slice(0, -1) : parts;
  if (fixed.includes(REST) || (isOpen && typeof fixed.at(-1) !== 'string')) return undefined;
  if (fixed.length === 1 && !isOpen) return { of: column, is: String(fixed[0]) };
  const pieces: string[] = [];
  let at = 1;
  for (const part of fixed) {
    const length = typeof part === 'string' ? lengthOf(part, dialect) : Number(part);
    if (typeof part === 'string') pieces.push(`SUBSTR(${column}, ${at}, ${length})`);
    at += length;
  }
  const text = fixed.filter((part) => typeof part === 'string').join('');
  const all = isOpen ? pieces : [...pieces, `LENGTH(${column})`];
  const of = dialect === 'sqlite' || all.length === 1 ? all.join(' || ') : `CONCAT(${all.join(', ')})`;
  return { of: `(${of})`, is: isOpen ? text : `${text}${at - 1}` };
}

/** As the database counts it: characters, or bytes. */
function lengthOf(text: string, dialect: Dialect): number {
  return dialect === 'sqlite' ? [...text].length : Buffer.byteLength(text);
}
