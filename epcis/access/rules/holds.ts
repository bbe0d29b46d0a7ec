// Whether an event that is not in the repository, and may never be, meets criteria: of rules on what may be captured.
import { epcPattern, matchesPattern } from '../../domain/epc-pattern.ts';
import { epcKey } from '../../domain/epc.ts';
import type { EpcisEvent } from '../../domain/event.ts';
import type { Alternatives, Comparison, Criterion } from '../../service/criteria.ts';
import { factsOf, type Facts } from '../../service/facts.ts';
import { PLACES } from '../../service/queryable-places.ts';

export interface AtHand {
  readonly event: EpcisEvent;
  readonly hash: string;
}

export function anyHolds(alternatives: Alternatives, event: AtHand): boolean {
  const facts = factsOf(event.event, event.hash);
  return anyOf(alternatives, event, facts);
}

function anyOf(alternatives: Alternatives, event: AtHand, facts: Facts): boolean {
  return alternatives.some((criteria) => criteria.every((criterion) => holds(criterion, event, facts)));
}

const COMPARE: Readonly<Record<Comparison, (a: number, b: number) => boolean>> = {
  '=': (a, b) => a === b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
};

/** What asks for master data or the record time is refused in such rules, and met by nothing. */
function holds(criterion: Criterion, at: AtHand, facts: Facts): boolean {
  switch (criterion.kind) {
    case 'column': {
      const value = facts.columns[criterion.column];
      return value !== undefined && criterion.values.some((each) => epcKey(each) === epcKey(value));
    }
    case 'text':
      return facts.texts.some(({ name, value }) => name === criterion.name && criterion.values.includes(value));
    case 'number': {
      const { name, comparison, values } = criterion;
      const known = facts.numbers.filter((number) => number.name === name);
      return known.some(({ value }) => values.some((each) => COMPARE[comparison](value, each)));
    }
    case 'time': {
      const { column, from = -Infinity, before = Infinity } = criterion;
      return column === 'eventTime' && facts.eventTime >= from && facts.eventTime < before;
    }
    case 'eventID':
      return criterion.values.includes(at.event.eventID ?? at.hash);
    case 'epc':
      return [...facts.epcs].some(
        ([key, roles]) =>
          (roles & criterion.roles) !== 0 && criterion.patterns.some((pattern) => matchesPattern(key, pattern)),
      );
    case 'anyOf':
      return anyOf(criterion.of, at, facts);
    case 'noneOf':
      return !anyOf(criterion.of, at, facts);
    case 'within':
    case 'elements':
    case 'attribute':
    case 'feed':
      return false;
  }
}

/** Whether each EPC and class of the event, wherever it stands, is met by one of the patterns. */
export function everyEpcIs(patterns: readonly string[], event: EpcisEvent): boolean {
  return PLACES.every(({ what, of }) => {
    const known = patterns.map((pattern) => epcPattern(pattern, what));
    return (of(event) ?? []).every((epc) => known.some((pattern) => matchesPattern(epcKey(epc), pattern)));
  });
}
