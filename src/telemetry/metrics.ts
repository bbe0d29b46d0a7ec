// Feeds the metrics: some as things happen, the others when somebody asks.
import { collectDefaultMetrics, Registry } from '@prometheus-io/client';
import type { DecisionRecord, StepOutcome } from '../model.ts';
import { declare, type Declared } from './metric-list.ts';
import { readSources, type MetricSources } from './readings.ts';

export interface Metrics {
  readonly contentType: string;
  /** What Prometheus gets: sources are read now. */
  text(): Promise<string>;
  /** For the control loop's `onPeriod`; timings in ms. */
  period(record: DecisionRecord, timings: Readonly<Record<string, number>>): void;
  /** For the control loop's `onOutcome`. */
  outcome(outcome: StepOutcome): void;
}

export function createMetrics(sources: MetricSources): Metrics {
  const registry = new Registry();
  const all = declare(registry);
  for (const metric of withoutValueYet(all, sources)) metric.remove();
  collectDefaultMetrics({ register: registry });
  return {
    contentType: registry.contentType,
    text() {
      readSources(all, sources);
      return registry.metrics();
    },
    period({ at, policy, decision: { action, rule, guard } }, timings) {
      all.decisions.inc({ policy, action, rule, guard: guard?.name ?? '' });
      all.lastDecision.set(at / 1000);
      for (const [part, ms] of Object.entries(timings)) all.periodSeconds.observe({ part }, ms / 1000);
    },
    outcome({ step, ok, durationMs }) {
      all.steps.inc({ step, result: ok ? 'ok' : 'failed' });
      if (ok) all.stepSeconds.observe({ step }, durationMs / 1000);
    },
  };
}

/** A metric without labels is born as 0. What isn't known yet, or isn't this process's, has no value instead. */
function withoutValueYet(all: Declared, { gateway, manager }: MetricSources): { remove(): void }[] {
  const ofGateway = [all.retries, all.refused, all.inFlight];
  const ofManager = [all.fleetLp, all.fleetTp, all.fleetDeltaTp, all.warming, all.dark, all.vmSeconds, all.period];
  const money = [all.fleetPrice, all.fleetCost, all.fleetSaved, all.fleetNoticed];
  return [all.lastDecision, ...(gateway ? [] : ofGateway), ...(manager ? [] : [...ofManager, ...money])];
}
