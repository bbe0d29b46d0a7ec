// What a restarted manager remembers: the past that its journal tells.
import type { ElasticityParameters } from '../decide/parameters.ts';
import type { Millis, PeriodSummary, StepOutcome } from '../model.ts';
import { defined } from './defined.ts';
import { remember, summarize } from './evaluate.ts';
import { bound, type BoundRecord } from './history.ts';
import type { HandRecord, JournalEntry } from './journal.ts';
import type { ParameterChange } from './loop-state.ts';

export interface Recalled {
  /** Newest first, as policies want it. */
  readonly history: readonly PeriodSummary[];
  /** Oldest first, with their outcomes. */
  readonly records: readonly BoundRecord[];
  /** Changes of the settings, newest first. */
  readonly changes: readonly ParameterChange[];
  /** What people did, newest first. */
  readonly byHand: readonly HandRecord[];
  /** Oldest first. */
  readonly steps: readonly TimedStep[];
}

/** What became of a step, and when. */
export interface TimedStep {
  readonly at: Millis;
  readonly outcome: StepOutcome;
}

export function recall(entries: readonly JournalEntry[], parameters: ElasticityParameters): Recalled {
  const outcomes = outcomesByPeriod(entries);
  const records: BoundRecord[] = [];
  const changes: ParameterChange[] = [];
  const byHand: HandRecord[] = [];
  const steps: TimedStep[] = [];
  let history: readonly PeriodSummary[] = [];
  let inForce = parameters;
  for (const entry of entries) {
    if (entry.kind === 'settings') ({ history, parameters: inForce } = entry);
    if (entry.kind === 'change') changes.unshift(changeIn(entry));
    if (entry.kind === 'hand') byHand.unshift({ at: entry.at, who: entry.who, deed: entry.deed });
    if (entry.kind === 'step') steps.push({ at: entry.at, outcome: entry.outcome });
    if (entry.kind !== 'period') continue;
    const { period, observation, forecast, decision } = entry.record;
    history = remember(history, summarize(observation, forecast, decision), inForce);
    records.push(bound({ ...entry.record, outcome: outcomes.get(period) ?? [] }, inForce));
  }
  return { history, records, changes, byHand, steps };
}

const changeIn = ({ at, who, patch, before }: Extract<JournalEntry, { readonly kind: 'change' }>): ParameterChange => ({
  ...{ at, who, patch },
  ...defined({ before }),
});

function outcomesByPeriod(entries: readonly JournalEntry[]): ReadonlyMap<number, readonly StepOutcome[]> {
  const outcomes = new Map<number, StepOutcome[]>();
  for (const entry of entries) {
    if (entry.kind !== 'step' || entry.period === undefined) continue;
    outcomes.set(entry.period, [...(outcomes.get(entry.period) ?? []), entry.outcome]);
  }
  return outcomes;
}
