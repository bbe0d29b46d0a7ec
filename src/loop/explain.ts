// A decision in words: what it was, why, and what would have to be different for the other actions.
import type { Comparison, Decision } from '../model.ts';
import { show } from '../decide/common/policy.ts';

export function explain(decision: Decision): readonly string[] {
  const { guard } = decision;
  return [
    `${TITLES[decision.action](decision.count)} ${decision.reason}`,
    ...(guard === undefined || guard.was === decision.action
      ? []
      : [`Without the guard ${guard.name} it would have been: ${guard.was}.`]),
    ...(decision.action === 'allocate' ? [] : alternative('allocate', decision.comparisons)),
    ...(decision.action === 'release' ? [] : alternative('release', decision.comparisons)),
  ];
}

const TITLES: Readonly<Record<Decision['action'], (count: number) => string>> = {
  allocate: (count) => `Allocate ${vms(count)}.`,
  release: (count) => `Release ${vms(count)}.`,
  hold: () => 'Hold.',
};

const vms = (count: number): string => (count === 1 ? 'one VM' : `${count} VMs`);

/** `To allocate: LP above 70 (it is 43.1); or LP above 56 (it is 43.1) and delta TP at least 20 (it is -3).` */
function alternative(action: 'allocate' | 'release', comparisons: readonly Comparison[]): readonly string[] {
  const rules = new Map<string, Comparison[]>();
  for (const term of comparisons)
    if (term.for === action) rules.set(term.rule ?? '', [...(rules.get(term.rule ?? '') ?? []), term]);
  const ways = [...rules.values()].map((terms) =>
    terms
      .filter((term) => !term.holds)
      .map(wanted)
      .join(' and '),
  );
  const open = ways.filter((way) => way !== '');
  if (rules.size === 0) return [];
  return open.length < ways.length
    ? [`To ${action}: a rule for it fires, but an earlier rule or a guard comes first.`]
    : [`To ${action}: ${open.join('; or ')}.`];
}

const WORDS: Readonly<Record<Comparison['operator'], string>> = {
  '>': 'above',
  '>=': 'at least',
  '<': 'below',
  '<=': 'at most',
  '=': 'exactly',
};

const wanted = (term: Comparison): string =>
  `${term.what} ${WORDS[term.operator]} ${show(term.bound)} (it is ${show(term.value)})`;
