// What React, Reg and Adapt take, as in their authors' public code (github.com/ahmedaley/Autoscalers): the arrival rate
// in terms of what one server can do. CPU would be blind above 100 %.
import type { PeriodSummary } from '../../model.ts';
import type { Declarations } from '../../settings/declaration.ts';
import type { Situation } from './policy.ts';
import { ranked } from './ranked.ts';
import { servingOf } from './series.ts';

export const demandSettings = {
  capacity: {
    type: 'number',
    default: 70,
    min: 1,
    max: 100,
    doc: 'per cent of what a VM answers at most that it should answer',
  },
  speed: {
    type: 'number',
    default: 0,
    min: 0,
    max: 1e6,
    doc: 'requests a second that a VM answers at most; 0: as measured, throughput ÷ (VMs × CPU)',
  },
} as const satisfies Declarations;

/**
 * Servers that a period's arrivals need, not rounded; undefined while nothing is known of a VM's speed.
 * Worked: VMs that answer 20 a second and should carry 70 %: 35 a second need 35 / 14 = 2.5.
 */
export function demand(
  { present, history }: Situation,
  { capacity, speed }: { readonly capacity: number; readonly speed: number },
): ((period: PeriodSummary) => number) | undefined {
  const each = (speed || measuredSpeed([present, ...history])) ?? 0;
  return each > 0 ? ({ arrivalRate }) => (100 * arrivalRate) / (capacity * each) : undefined;
}

/** 2.0000000001 from rounding is still 2. */
export const whole = (servers: number): number => Math.ceil(servers - 1e-9);

/** Every eighth period is enough to learn from, and of a longer past so many. */
const EVERY = 8;
const SAMPLES = 90;
/** CPU below this says little about a request's share of it. */
const LEAST_CPU = 10;

/** From one period that is learned from to the next. */
export const everyOf = (periods: readonly PeriodSummary[]): number =>
  Math.max(EVERY, Math.ceil(periods.length / SAMPLES));

/**
 * Requests a second that a VM answers at full load: throughput ÷ (VMs × CPU), the median of the periods, so that a few
 * wrong readings don't count; and no VM can do less than it was seen to do.
 * Worked: 2 VMs at 50 % answer 10 a second: 10 / (2 × 0.5) = 10.
 */
export function measuredSpeed(periods: readonly PeriodSummary[]): number | undefined {
  const [each, byCpu]: [number[], number[]] = [[], []];
  const every = everyOf(periods);
  for (let i = 0; i < periods.length; i += every) {
    const period = periods[i];
    const serving = period === undefined ? 0 : servingOf(period);
    const { throughput = 0, cpu = 0 } = period ?? {};
    if (throughput <= 0 || serving <= 0) continue;
    each.push(throughput / serving);
    if (cpu >= LEAST_CPU) byCpu.push((100 * throughput) / (serving * cpu));
  }
  const seen = quantile(each, 0.95);
  return seen === undefined ? undefined : Math.max(quantile(byCpu, 0.5) ?? 0, seen);
}

/** Of values in any order; undefined of none. */
export function quantile(values: readonly number[], share: number): number | undefined {
  const most = values.length - 1;
  return most < 0 ? undefined : ranked(new Float64Array(values), Math.min(most, Math.floor(share * values.length)));
}
