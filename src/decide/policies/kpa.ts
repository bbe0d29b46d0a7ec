// Knative's Pod Autoscaler on concurrency: want = ceil(mean concurrency / target) over a stable window; over the panic
// window when that wants twice what is ready, and then nothing leaves until the stable window has passed without panic,
// and every higher want of that time holds. It looks every 2 s: that is the control period (elasticity.period 2s).
// Worked: limit 100, utilization 70 %: 150 requests at once want ceil(150 / 70) = 3 VMs.
import type { Decision, PeriodSummary } from '../../model.ts';
import type { Declarations, Values } from '../../settings/declaration.ts';
import { definePolicy } from '../common/definition.ts';
import type { Policy } from '../common/policy.ts';
import { decideBySize } from '../common/rules.ts';
import { vmsFor } from '../common/series.ts';

const own = {
  limit: { type: 'number', default: 100, min: 1, doc: 'requests that a VM takes at once' },
  utilization: { type: 'number', default: 70, min: 1, max: 100, doc: 'per cent of the limit that is aimed at' },
  stableWindow: { type: 'duration', default: 60_000, min: 1000, doc: 'time that the want is usually taken over' },
  panicWindow: { type: 'duration', default: 6_000, min: 1000, doc: 'time that it is taken over to see a burst' },
  panicFactor: { type: 'number', default: 2, min: 1, doc: 'panic want ÷ ready VMs from which it panics' },
  maxUp: { type: 'number', default: 1000, min: 1, doc: 'most times the ready VMs in one step up' },
  maxDown: { type: 'number', default: 2, min: 1, doc: 'most times fewer than the ready VMs in one step down' },
} as const satisfies Declarations;

type Parameters = Values<typeof own>;

const decide: Policy<Parameters> = (situation, parameters): Decision => {
  const { ready, vms } = situation.present;
  const periods = [situation.present, ...situation.history];
  const stable = want(periods, 0, parameters.stableWindow, parameters);
  const { panicking, highest } = panic(periods, parameters);
  const most = Math.ceil(Math.max(1, ready) * parameters.maxUp);
  const least = Math.floor(ready / parameters.maxDown);
  const wanted = Math.min(most, Math.max(least, stable, panicking ? highest : 0));
  const kept = panicking ? Math.max(wanted, vms) : wanted;
  return decideBySize(situation, Math.max(1, kept), panicking ? 'kpa panic' : 'kpa', `stable window wants ${stable}`);
};

export const kpa = definePolicy(own, {
  doc: "Knative's KPA: as many VMs as the requests at once need; panics in a burst.",
  decidesWhilePending: true,
  decide,
});

/** Wanted at the `from`th of the periods, newest first. */
function want(periods: readonly PeriodSummary[], from: number, window: number, { limit, utilization }: Parameters) {
  const now = periods[from]?.at ?? 0;
  let sum = 0;
  let i = from;
  for (; i < periods.length; i++) {
    const period = periods[i];
    if (period === undefined || now - period.at >= window) break;
    sum += during(period, periods[i + 1]);
  }
  return vmsFor(sum / Math.max(1, i - from), (limit * utilization) / 100);
}

/**
 * Requests at once, on average over a period: what was answered × the time that it took (Little's law); while a queue
 * grows or goes, what isn't answered yet counts as well, as the mean of the period's begin and end.
 * Worked: 20 a second, each 100 ms: 2.
 */
function during(period: PeriodSummary, before: PeriodSummary | undefined): number {
  const { throughput = 0, responseTime = 0, queueTime = 0, concurrency, queued = 0 } = period;
  const answered = (throughput * (responseTime + queueTime)) / 1000;
  if (answered > 0 && queued === 0) return answered;
  return Math.max(answered, (concurrency + (before?.concurrency ?? concurrency)) / 2);
}

/** Panic lasts for a stable window after its last cause; of all that was wanted since it began the highest counts. */
function panic(periods: readonly PeriodSummary[], parameters: Parameters): { panicking: boolean; highest: number } {
  const { stableWindow, panicWindow, panicFactor } = parameters;
  let [cause, highest, seen] = [periods[0]?.at ?? 0, 0, 0];
  let panicking = false;
  for (const [i, period] of periods.entries()) {
    if (cause - period.at >= stableWindow) break;
    const wanted = want(periods, i, panicWindow, parameters);
    seen = Math.max(seen, wanted);
    if (wanted / Math.max(1, period.ready) < panicFactor) continue;
    [panicking, cause, highest] = [true, period.at, seen];
  }
  return { panicking, highest };
}
