// The one registry of query parameters, for both doors: what a parameter is called, what type it has and what it means.
// The first rule whose pattern fits a name reads its values; epcis/PARAMETERS.md is generated from the rules.
import { EpcisException } from '../domain/exceptions.ts';
import type { ParameterRule, QueryPlan } from './parameter-rule.ts';
import { CONTROL_RULES } from './parameters-control.ts';
import { FIELD_RULES } from './parameters-fields.ts';
import { STANDARD_RULES } from './parameters-standard.ts';
import type { QueryParameter } from './services.ts';

export interface QueryLimits {
  /** Parameters in one query. */
  readonly parameters: number;
  /** Values in all lists of one query together. */
  readonly values: number;
}

export const QUERY_LIMITS: QueryLimits = { parameters: 100, values: 2000 };

export const EVENT_RULES: readonly ParameterRule[] = [...CONTROL_RULES, ...STANDARD_RULES, ...FIELD_RULES];

/** SimpleEventQuery's parameters as a plan; a QueryParameterException says which one is wrong and how. */
export function planEvents(parameters: readonly QueryParameter[], limits: QueryLimits = QUERY_LIMITS): QueryPlan {
  refuseDuplicates(parameters);
  refuseTooMany(parameters, limits);
  const parts = parameters.map(readParameter);
  const plan: QueryPlan = {
    ...(Object.assign({}, ...parts) as Partial<QueryPlan>),
    criteria: parts.flatMap((part) => part.criteria ?? []),
    attributes: parts.flatMap((part) => part.attributes ?? []),
  };
  if (plan.eventCountLimit !== undefined && plan.maxEventCount !== undefined)
    throw wrong('eventCountLimit and maxEventCount exclude each other.');
  if (plan.eventCountLimit !== undefined && plan.orderBy === undefined)
    throw wrong('eventCountLimit needs orderBy: it says which events are the first ones.');
  return plan;
}

function readParameter({ name, values }: QueryParameter): Partial<QueryPlan> {
  const { rule, match } = ruleOf(name);
  const given = values.filter((value) => value !== '');
  if (rule.type === 'void') return isTrue(name, given) ? rule.read(match, []) : {};
  if (given.length === 0) return {};
  if (rule.type !== 'list' && given.length > 1) throw wrong(`${name} takes one value, not ${given.length}.`);
  return rule.read(match, given);
}

interface Found {
  readonly rule: ParameterRule;
  readonly match: RegExpExecArray;
}

/** The names asked for are few and repeat; what a hundred patterns said of them is remembered. */
const found = new Map<string, Found>();
const REMEMBERED = 1000;

function ruleOf(name: string): Found {
  const known = found.get(name);
  if (known) return known;
  for (const rule of EVENT_RULES) {
    const match = rule.pattern.exec(name);
    if (!match) continue;
    if (found.size >= REMEMBERED) found.clear();
    found.set(name, { rule, match });
    return { rule, match };
  }
  throw wrong(`SimpleEventQuery has no parameter '${name}'.`);
}

/** A void parameter stands by its name; REST may also say true or false. SOAP's element may be empty. */
function isTrue(name: string, [value, ...more]: readonly string[]): boolean {
  if (more.length > 0 || (value !== undefined && !['true', 'false', '1', '0'].includes(value)))
    throw wrong(`${name} takes no value.`);
  return value !== 'false' && value !== '0';
}

export function refuseDuplicates(parameters: readonly QueryParameter[]): void {
  const seen = new Set<string>();
  for (const { name } of parameters) {
    if (seen.has(name)) throw wrong(`The parameter ${name} is given twice.`);
    seen.add(name);
  }
}

export function refuseTooMany(parameters: readonly QueryParameter[], limits: QueryLimits): void {
  const values = parameters.reduce((sum, parameter) => sum + parameter.values.length, 0);
  if (parameters.length > limits.parameters || values > limits.values)
    throw new EpcisException(
      'QueryTooComplexException',
      `A query may have up to ${limits.parameters} parameters and ${limits.values} values.`,
    );
}

function wrong(reason: string): EpcisException {
  return new EpcisException('QueryParameterException', reason);
}
