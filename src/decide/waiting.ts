// Limits of waiting, for any policy: CPU doesn't show that requests queue for a VM, or that accepted captures pile up.
import type { Decision } from '../model.ts';
import type { ElasticityParameters } from './parameters.ts';
import { compare, comparisonsOf, fires, sentence, type Rule, type Situation } from './common/policy.ts';
import { hold } from './common/rules.ts';

type Limits = Pick<ElasticityParameters, 'longestQueueTime' | 'longestBacklog'>;

/** One VM more where work waits for longer than the operator allows; nobody leaves meanwhile. Else what the policy says. */
export function unlessWorkWaits(decision: Decision, { present }: Situation, limits: Limits): Decision {
  const settled = compare('pending VMs', present.vms - present.ready, '=', 0);
  const rule = (name: string, what: string, value: number | undefined, longest: number): readonly Rule[] =>
    longest === 0 ? [] : [{ name, action: 'allocate', terms: [compare(what, value, '>', longest), settled] }];
  const rules = [
    ...rule('queue', 'queue time in ms', present.queueTime, limits.longestQueueTime),
    ...rule('backlog', 'age of the backlog in ms', present.backlog?.age, limits.longestBacklog),
  ];
  if (rules.length === 0) return decision;
  const comparisons = [...decision.comparisons, ...comparisonsOf(rules)];
  const waiting = rules.find(({ terms: [tooLong] }) => tooLong?.holds);
  if (waiting === undefined || decision.action === 'allocate') return { ...decision, comparisons };
  const reason = `${waiting.name}: ${waiting.terms.map(sentence).join(', and ')}.`;
  if (fires(waiting)) return { action: 'allocate', count: 1, rule: waiting.name, reason, comparisons };
  return decision.action === 'hold' ? { ...decision, comparisons } : hold(waiting.name, reason, comparisons);
}
