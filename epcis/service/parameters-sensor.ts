// Parameters on sensor elements (2.0) and on quantities with a unit.
import { timeName } from './facts.ts';
import { COMPARISONS, group, readNumber, readTime } from './parameter-values.ts';
import type { ParameterRule } from './parameter-rule.ts';
import { text } from './parameters-standard.ts';
import { SENSOR_TEXTS } from './queryable-texts.ts';
import { toBaseUnit } from './units.ts';

const TIMES: Readonly<Record<string, string>> = {
  time: 'A sensor was read',
  startTime: 'A sensor was read in a time that starts',
  endTime: 'A sensor was read in a time that ends',
};

const MEASURES = 'value|minValue|maxValue|meanValue|sDev|percValue|quantity';

function times([name, meaning]: [string, string]): readonly ParameterRule[] {
  return (['GE', 'LT'] as const).map((operator) => ({
    name: `${operator}_${name}`,
    pattern: new RegExp(`^${operator}_${name}$`),
    type: 'time',
    meaning: `${meaning} ${operator === 'GE' ? 'at this time or later' : 'before this time'}.`,
    read: (match, [value = '']) => ({
      criteria: [
        {
          kind: 'number',
          name: timeName(name),
          comparison: operator === 'GE' ? '>=' : '<',
          values: [readTime(match[0], value)],
        },
      ],
    }),
  }));
}

export const SENSOR_RULES: readonly ParameterRule[] = [
  ...Object.entries(TIMES).flatMap(times),
  ...SENSOR_TEXTS.map(text),
  ...(['GE', 'GT', 'LE', 'LT'] as const).map((operator): ParameterRule => ({
    name: `${operator}_percRank`,
    pattern: new RegExp(`^${operator}_percRank$`),
    type: 'number',
    meaning: `A percentile rank \`${COMPARISONS[operator]}\` this.`,
    read: (match, [value = '']) => ({
      criteria: [
        {
          kind: 'number',
          name: 'percRank',
          comparison: COMPARISONS[operator] ?? '=',
          values: [readNumber(match[0], value)],
        },
      ],
    }),
  })),
  ...Object.entries(COMPARISONS).map(([operator, comparison]): ParameterRule => ({
    name: `${operator}_*measure*_*uom*`,
    pattern: new RegExp(`^${operator}_(?<measure>${MEASURES})_(?<uom>[A-Z0-9]{2,4})$`),
    type: operator === 'EQ' ? 'list' : 'number',
    meaning: `*measure* is ${MEASURES.replaceAll('|', ', ')}: one \`${comparison}\` this, in this unit or one that converts into it.`,
    read: (match, values) => {
      const [measure, uom] = [group(match, 'measure'), group(match, 'uom')];
      const kind = measure === 'sDev' ? 'difference' : 'value';
      const { unit } = toBaseUnit(0, uom, kind);
      const converted = values.map((value) => toBaseUnit(readNumber(match[0], value), uom, kind).value);
      return { criteria: [{ kind: 'number', name: `${measure}_${unit}`, comparison, values: converted }] };
    },
  })),
];
