// Parameters on the named texts, times and numbers of an event: rules made of the entries in queryable-{texts,numbers}.ts.
import { epcKey } from '../domain/epc.ts';
import type { Criterion } from './criteria.ts';
import { COMPARISONS, group, readNumber, readTime } from './parameter-values.ts';
import type { ParameterRule } from './parameter-rule.ts';
import { vocabulary } from './queryable-columns.ts';
import {
  measured,
  OPERATORS,
  timeName,
  type MeasureFact,
  type NumberFact,
  type TimeFact,
} from './queryable-numbers.ts';
import { EXISTS, typedName, type PresenceFact, type TextFact, type TypedFact } from './queryable-texts.ts';

export const one = (criterion: Criterion): { criteria: Criterion[] } => ({ criteria: [criterion] });

/** The two operators on times. */
export const TIME_OPERATORS = [
  ['GE', 'at this time or later'],
  ['LT', 'before this time'],
] as const;

export function text({ name, parameter, meaning, canonical }: TextFact): ParameterRule {
  return {
    name: parameter,
    pattern: new RegExp(`^${parameter}$`),
    type: 'list',
    meaning,
    read: (_match, values) =>
      one({ kind: 'text', name, values: canonical ? values.flatMap((value) => canonical(value)) : values }),
  };
}

export function presence({ name, meaning }: PresenceFact): ParameterRule {
  return {
    name: `EXISTS_${name}`,
    pattern: new RegExp(`^EXISTS_${name}$`),
    type: 'void',
    meaning,
    read: () => one({ kind: 'text', name, values: [EXISTS] }),
  };
}

export function typed(fact: TypedFact): ParameterRule {
  const canonical = vocabulary(fact.types);
  return {
    name: `EQ_${fact.name}_*type*`,
    pattern: new RegExp(`^EQ_${fact.name}_(?<type>.+)$`),
    type: 'list',
    meaning: fact.meaning,
    read: (match, values) =>
      one({ kind: 'text', name: typedName(fact, canonical(group(match, 'type'))), values: values.map(epcKey) }),
  };
}

export function times({ name, also, meaning }: TimeFact): readonly ParameterRule[] {
  const names = also === undefined ? name : `(?:${name}|${also})`;
  return TIME_OPERATORS.map(([operator, when]) => ({
    name: `${operator}_${name}`,
    pattern: new RegExp(`^${operator}_${names}$`),
    type: 'time',
    meaning: `${meaning} ${when}${also === undefined ? '' : `; also \`${operator}_${also}\``}.`,
    read: (match, [value = '']) =>
      one({
        kind: 'number',
        name: timeName(name),
        comparison: COMPARISONS[operator],
        values: [readTime(match[0], value)],
      }),
  }));
}

export function numbers({ name, operators, meaning }: NumberFact): readonly ParameterRule[] {
  return operators.map((operator) => ({
    name: `${operator}_${name}`,
    pattern: new RegExp(`^${operator}_${name}$`),
    type: operator === 'EQ' ? 'list' : 'number',
    meaning: `${meaning} \`${COMPARISONS[operator]}\` this.`,
    read: (match, values) =>
      one({
        kind: 'number',
        name,
        comparison: COMPARISONS[operator],
        values: values.map((value) => readNumber(match[0], value)),
      }),
  }));
}

/** One rule an operator for all measures: any unit may follow the name. */
export function measures(facts: readonly MeasureFact[]): readonly ParameterRule[] {
  const byName = new Map(facts.map((fact) => [fact.name, fact]));
  const names = [...byName.keys()];
  return OPERATORS.map((operator): ParameterRule => ({
    name: `${operator}_*measure*_*uom*`,
    pattern: new RegExp(`^${operator}_(?<measure>${names.join('|')})_(?<uom>[A-Z0-9]{2,4})$`),
    type: operator === 'EQ' ? 'list' : 'number',
    meaning: `*measure* is ${names.join(', ')}: one \`${COMPARISONS[operator]}\` this, in this unit or one that converts into it.`,
    read: (match, values) => {
      const fact = byName.get(group(match, 'measure')) as MeasureFact; // the pattern has no others
      const inBase = (value: number) => measured(fact, value, group(match, 'uom'));
      const asked = values.map((value) => inBase(readNumber(match[0], value)).value);
      return one({ kind: 'number', name: inBase(0).name, comparison: COMPARISONS[operator], values: asked });
    },
  }));
}
