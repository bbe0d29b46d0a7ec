// A run as intervals of one control period: what the client saw, what the fleet was, what the manager decided.
import { vmsNeeded, type Interval, type VmModel } from '../../src/simulate/simulate.ts';
import type { ClientInterval, FleetSample, LoadInfo, Run } from './raw.ts';

export interface Period extends Interval {
  /** Mean ms of the requests answered in it. */
  readonly responseMs?: number;
  readonly deltaTp?: number;
  /** Answered while it lasted: in the last period `answered` has the stragglers, too. */
  readonly answeredInTime: number;
  /** Requests a second that the load meant to send. */
  readonly offered: number;
}

/** Answers that came after the last request was sent count in the last period. */
export function timelineOf({ info, client, fleet, decisions }: Run, vm: VmModel | undefined): readonly Period[] {
  const { period: span, load, objective, startedAt } = info;
  const count = Math.max(1, Math.ceil(load.duration / span));
  const outcomes = spread(client, count, span);
  return Array.from({ length: count }, (_, i) => {
    const at = i * span;
    const seen = outcomes[i] ?? NOTHING;
    const record = decisions.findLast((each) => {
      const since = each.at - startedAt;
      return since > at && since <= at + span;
    });
    const offered = offeredAt(info.load, client, at + span / 2) ?? (seen.arrived * 1000) / span;
    const { lp, deltaTp } = record?.forecast ?? {};
    const acted = decisions.filter(({ at: then, decision }) => {
      const since = then - startedAt;
      return since > at && since <= at + span && decision.action !== 'hold';
    });
    return {
      ...seen,
      ...{ at, span, offered },
      allocated: meanOver(fleet, at, at + span, (sample) => sample.allocated),
      ready: meanOver(fleet, at, at + span, (sample) => sample.ready),
      slow: Math.max(0, seen.answered - seen.satisfied),
      actions: acted.length,
      ...(seen.answered > 0 && { responseMs: seen.responseSum / seen.answered }),
      ...(vm !== undefined && { needed: vmsNeeded(offered, vm, objective) }),
      ...(lp !== undefined && { lp }),
      ...(deltaTp !== undefined && { deltaTp }),
    };
  });
}

interface Counts {
  readonly arrived: number;
  readonly answered: number;
  readonly answeredInTime: number;
  readonly lost: number;
  readonly responseSum: number;
  readonly satisfied: number;
  readonly tolerated: number;
}
const NOTHING: Counts = {
  arrived: 0,
  answered: 0,
  answeredInTime: 0,
  lost: 0,
  responseSum: 0,
  satisfied: 0,
  tolerated: 0,
};

/** The client's seconds don't begin with the periods: each is shared out evenly over the periods that it touches. */
function spread(client: readonly ClientInterval[], count: number, span: number): readonly Counts[] {
  const periods = Array.from({ length: count }, () => ({ ...NOTHING }));
  let from = 0;
  for (const { elapsed, sent, ok, lost, latency, within } of client) {
    const width = Math.max(elapsed - from, Number.MIN_VALUE);
    const last = count - 1;
    for (let i = Math.min(last, Math.floor(from / span)); i <= last; i++) {
      const end = i === last ? Infinity : (i + 1) * span;
      const inTime = overlap(from, elapsed, i * span, (i + 1) * span) / width;
      const share = overlap(from, elapsed, i * span, end) / width;
      const period = periods[i];
      if (period === undefined || share === 0) break;
      period.arrived += share * sent;
      period.answered += share * ok;
      period.answeredInTime += inTime * ok;
      period.lost += share * lost;
      period.responseSum += share * ok * latency.mean;
      period.satisfied += share * (within[0] ?? 0);
      period.tolerated += share * (within[1] ?? 0);
    }
    from = elapsed;
  }
  return periods;
}

const overlap = (from: number, to: number, begin: number, end: number): number =>
  Math.max(0, Math.min(to, end) - Math.max(from, begin));

/** Mean over [from, to) of a value that stays until the next sample. */
function meanOver(
  samples: readonly FleetSample[],
  from: number,
  to: number,
  of: (sample: FleetSample) => number,
): number {
  let sum = 0;
  for (const [i, sample] of samples.entries()) {
    const begin = Math.max(from, i === 0 ? -Infinity : sample.elapsed);
    const end = Math.min(to, samples[i + 1]?.elapsed ?? Infinity);
    if (end > begin) sum += of(sample) * (end - begin);
  }
  return sum / (to - from);
}

/** Single bursts don't fall evenly into seconds, so the rate is the profile's; closed clients and batches are sent as they are answered. */
function offeredAt(
  { drive, step, duration }: LoadInfo,
  client: readonly ClientInterval[],
  at: number,
): number | undefined {
  // at the very end the profile is over already
  const during = client.filter(({ elapsed }) => elapsed < duration);
  const { load = 0 } = during.find(({ elapsed }) => elapsed >= at) ?? during.at(-1) ?? {};
  if (drive === 'closed' || drive === 'batch') return undefined;
  return drive === 'bursts' ? (load * 1000) / step : load;
}
