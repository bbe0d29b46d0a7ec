// What the manager shows of itself: everything the admin page and its API need, as plain data.
import type { ElasticityParameters } from '../decide/common/parameters.ts';
import type { Fleet, Forecast, Millis, Observation, PeriodSummary, Traffic, Vm } from '../model.ts';
import type { DecisionSummary, ParameterPatch } from './journal.ts';

export interface ManagerState {
  readonly at: Millis;
  readonly startedAt: Millis;
  /** Counts up from 1, over restarts. */
  readonly period: number;
  readonly nextPeriodAt: Millis;
  readonly parameters: ElasticityParameters;
  /** Changed settings that the next period starts with. */
  readonly pendingParameters?: ElasticityParameters;
  /** The bounds that LP and delta TP are compared with. */
  readonly thresholds: {
    readonly high: number;
    readonly low: number;
    readonly nearHigh: number;
    readonly nearLow: number;
    readonly target: number;
  };
  readonly fleet: readonly VmView[];
  /** The last period in numbers; undefined before the first. */
  readonly present?: PeriodSummary;
  /** The periods before, newest first, up to 20 minutes. */
  readonly history: readonly PeriodSummary[];
  readonly traffic?: Traffic;
  /** VM-minutes since the manager started. */
  readonly energy: number;
  /** Newest first. */
  readonly decisions: readonly DecisionSummary[];
  /** What the last decision was and what would have to change for the others, in words. */
  readonly explanation: readonly string[];
  /** Changes of the settings, newest first. */
  readonly changes: readonly ParameterChange[];
  /** One sentence each; empty: all is well. */
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
  /** How long each part of the last period took, in ms. */
  readonly timings: Readonly<Record<string, number>>;
}

/** One VM with everything that is known of it. */
export interface VmView extends Vm {
  readonly lp?: number;
  readonly tp?: number;
  readonly cpu?: number;
  readonly memory?: number;
  readonly networkIn?: number;
  readonly networkOut?: number;
  readonly warming: boolean;
  readonly dark: boolean;
  readonly source: 'agent' | 'provider' | 'none';
}

export interface ParameterChange {
  readonly at: Millis;
  readonly who: string;
  readonly patch: ParameterPatch;
}

interface Seen {
  readonly observation: Observation;
  readonly evaluation: { readonly forecast: Forecast };
}

/** The fleet of now with what the last period saw of it. */
export function viewOf(fleet: Fleet, last: Seen | undefined): readonly VmView[] {
  const seen = new Map(last?.observation.vms.map((one) => [one.vm.id, one]));
  const predicted = new Map(last?.evaluation.forecast.vms.map((one) => [one.id, one]));
  return fleet.map((vm): VmView => {
    const { source = 'none', latest, cpu } = seen.get(vm.id) ?? {};
    const { lp, tp, warming = true, dark = false } = predicted.get(vm.id) ?? {};
    const { memory, networkIn, networkOut } = latest ?? {};
    const measured = Object.entries({ lp, tp, cpu: cpu?.[0], memory, networkIn, networkOut });
    return { ...vm, warming, dark, source, ...Object.fromEntries(measured.filter(([, value]) => value !== undefined)) };
  });
}
