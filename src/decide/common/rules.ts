// How a decision comes from rules, or from a wanted fleet size: written once for all policies.
import type { Comparison, Decision } from '../../model.ts';
import { leastLoaded } from './choose.ts';
import { comparisonsOf, compare, fires, sentence, show, type Rule, type Situation } from './policy.ts';

type Chooser = (situation: Situation, count: number) => readonly string[];

/** The first rule that fires, one VM; without one, hold. */
export function decideByRules(situation: Situation, rules: readonly Rule[], choose: Chooser = leastLoaded): Decision {
  const comparisons = comparisonsOf(rules);
  const fired = rules.find(fires);
  if (fired === undefined)
    return hold('none', situation.forecast.lp === undefined ? NO_EVIDENCE : noRule(rules), comparisons);
  const reason = `${fired.name}: ${fired.terms.map(sentence).join(', and ')}.`;
  const decided = { action: fired.action, count: 1, rule: fired.name, reason, comparisons };
  if (fired.action === 'allocate') return decided;
  const vms = choose(situation, 1);
  return vms.length === 0 ? hold(fired.name, `${reason} ${NOBODY}`, comparisons) : { ...decided, vms };
}

/** For policies that compute a fleet size: the difference to the present one, in one decision. */
export function decideBySize(situation: Situation, wanted: number, rule: string, why: string): Decision {
  const n = situation.present.vms;
  const comparisons: readonly Comparison[] = [
    { ...compare('wanted VMs', wanted, '>', n), for: 'allocate', rule },
    { ...compare('wanted VMs', wanted, '<', n), for: 'release', rule },
  ];
  const reason = `${rule}: ${why}; ${wanted === 1 ? '1 VM' : `${show(wanted)} VMs`} wanted, ${n} there.`;
  if (wanted > n) return { action: 'allocate', count: wanted - n, rule, reason, comparisons };
  if (wanted === n) return hold(rule, reason, comparisons);
  const vms = leastLoaded(situation, n - wanted);
  if (vms.length === 0) return hold(rule, `${reason} ${NOBODY}`, comparisons);
  return { action: 'release', count: vms.length, rule, reason, comparisons, vms };
}

export const NO_EVIDENCE = 'No ready VM has enough samples yet, so there is nothing to decide on.';

const NOBODY = 'None is ready to leave.';

export const hold = (rule: string, reason: string, comparisons: readonly Comparison[] = []): Decision => ({
  action: 'hold',
  count: 0,
  rule,
  reason,
  comparisons,
});

function noRule(rules: readonly Rule[]): string {
  const missed = rules.map((rule) => rule.terms.find((term) => !term.holds)).filter((term) => term !== undefined);
  return `No rule fires: ${[...new Set(missed.map(sentence))].join('; ')}.`;
}
