// Parameters that ask for a measure in any unit.
import type { EpcisEvent } from '../../../epcis/domain/event.ts';
import { pick, some } from './chance.ts';
import { MEASURED, UNIT_NAMES, UNITS } from './events.ts';
import { type Ask } from './kinds.ts';
import { OPERATORS, TESTS, type Operator, written } from './values.ts';

interface Measured {
  readonly value?: number | undefined;
  readonly uom?: string | undefined;
}

/** In another unit of the same kind; doubles that differ by their last digits are equal. */
function compareMeasured(
  { value, uom = '' }: Measured,
  asked: number,
  unit: string,
  operator: Operator,
  isDifference: boolean,
): boolean {
  const [from, to] = [UNITS[uom], UNITS[unit]];
  if (value === undefined || from === undefined || to === undefined || from[0] !== to[0]) return false;
  const inBase = (n: number, [, factor, offset]: readonly [string, number, number]): number =>
    n * factor + (isDifference ? 0 : offset);
  const [a, b] = [inBase(value, from), inBase(asked, to)];
  const isEqual = Math.abs(a - b) <= 1e-11 * Math.max(Math.abs(a), Math.abs(b));
  return TESTS[operator](isEqual ? 0 : a, isEqual ? 0 : b);
}

export const measure =
  (name: string, of: (event: EpcisEvent) => readonly Measured[]): Ask =>
  ({ random }) => {
    const operator = pick(random, OPERATORS);
    const unit = pick(random, UNIT_NAMES);
    const asked = operator === 'EQ' ? some(random, 3, () => pick(random, MEASURED)) : [pick(random, MEASURED)];
    return {
      name: `${operator}_${name}_${unit}`,
      values: asked.map((n) => written(random, n)),
      holds: ({ event }) =>
        of(event).some((each) => asked.some((n) => compareMeasured(each, n, unit, operator, name === 'sDev'))),
    };
  };
