// Port: a policy is a pure function of what was seen. It keeps no state; what it must remember is in the history.
import type { Comparison, Decision, Fleet, Forecast, Limits, Millis, PeriodSummary } from '../../model.ts';

/** Everything a policy may look at. */
export interface Situation {
  readonly now: Millis;
  readonly fleet: Fleet;
  readonly forecast: Forecast;
  /** This period in numbers (no action yet). */
  readonly present: PeriodSummary;
  /** The periods before this one, newest first. */
  readonly history: readonly PeriodSummary[];
  readonly limits: Limits;
}

export type Policy<P> = (situation: Situation, parameters: P) => Decision;

export type Comparing = Comparison['operator'];

const HOLDS: Readonly<Record<Comparing, (value: number, bound: number) => boolean>> = {
  '>': (value, bound) => value > bound,
  '>=': (value, bound) => value >= bound,
  '<': (value, bound) => value < bound,
  '<=': (value, bound) => value <= bound,
  '=': (value, bound) => value === bound,
};

/** A comparison with its result; one with an unknown value does not hold. */
export function compare(what: string, value: number | undefined, operator: Comparing, bound: number): Comparison {
  return { what, value, operator, bound, holds: value !== undefined && HOLDS[operator](value, bound) };
}

/** The terms of one rule: it fires when all of them hold. */
export interface Rule {
  readonly name: string;
  readonly action: 'allocate' | 'release';
  readonly terms: readonly Comparison[];
}

export const fires = (rule: Rule): boolean => rule.terms.every((term) => term.holds);

/** All comparisons of the rules, each labelled with the rule it belongs to. */
export const comparisonsOf = (rules: readonly Rule[]): readonly Comparison[] =>
  rules.flatMap((rule) => rule.terms.map((term) => ({ ...term, for: rule.action, rule: rule.name })));

/** `71.25`, `56`, `-3.1`: at most two decimals, as people read numbers. */
export const show = (value: number | undefined): string =>
  value === undefined ? 'unknown' : String(Math.round(value * 100) / 100);

export const sentence = (term: Comparison): string =>
  `${term.what} ${show(term.value)} ${term.holds ? 'is' : 'is not'} ${term.operator} ${show(term.bound)}`;
