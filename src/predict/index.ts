// The predictors by name, and the forecast of the whole fleet.
import type { Forecast, Observation, PeriodSummary, VmForecast, VmObservation } from '../model.ts';
import { aging } from './aging.ts';
import { last } from './last.ts';
import type { Predictor } from './predictor.ts';

const predictors = { aging, last } as const satisfies Readonly<Record<string, Predictor>>;

export type PredictorName = keyof typeof predictors;

export interface ForecastParameters {
  readonly predictor: PredictorName;
  /** Samples that count, the newest included. */
  readonly window: number;
  /** Real samples before a VM's prediction is evidence. */
  readonly warmup: number;
  /** Whether the fleet's TP is added to that of the period before, as the paper's Algorithm 2 is printed. */
  readonly sumsTimeOn: boolean;
}

/** LP and TP of every VM and of the fleet. `previous` is the period before, for delta TP. */
export function forecast(
  observation: Observation,
  previous: PeriodSummary | undefined,
  parameters: ForecastParameters,
): Forecast {
  const predict: Predictor = predictors[parameters.predictor];
  const vms = observation.vms.map((seen): VmForecast => ({
    id: seen.vm.id,
    lp: predict(seen.cpu, parameters.window),
    tp: predict(seen.responseTime, parameters.window),
    warming: seen.cpu.length < parameters.warmup,
    dark: seen.source === 'none',
  }));
  const lp = mean(vms.filter((vm, i) => isEvidence(observation.vms[i], vm)).map((vm) => vm.lp));
  const fresh = mean(vms.filter((vm, i) => answers(observation.vms[i], vm, parameters.warmup)).map((vm) => vm.tp));
  const tp = fresh !== undefined && parameters.sumsTimeOn ? (previous?.tp ?? 0) + fresh : fresh;
  const deltaTp = change(previous?.tp, tp);
  return { vms, ...known('lp', lp), ...known('tp', tp), ...known('deltaTp', deltaTp) };
}

/** Only ready, warm VMs that aren't dark speak for the fleet. */
export const isEvidence = (seen: VmObservation | undefined, vm: VmForecast): boolean =>
  seen?.vm.state === 'ready' && !vm.warming && !vm.dark;

/** A VM's TP is evidence once it has enough response-time samples of its own. */
const answers = (seen: VmObservation | undefined, vm: VmForecast, warmup: number): boolean =>
  isEvidence(seen, vm) && (seen?.responseTime.length ?? 0) >= warmup;

/** delta TP in per cent, signed. Worked: 200 ms → 250 ms is +25. Undefined while the previous TP is 0 or warming. */
export function change(previous: number | undefined, now: number | undefined): number | undefined {
  if (previous === undefined || now === undefined || previous === 0) return undefined;
  return ((now - previous) / previous) * 100;
}

export const mean = (values: readonly number[]): number | undefined =>
  values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;

/** An optional field that is there only when its value is (records compare equal after a trip through JSON). */
const known = <K extends string>(key: K, value: number | undefined): { [key in K]?: number } =>
  value === undefined ? {} : ({ [key]: value } as { [key in K]?: number });
