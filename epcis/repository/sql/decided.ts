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
    case 'elements': {
      const values = given.get(criterion.column);
      if (values === undefined) return criterion;
      const own = keysOf(criterion, keys);
      const met = values.filter((value) => own.has(value)).length;
      return met === values.length || (met > 0 && criterion);
    }
    case 'anyOf': {
      const of = anyDecided(criterion.of, given, keys);
      return typeof of === 'boolean' ? of : of === criterion.of ? criterion : { kind: 'anyOf', of };
    }
    case 'noneOf': {
      const of = anyDecided(criterion.of, given, keys);
      return typeof of === 'boolean' ? !of : of === criterion.of ? criterion : { kind: 'noneOf', of };
    }
    default:
      return criterion;
  }
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
const known = new WeakMap<Listed, ReadonlySet<bigint>>();

function keysOf(criterion: Listed, keys: Keys): ReadonlySet<bigint> {
  let found = known.get(criterion);
  if (found === undefined) {
    found = new Set(criterion.kind === 'elements' ? criterion.ids : criterion.values.map(keys.term));
    known.set(criterion, found);
  }
  return found;
}
