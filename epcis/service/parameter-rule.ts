// What a rule of the parameter registry is, and what the rules make of a query. Types only.
import type { Criterion, EventOrder } from './criteria.ts';

export type ParameterType = 'list' | 'time' | 'number' | 'void' | 'text';

export interface ParameterRule {
  /** As documentation writes it; *what varies* stands between stars. */
  readonly name: string;
  readonly pattern: RegExp;
  readonly type: ParameterType;
  readonly meaning: string;
  /** `match` is the name's; `values` are never empty (except for void). Throws a QueryParameterException. */
  readonly read: (match: RegExpExecArray, values: readonly string[]) => Partial<QueryPlan>;
}

/** A criterion that is known only after a look at the master data: the named text is an element with this attribute. */
export interface AttributeOfText {
  /** The text's name, or the roles of an EPC class. */
  readonly of: string | number;
  readonly attributes: readonly string[];
  readonly values?: readonly string[];
}

/** What a set of parameters asks for. */
export interface QueryPlan {
  readonly criteria: readonly Criterion[];
  readonly attributes: readonly AttributeOfText[];
  /** eventTime, recordTime, or the name of a field (queryable-fields.ts). */
  readonly orderBy?: string;
  readonly orderDirection?: EventOrder['direction'];
  readonly eventCountLimit?: number;
  readonly maxEventCount?: number;
}
