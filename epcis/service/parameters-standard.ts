// The parameters on what the standard names, of EPCIS 1.x and 2.0: rules made of the tables of what is queryable.
import { epcPattern } from '../domain/epc-pattern.ts';
import { readTime, wrongValue } from './parameter-values.ts';
import type { ParameterRule } from './parameter-rule.ts';
import { measures, numbers, one, presence, text, TIME_OPERATORS, typed, times } from './parameters-named.ts';
import { COLUMNS, ROW_TIMES, type Column, type ColumnFact, type RowTime } from './queryable-columns.ts';
import {
  SENSOR_MEASURES,
  SENSOR_NUMBERS,
  SENSOR_TIMES,
  STANDARD_MEASURES,
  STANDARD_NUMBERS,
  STANDARD_TIMES,
} from './queryable-numbers.ts';
import { MATCH_FACTS, type MatchFact } from './queryable-places.ts';
import { EVENT_ID, PRESENCES, SENSOR_TEXTS, STANDARD_TEXTS, TYPED_TEXTS } from './queryable-texts.ts';

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

const eventId: ParameterRule = {
  name: EVENT_ID.parameter,
  pattern: new RegExp(`^${EVENT_ID.parameter}$`),
  type: 'list',
  meaning: EVENT_ID.meaning,
  read: (_match, values) => one({ kind: 'eventID', values }),
};

function rowTimes(name: RowTime): readonly ParameterRule[] {
  return TIME_OPERATORS.map(([operator, when]) => ({
    name: `${operator}_${name}`,
    pattern: new RegExp(`^${operator}_${name}$`),
    type: 'time',
    meaning: `${ROW_TIMES[name].meaning} ${when}.`,
    read: (match, [value = '']) => {
      const time = readTime(match[0], value);
      return one({ kind: 'time', column: name, ...(operator === 'GE' ? { from: time } : { before: time }) });
    },
  }));
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

export const STANDARD_RULES: readonly ParameterRule[] = [
  ...COLUMNS.flatMap(column),
  ...STANDARD_TEXTS.map(text),
  eventId,
  ...(Object.keys(ROW_TIMES) as RowTime[]).flatMap(rowTimes),
  ...STANDARD_TIMES.flatMap(times),
  ...PRESENCES.map(presence),
  ...TYPED_TEXTS.map(typed),
  ...MATCH_FACTS.map(match),
  ...STANDARD_NUMBERS.flatMap(numbers),
  ...SENSOR_TIMES.flatMap(times),
  ...SENSOR_TEXTS.map(text),
  ...SENSOR_NUMBERS.flatMap(numbers),
  ...measures([...SENSOR_MEASURES, ...STANDARD_MEASURES]),
];
