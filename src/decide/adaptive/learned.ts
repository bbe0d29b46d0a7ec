// What `adaptive` learns from the last periods of its VMs: what one can do, and how long it boots.
import { everyOf, measuredSpeed, quantile } from '../common/demand.ts';
import { servingOf } from '../common/series.ts';
import type { Fleet, Millis, PeriodSummary } from '../../model.ts';
import type { Situation } from '../common/policy.ts';
import { ratePerVm, responseAt, stationOf, type Capacity, type Station } from '../../queueing/queueing.ts';

/**
 * Capacity of a VM: its measured speed, and no less than its quickest answers imply. The service time is the response
 * time of quiet periods.
 * Worked: 10 a second, responses from 100 ms: parallel 1.
 */
export function capacityOf(
  periods: readonly PeriodSummary[],
  objectiveMs: Millis,
  variation: number,
): Capacity | undefined {
  const speed = measuredSpeed(periods);
  if (speed === undefined) return undefined;
  const responses: number[] = [];
  const every = everyOf(periods);
  for (let i = 0; i < periods.length; i += every) {
    const { responseTime = 0 } = periods[i] ?? {};
    if (responseTime > 0) responses.push(responseTime);
  }
  // an idle VM meets the objective with room to spare, or the objective is not one
  const serviceMs = Math.max(1, Math.min(quantile(responses, 0.1) ?? objectiveMs / 3, objectiveMs / 3));
  const rate = Math.max(speed, 1000 / serviceMs);
  return { serviceMs, parallel: Math.max(1, (rate * serviceMs) / 1000), variation };
}

/** So many of the newest periods tell how requests come. */
const BURST_PERIODS = 90;
/** An idle VM and a saturated one tell little about it. */
const LEAST_LOAD = 0.1;
const MOST_LOAD = 0.9;

/**
 * Requests that come at once wait for one another, which their rate does not show. They wait the longer the more come,
 * and the shorter the more VMs share them: in proportion to the load. What requests took beyond the queueing model's
 * time, divided by the load, is the wait at full load: the median of the periods.
 * Worked: all requests of a second come at its beginning, to one VM at 70 %: the last is answered after 700 ms, and the
 * mean wait is 350 ms, so 500 at full load. On two VMs, at 35 %, it would be 175.
 */
export function burstDelayOf(periods: readonly PeriodSummary[], capacity: Capacity): Millis {
  const stations = new Map<number, Station>();
  const waits: number[] = [];
  for (const period of periods.slice(0, BURST_PERIODS)) {
    const { arrivalRate, responseTime = 0, queueTime = 0 } = period;
    const serving = servingOf(period);
    const load = arrivalRate / (serving * ratePerVm(capacity));
    if (!(load >= LEAST_LOAD && load <= MOST_LOAD && responseTime > 0)) continue;
    const station = stations.get(serving) ?? stationOf(serving, capacity.parallel);
    stations.set(serving, station);
    waits.push((responseTime + queueTime - responseAt(load, station, capacity)) / load);
  }
  return Math.max(0, quantile(waits, 0.5) ?? 0);
}

/** The longest of the fleet's measured boot times; a VM that is still booting may already have taken longer. */
export function bootTimeOf(fleet: Fleet, now: Millis, unknown: Millis): Millis {
  const measured = fleet.flatMap(({ bootTime }) => (bootTime === undefined ? [] : [bootTime]));
  const under = fleet.filter(({ state }) => state === 'pending').map(({ since }) => now - since);
  return Math.max(measured.length === 0 ? unknown : Math.max(...measured), ...under);
}

export interface Horizon {
  /** Periods until a VM asked for now is ready, the period that it then serves included. */
  readonly periods: number;
  readonly ms: Millis;
}

/** Worked: 60 s of boot and periods of 10 s: 7 periods. */
export function horizonOf({ now, history }: Pick<Situation, 'now' | 'history'>, bootMs: Millis): Horizon {
  const period = Math.max(1, now - (history[0]?.at ?? now - 10_000));
  const periods = Math.max(1, Math.ceil(bootMs / period - 0.05)) + 1;
  return { periods, ms: periods * period };
}
