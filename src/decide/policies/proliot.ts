// Proliot's way (Eliot's successor): the CPU of some periods ahead, by a weighted moving average and an autoregressive
// model of its changes (ARIMA(1,1,0)), against Eliot's thresholds. A VM that boots slowly is asked for in time.
// Worked: CPU 40, 50, 60 (oldest first): changes 10, 10, so phi is 1 and the next change is 10. The weighted mean
// (3 × 60 + 2 × 50 + 40) / 6 = 53.33; three periods ahead it is 53.33 + 30 = 83.33, above high.
import type { Decision } from '../../model.ts';
import type { Declarations, Values } from '../../settings/declaration.ts';
import { definePolicy, highAndLow } from '../common/definition.ts';
import { compare, type Policy } from '../common/policy.ts';
import { decideByRules } from '../common/rules.ts';

const own = {
  horizon: {
    type: 'whole',
    default: 3,
    min: 1,
    max: 60,
    doc: 'periods that it looks ahead: the time a VM needs to boot',
  },
  average: { type: 'whole', default: 3, min: 1, max: 60, doc: 'samples of the weighted moving average' },
  samples: { type: 'whole', default: 30, min: 3, max: 120, doc: 'samples that the model is fitted to' },
} as const satisfies Declarations;

type Parameters = Values<typeof own> & { readonly high: number; readonly low: number };

const decide: Policy<Parameters> = (situation, parameters): Decision => {
  const { present, history, limits } = situation;
  const cpus = [present, ...history].slice(0, parameters.samples).map(({ cpu }) => cpu);
  const expected = ahead(
    cpus.filter((cpu) => cpu !== undefined),
    parameters,
  );
  return decideByRules(situation, [
    { name: 'overload ahead', action: 'allocate', terms: [compare('expected CPU', expected, '>', parameters.high)] },
    {
      name: 'underload ahead',
      action: 'release',
      terms: [compare('expected CPU', expected, '<', parameters.low), compare('VMs', present.vms, '>', limits.min)],
    },
  ]);
};

export const proliot = definePolicy(own, {
  doc: 'Proliot: thresholds on a forecast of the CPU some periods ahead.',
  decidesWhilePending: true,
  thresholds: (parameters) => highAndLow('CPU', parameters),
  decide,
});

/** Newest first. Undefined with fewer than three samples. */
export function ahead(
  cpus: readonly number[],
  { horizon, average }: Pick<Parameters, 'horizon' | 'average'>,
): number | undefined {
  if (cpus.length < 3) return undefined;
  const changes = cpus.slice(0, -1).map((cpu, i) => cpu - (cpus[i + 1] ?? cpu));
  const phi = autoregression(changes);
  let expected = weightedMean(cpus.slice(0, average));
  let change = changes[0] ?? 0;
  for (let step = 0; step < horizon; step++) {
    change *= phi;
    expected += change;
  }
  return Math.min(100, Math.max(0, expected));
}

/** How much of a change the next one repeats, by least squares; beyond ±1 it would run away. */
function autoregression(changes: readonly number[]): number {
  let products = 0;
  let squares = 0;
  for (const [i, change] of changes.slice(0, -1).entries()) {
    const before = changes[i + 1] ?? 0;
    products += change * before;
    squares += before * before;
  }
  return squares === 0 ? 0 : Math.min(1, Math.max(-1, products / squares));
}

/** Newest first, the newest weighs most. Worked: 60, 50, 40 → (3 × 60 + 2 × 50 + 40) / 6 = 53.33. */
function weightedMean(values: readonly number[]): number {
  const weights = values.map((_, i) => values.length - i);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return values.reduce((sum, value, i) => sum + value * (weights[i] ?? 0), 0) / total;
}
