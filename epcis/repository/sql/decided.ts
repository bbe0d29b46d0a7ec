// What a query's own conditions already decide of rules. Of events at one place, a rule about places is met by all or by none: it needn't be
// asked of each of them again, nor stand in the statement with all its values. Pure.
import type { Alternatives, Criterion } from '../../service/criteria.ts';
import type { Column } from '../../service/queryable-columns.ts';
import type { Keys } from './sql.ts';

/** Of a column: the keys of which each event has one. */
export type Given = ReadonlyMap<Column, readonly bigint[]>;

export function givenBy(criteria: readonly (Criterion | undefined)[], keys: Keys): Given {
  const given = new Map<Column, readonly bigint[]>();
  for (const each of criteria) {
    if (each?.kind !== 'column' && each?.kind !== 'elements') continue;
    const own = [...keysOf(each, keys)];
    if (own.length < (given.get(each.column)?.length ?? Infinity)) given.set(each.column, own);
  }
  return given;
}

/** True and false where that decides it; else what is left to ask. */
export function decided(criterion: Criterion, given: Given, keys: Keys): Criterion | boolean {
  if (given.size === 0) return criterion;
  switch (criterion.kind) {
    case 'column':
    case 'elements':
      return isMet(criterion, given, keys) ?? criterion;
    case 'anyOf': {
      const of = anyKnown(criterion.of, given, keys);
      return typeof of === 'boolean' ? of : of === criterion.of ? criterion : { kind: 'anyOf', of };
    }
    case 'noneOf': {
      const of = anyKnown(criterion.of, given, keys);
      return typeof of === 'boolean' ? !of : of === criterion.of ? criterion : { kind: 'noneOf', of };
    }
    default:
      return criterion;
  }
}

/** Different answers to the same rules that are remembered. */
const MOST_ANSWERS = 500;

interface Known {
  /** What is about columns, wherever it stands. */
  readonly leaves: readonly Listed[];
  /** What is left, by what is known of each of them. */
  readonly left: Map<string, Alternatives | boolean>;
}

/** What is left is the same list again for the next query of which the same is known: its SQL is known then, too. */
const answers = new WeakMap<Alternatives, Known>();

function anyKnown(alternatives: Alternatives, given: Given, keys: Keys): Alternatives | boolean {
  const known = answers.get(alternatives) ?? newlyKnown(alternatives);
  answers.set(alternatives, known);
  const question = known.leaves.map((leaf) => LETTERS[String(isMet(leaf, given, keys))]).join('');
  const answer = known.left.get(question) ?? anyDecided(alternatives, given, keys);
  if (known.left.size >= MOST_ANSWERS) known.left.clear();
  known.left.set(question, answer);
  return answer;
}

const newlyKnown = (alternatives: Alternatives): Known => ({
  leaves: alternatives.flat().flatMap(leavesOf),
  left: new Map(),
});

const LETTERS: Readonly<Record<string, string>> = { true: '1', false: '0', undefined: '-' };

function leavesOf(criterion: Criterion): readonly Listed[] {
  if (criterion.kind === 'anyOf' || criterion.kind === 'noneOf') return criterion.of.flat().flatMap(leavesOf);
  return criterion.kind === 'column' || criterion.kind === 'elements' ? [criterion] : [];
}

/** Undefined where it depends on the event. */
function isMet(leaf: Listed, given: Given, keys: Keys): boolean | undefined {
  const values = given.get(leaf.column);
  if (values === undefined) return undefined;
  const own = keysOf(leaf, keys);
  const met = values.filter((value) => own.has(value)).length;
  return met === 0 ? false : met === values.length || undefined;
}

function anyDecided(alternatives: Alternatives, given: Given, keys: Keys): Alternatives | boolean {
  const left: (readonly Criterion[])[] = [];
  for (const criteria of alternatives) {
    const all = allDecided(criteria, given, keys);
    if (all === true) return true;
    if (all !== false) left.push(all);
  }
  if (left.length === 0) return false;
  const isSame = left.length === alternatives.length && left.every((criteria, n) => criteria === alternatives[n]);
  return isSame ? alternatives : left;
}

function allDecided(criteria: readonly Criterion[], given: Given, keys: Keys): readonly Criterion[] | boolean {
  const left: Criterion[] = [];
  for (const criterion of criteria) {
    const one = decided(criterion, given, keys);
    if (one === false) return false;
    if (one !== true) left.push(one);
  }
  if (left.length === 0) return true;
  return left.length === criteria.length && left.every((one, n) => one === criteria[n]) ? criteria : left;
}

type Listed = Extract<Criterion, { kind: 'column' | 'elements' }>;

/** Those of rules are looked at in query after query. */
const sets = new WeakMap<Listed, ReadonlySet<bigint>>();

function keysOf(criterion: Listed, keys: Keys): ReadonlySet<bigint> {
  let found = sets.get(criterion);
  if (found === undefined) {
    found = new Set(criterion.kind === 'elements' ? criterion.ids : criterion.values.map(keys.term));
    sets.set(criterion, found);
  }
  return found;
}
