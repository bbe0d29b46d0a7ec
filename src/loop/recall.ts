// What a restarted manager remembers: the past that its journal tells.
import type { ElasticityParameters } from '../decide/common/parameters.ts';
import type { Observation, PeriodSummary, StepOutcome } from '../model.ts';
import { remember, summarize } from './evaluate.ts';
import type { DecisionSummary, JournalEntry } from './journal.ts';
import type { ParameterChange } from './manager-state.ts';

export interface Recalled {
  /** Number of the last period. */
  readonly period: number;
  /** Newest first, as policies want it. */
  readonly history: readonly PeriodSummary[];
  /** Oldest first, with their outcomes. */
  readonly decisions: readonly DecisionSummary[];
  /** Changes of the settings, newest first. */
  readonly changes: readonly ParameterChange[];
  /** What was seen last. */
  readonly observation?: Observation;
}

export function recall(entries: readonly JournalEntry[], parameters: ElasticityParameters): Recalled {
  const outcomes = outcomesByPeriod(entries);
  const decisions: DecisionSummary[] = [];
  const changes: ParameterChange[] = [];
  let history: readonly PeriodSummary[] = [];
  let inForce = parameters;
  let last: Observation | undefined;
  for (const entry of entries) {
    if (entry.kind === 'settings') ({ history, parameters: inForce } = entry);
    if (entry.kind === 'change') changes.unshift({ at: entry.at, who: entry.who, patch: entry.patch });
    if (entry.kind !== 'period') continue;
    const { at, period, policy, observation, forecast, decision } = entry.record;
    const summary = summarize(observation, forecast, decision);
    history = remember(history, summary, inForce);
    last = observation;
    decisions.push({ at, period, policy, summary, decision, outcome: outcomes.get(period) ?? [] });
  }
  const seen = last === undefined ? {} : { observation: last };
  return { period: decisions.at(-1)?.period ?? 0, history, decisions, changes, ...seen };
}

function outcomesByPeriod(entries: readonly JournalEntry[]): ReadonlyMap<number, readonly StepOutcome[]> {
  const outcomes = new Map<number, StepOutcome[]>();
  for (const entry of entries) {
    if (entry.kind !== 'step' || entry.period === undefined) continue;
    outcomes.set(entry.period, [...(outcomes.get(entry.period) ?? []), entry.outcome]);
  }
  return outcomes;
}
