// EPCs that match patterns, found by ranges of the index that holds them. Pure.
import { REST, type KeyPattern, type PatternPart } from '../../domain/epc-pattern.ts';
import type { Criterion } from '../../service/criteria.ts';
import { patternsSql } from './at-hand.ts';
import { fragment, inList, join, likeCondition, type Fragment, type SqlContext } from './sql.ts';

/**
 * SQLite plans a query of more ranges for as long as their square: 0.1 s of a core for 1,000 of them, 3.4 s for 8,000. Of more only so
 * many stretches of the index are looked through, each with some of the patterns in it.
 */
const MOST_RANGES = 200;
const STRETCHES = 100;

/** The rows of event_epc that match one of the patterns in one of the roles. */
export function epcCondition(
  alias: string,
  { patterns, roles }: Extract<Criterion, { kind: 'epc' }>,
  context: SqlContext,
): Fragment {
  const { keys } = context;
  const column = `${alias}.epc`;
  const exact = patterns.flatMap((pattern) => (pattern.exact === undefined ? [] : [keys.epc(pattern.exact)]));
  const wide = patterns.filter((pattern) => pattern.exact === undefined);
  const starts = wide.flatMap((pattern) => prefixesOf(storedOf(pattern, context)));
  const alternatives =
    starts.length > MOST_RANGES
      ? [both(inStretches(column, starts), patternsSql(column, wide, context))]
      : wide.map((pattern) => wideCondition(column, storedOf(pattern, context), context));
  if (exact.length > 0) alternatives.push(inList(column, exact));
  const any = join(alternatives, ' OR ');
  return fragment(`${alias}.roles & ? <> 0 AND (${any.sql})`, [roles, ...any.values]);
}

const storedOf = ({ parts }: KeyPattern, { keys }: SqlContext): readonly PatternPart[] => [
  keys.epc(String(parts[0])),
  ...parts.slice(1),
];

const both = (one: Fragment, other: Fragment): Fragment =>
  fragment(`((${one.sql}) AND ${other.sql})`, [...one.values, ...other.values]);

function wideCondition(column: string, stored: readonly PatternPart[], { dialect }: SqlContext): Fragment {
  const either = join(
    prefixesOf(stored).map((prefix) => range(column, prefix, behind(prefix))),
    ' OR ',
  );
  if (stored.length === 2 && stored[1] === REST) return fragment(`(${either.sql})`, either.values);
  return both(either, likeCondition(column, stored, dialect));
}

const range = (column: string, from: string, before: string): Fragment =>
  fragment(`(${column} >= ? AND ${column} < ?)`, [from, before]);

const behind = (prefix: string): string => `${prefix}\u{10FFFF}`;

/** Where all that begin with one of these are, and others between them. */
function inStretches(column: string, starts: readonly string[]): Fragment {
  const sorted = inOrder(starts);
  const each = Math.ceil(sorted.length / STRETCHES);
  const stretches = Array.from({ length: Math.ceil(sorted.length / each) }, (_, i) => {
    const some = sorted.slice(i * each, (i + 1) * each);
    const last = String(some.at(-1));
    // what begins with the shortest start of the last one ends last
    return range(column, String(some[0]), behind(some.find((start) => last.startsWith(start)) ?? last));
  });
  return join(stretches, ' OR ');
}

/** That of the databases, which is that of strings here as long as no character takes two places. */
const inOrder = (starts: readonly string[]): readonly string[] =>
  starts.some((start) => /[\ud800-\udfff]/.test(start))
    ? starts
        .map((start) => Buffer.from(start))
        .sort((one, other) => Buffer.compare(one, other))
        .map(String)
    : [...starts].sort();

/**
 * What a match can start with. The digit before the company prefix (the indicator of a GTIN, the extension of an SSCC) is
 * free in wide patterns: ten short ranges instead of one long one.
 */
function prefixesOf([first, second, third]: readonly PatternPart[]): readonly string[] {
  const start = String(first);
  if (second !== 1 || typeof third !== 'string') return [start];
  return Array.from({ length: 10 }, (_, digit) => `${start}${digit}${third}`);
}
