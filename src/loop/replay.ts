// Recorded signals through the policy again: where would other settings have decided differently? With the same
// settings it gives the recorded decisions exactly.
import type { ElasticityParameters } from '../decide/parameters.ts';
import type { Market } from '../fleet/offers.ts';
import type { Decision, Millis, PeriodSummary } from '../model.ts';
import { evaluate, remember } from './evaluate.ts';
import type { JournalEntry, ParameterPatch } from './journal.ts';
import { patched } from './settings.ts';

export interface ReplayedPeriod {
  readonly at: Millis;
  readonly period: number;
  readonly recorded: Decision;
  readonly replayed: Decision;
  /** Same action, number and VMs, by the same rule, compared with the same numbers. */
  readonly same: boolean;
  /** Another action, number or VMs: what a change of settings would have changed for the fleet. */
  readonly otherwise: boolean;
}

/**
 * `changes` are set on top of the recorded settings. The past that a decision looks back on keeps its recorded
 * actions, since the recorded signals are what came of them; predictions in it are made anew.
 */
export function replay(entries: readonly JournalEntry[], changes: ParameterPatch = {}): readonly ReplayedPeriod[] {
  const replayed: ReplayedPeriod[] = [];
  let parameters: ElasticityParameters | undefined;
  let history: readonly PeriodSummary[] = [];
  let market: Market | undefined;
  for (const entry of entries) {
    if (entry.kind === 'market') ({ market } = entry);
    if (entry.kind === 'settings') {
      market = entry.market ?? market;
      parameters = patched(entry.parameters, changes);
      // The file's first past, and that of a manager that was restarted; otherwise ours is the same or made anew.
      if (!continues(history, entry.history)) ({ history } = entry);
    }
    if (entry.kind !== 'period' || parameters === undefined) continue;
    const { at, period, observation, decision } = entry.record;
    const evaluation = evaluate(observation, history, parameters, market);
    replayed.push({
      at,
      period,
      recorded: decision,
      replayed: evaluation.decision,
      same: isSame(decision, evaluation.decision),
      otherwise: actsOtherwise(decision, evaluation.decision),
    });
    const summary = { ...evaluation.summary, action: decision.action, count: decision.count };
    history = remember(history, summary, parameters);
  }
  return replayed;
}

export const continues = (ours: readonly PeriodSummary[], theirs: readonly PeriodSummary[]): boolean =>
  ours.length > 0 && ours[0]?.at === theirs[0]?.at;

/** Compared as the journal writes them. */
const isSame = (a: Decision, b: Decision): boolean => JSON.stringify(a) === JSON.stringify(b);

export const actsOtherwise = (a: Decision, b: Decision): boolean =>
  a.action !== b.action || a.count !== b.count || String(a.vms) !== String(b.vms) || bought(a) !== bought(b);

const bought = ({ purchases = [] }: Decision): string => String(purchases.map(({ offer }) => offer.id));
