// Parameters that say which of the results, and in which order.
import { fieldName } from './queryable-fields.ts';
import { wrongValue, readWhole } from './parameter-values.ts';
import { keyOfField } from './parameters-fields.ts';
import type { ParameterRule } from './parameter-rule.ts';

export const CONTROL_RULES: readonly ParameterRule[] = [
  {
    name: 'orderBy',
    pattern: /^orderBy$/,
    type: 'text',
    meaning: 'Order by `eventTime`, `recordTime` or an extension field of the top level; events without it come last.',
    read: (_match, [value = '']) => {
      if (value === 'eventTime' || value === 'recordTime') return { orderBy: value };
      if (!/[#:/]/.test(value)) throw wrongValue('orderBy', value, 'eventTime, recordTime or an extension field');
      return { orderBy: fieldName('event', false, keyOfField(value)) };
    },
  },
  {
    name: 'orderDirection',
    pattern: /^orderDirection$/,
    type: 'text',
    meaning: '`ASC` or `DESC`; default `DESC`.',
    read: (_match, [value = '']) => {
      if (value !== 'ASC' && value !== 'DESC') throw wrongValue('orderDirection', value, 'ASC or DESC');
      return { orderDirection: value };
    },
  },
  {
    name: 'eventCountLimit',
    pattern: /^eventCountLimit$/,
    type: 'number',
    meaning: 'The first so many in order; needs `orderBy`, excludes `maxEventCount`.',
    read: (_match, [value = '']) => ({ eventCountLimit: readWhole('eventCountLimit', value, 1) }),
  },
  {
    name: 'maxEventCount',
    pattern: /^maxEventCount$/,
    type: 'number',
    meaning: 'QueryTooLargeException when there are more.',
    read: (_match, [value = '']) => ({ maxEventCount: readWhole('maxEventCount', value, 1) }),
  },
];
