// Knative's Pod Autoscaler on concurrency: want = ceil(mean concurrency / target) over a stable window; over the panic
// window when that wants twice what is ready, and then nothing leaves until the stable window has passed without panic.
// Worked: limit 100, utilization 70 %: 150 requests at once want ceil(150 / 70) = 3 VMs.
import type { Decision } from '../../model.ts';
import type { Declarations, Values } from '../../settings/declaration.ts';
import { definePolicy } from '../common/definition.ts';
import type { Policy, Situation } from '../common/policy.ts';
import { decideBySize } from '../common/rules.ts';
import { meanOf, recent, vmsFor } from '../common/series.ts';

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
  const stable = want(situation, parameters.stableWindow, parameters);
  const { panicking, highest } = panic(situation, parameters);
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
