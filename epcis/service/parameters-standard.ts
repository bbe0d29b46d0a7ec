// The parameters of EPCIS 1.x on standard fields, and what 2.0 adds to them.
import { epcPattern } from '../domain/epc-pattern.ts';
import { epcKey } from '../domain/epc.ts';
import type { CbvKind } from '../domain/cbv.ts';
import type { Criterion } from './criteria.ts';
import { EXISTS, timeName } from './facts.ts';
import { COMPARISONS, group, readTime, readWhole, wrongValue } from './parameter-values.ts';
import type { ParameterRule } from './parameter-rule.ts';
import { COLUMNS, vocabulary, type Column, type ColumnFact } from './queryable-columns.ts';
import { MATCH_FACTS, type MatchFact } from './queryable-places.ts';
import { STANDARD_TEXTS, type TextFact } from './queryable-texts.ts';

const one = (criterion: Criterion): { criteria: Criterion[] } => ({ criteria: [criterion] });

function column([of, { parameter, meaning, canonical, only, within }]: readonly [
  Column,
  ColumnFact,
]): readonly ParameterRule[] {
  const equal: ParameterRule = {
    name: parameter,
    pattern: new RegExp(`^${parameter}$`),
    type: 'list',
    meaning,
    read: (_match, values) => {
      for (const value of only ? values : [])
        if (!only?.includes(value)) throw wrongValue(parameter, value, `one of ${only?.join(', ')}`);
      return one({ kind: 'column', column: of, values: canonical ? values.map(canonical) : values });
    },
  };
  if (within === undefined) return [equal];
  const below: ParameterRule = {
    name: within,
    pattern: new RegExp(`^${within}$`),
    type: 'list',
    meaning: `${meaning.replace(/\.$/, '')} or, by master data, something below it.`,
    read: (_match, roots) => one({ kind: 'within', column: of, roots }),
  };
  return [equal, below];
}

/** A list parameter on a named text. */
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

function times(name: string, of: 'eventTime' | 'recordTime', meaning: string): readonly ParameterRule[] {
  return [
    {
      name: `GE_${name}`,
      pattern: new RegExp(`^GE_${name}$`),
      type: 'time',
      meaning: `${meaning} at this time or later.`,
      read: (match, [value = '']) => one({ kind: 'time', column: of, from: readTime(match[0], value) }),
    },
    {
      name: `LT_${name}`,
      pattern: new RegExp(`^LT_${name}$`),
      type: 'time',
      meaning: `${meaning} before this time.`,
      read: (match, [value = '']) => one({ kind: 'time', column: of, before: readTime(match[0], value) }),
    },
  ];
}

function typed(name: string, kind: CbvKind, meaning: string): ParameterRule {
  return {
    name: `EQ_${name}_*type*`,
    pattern: new RegExp(`^EQ_${name}_(?<type>.+)$`),
    type: 'list',
    meaning,
    read: (match, values) =>
      one({ kind: 'text', name: `${name}_${vocabulary(kind)(group(match, 'type'))}`, values: values.map(epcKey) }),
  };
}

function match({ parameter, what, roles, meaning }: MatchFact): ParameterRule {
  return {
    name: parameter,
    pattern: new RegExp(`^${parameter}$`),
    type: 'list',
    meaning,
    read: (_match, values) => one({ kind: 'epc', roles, patterns: values.map((value) => epcPattern(value, what)) }),
  };
}

function exists(name: string, meaning: string): ParameterRule {
  return {
    name: `EXISTS_${name}`,
    pattern: new RegExp(`^EXISTS_${name}$`),
    type: 'void',
    meaning,
    read: () => one({ kind: 'text', name, values: [EXISTS] }),
  };
}

export const STANDARD_RULES: readonly ParameterRule[] = [
  ...COLUMNS.flatMap(column),
  ...STANDARD_TEXTS.map(text),
  {
    name: 'EQ_eventID',
    pattern: /^EQ_eventID$/,
    type: 'list',
    meaning: 'The ID of the event; its hash where it was captured without one.',
    read: (_match, values) => one({ kind: 'eventID', values }),
  },
  ...times('eventTime', 'eventTime', 'Happened'),
  ...times('recordTime', 'recordTime', 'Captured'),
  ...(['GE', 'LT'] as const).map((operator): ParameterRule => ({
    name: `${operator}_errorDeclarationTime`,
    pattern: new RegExp(`^${operator}_errorDeclaration_?Time$`),
    type: 'time',
    meaning: `Declared an error ${operator === 'GE' ? 'at this time or later' : 'before this time'}; also \`${operator}_errorDeclaration_Time\`.`,
    read: (match, [value = '']) =>
      one({
        kind: 'number',
        name: timeName('errorDeclarationTime'),
        comparison: operator === 'GE' ? '>=' : '<',
        values: [readTime(match[0], value)],
      }),
  })),
  exists('errorDeclaration', 'The event is an error declaration.'),
  exists('sensorElementList', 'The event has sensor elements.'),
  typed('bizTransaction', 'bizTransaction', 'A business transaction of this type.'),
  typed('source', 'sourceDestination', 'A source of this type.'),
  typed('destination', 'sourceDestination', 'A destination of this type.'),
  ...MATCH_FACTS.map(match),
  ...Object.entries(COMPARISONS).map(([operator, comparison]): ParameterRule => ({
    name: `${operator}_quantity`,
    pattern: new RegExp(`^${operator}_quantity$`),
    type: operator === 'EQ' ? 'list' : 'number',
    meaning: `A quantity, in whatever unit, \`${comparison}\` this whole number.`,
    read: (match, values) =>
      one({
        kind: 'number',
        name: 'quantity',
        comparison,
        values: values.map((value) => readWhole(match[0], value, Number.MIN_SAFE_INTEGER)),
      }),
  })),
];
