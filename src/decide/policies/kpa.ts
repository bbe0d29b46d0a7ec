// Knative's Pod Autoscaler on concurrency: want = ceil(mean concurrency / target) over a stable window; over the panic
// window when that wants twice what is ready, and then nothing leaves until the stable window has passed without panic.
// Worked: limit 100, utilization 70 %: 150 requests at once want ceil(150 / 70) = 3 VMs.
import type { Decision } from '../../model.ts';
import type { Own, ParameterDocs, Policy, Situation } from '../common/policy.ts';
import { decideBySize } from '../common/rules.ts';
import { meanOf, recent, vmsFor } from '../common/series.ts';

export const kpaParameters = {
  limit: { default: 100, min: 1, doc: 'requests that a VM takes at once' },
  utilization: { default: 70, min: 1, max: 100, doc: 'per cent of the limit that is aimed at' },
  stableWindow: { default: 60_000, min: 1000, doc: 'ms' },
  panicWindow: { default: 6_000, min: 1000, doc: 'ms' },
  panicFactor: { default: 2, min: 1, doc: 'panic want ÷ ready VMs from which it panics' },
  maxUp: { default: 1000, min: 1, doc: 'most times the ready VMs in one step up' },
  maxDown: { default: 2, min: 1, doc: 'most times fewer than the ready VMs in one step down' },
} as const satisfies ParameterDocs;

type Parameters = Own<typeof kpaParameters>;

export const kpa: Policy<Parameters> = (situation, parameters): Decision => {
  const { ready, vms } = situation.present;
  const stable = want(situation, parameters.stableWindow, parameters);
  const { panicking, highest } = panic(situation, parameters);
  const most = Math.ceil(Math.max(1, ready) * parameters.maxUp);
  const least = Math.floor(ready / parameters.maxDown);
  const wanted = Math.min(most, Math.max(least, stable, panicking ? highest : 0));
  const kept = panicking ? Math.max(wanted, vms) : wanted;
  return decideBySize(situation, Math.max(1, kept), panicking ? 'kpa panic' : 'kpa', `stable window wants ${stable}`);
};

function want(situation: Situation, window: number, { limit, utilization }: Parameters): number {
  const concurrency = meanOf(recent(situation, window).map((period) => period.concurrency)) ?? 0;
  return vmsFor(concurrency, (limit * utilization) / 100);
}

/** Panic lasts for a stable window after its last cause; while it lasts the highest want of it counts. */
function panic(situation: Situation, parameters: Parameters): { panicking: boolean; highest: number } {
  const periods = recent(situation, parameters.stableWindow);
  const wants = periods.map((period, i) => {
    const seen: Situation = { ...situation, now: period.at, present: period, history: periods.slice(i + 1) };
    return { want: want(seen, parameters.panicWindow, parameters), ready: Math.max(1, period.ready) };
  });
  const causes = wants.filter(({ want, ready }) => want / ready >= parameters.panicFactor);
  return { panicking: causes.length > 0, highest: Math.max(0, ...causes.map(({ want }) => want)) };
}
