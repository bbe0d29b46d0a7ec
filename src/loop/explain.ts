// A decision in words: what it was, why, and what would have to be different for the other actions.
import type { Comparison, Decision } from '../model.ts';
import { show } from '../decide/common/policy.ts';
import { purchaseSentence } from './costs.ts';

/** In a dry run a decision is what would be done. */
export function explain(decision: Decision, dryRun = false): readonly string[] {
  const { guard, action, count } = decision;
  const title = dryRun && action !== 'hold' ? `Dry run: would ${action} ${vms(count)}.` : TITLES[action](count);
  return [
    `${title} ${decision.reason}`,
    ...(decision.purchases?.length ? [purchaseSentence(decision.purchases)] : []),
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
  if (rules.size === 0) return [];
  const ways = [...rules.values()].map((terms) => new Set(terms.filter((term) => !term.holds).map(wanted)));
  if (ways.some((way) => way.size === 0))
    return [`To ${action}: a rule for it fires, but an earlier rule or a guard comes first.`];
  const [first = new Set<string>(), ...others] = shortest(ways);
  const besides = others.length === 0 ? [] : [...first].filter((term) => others.every((way) => way.has(term)));
  const own = [first, ...others].map((way) => [...way].filter((term) => !besides.includes(term)).join(' and '));
  const always = besides.length === 0 ? '' : `; and besides ${besides.join(' and ')}`;
  return [`To ${action}: ${own.join('; or ')}${always}.`];
}

/** Without ways that ask for all that another one asks for, and more: `A; or A and B` is A. */
const shortest = (ways: readonly ReadonlySet<string>[]): readonly ReadonlySet<string>[] =>
  ways.filter(
    (way, i) => !ways.some((other, j) => [...other].every((term) => way.has(term)) && (other.size < way.size || j < i)),
  );

const WORDS: Readonly<Record<Comparison['operator'], string>> = {
  '>': 'above',
  '>=': 'at least',
  '<': 'below',
  '<=': 'at most',
  '=': 'exactly',
};

/** At a bound of the fleet's size: what to do about it. */
const wanted = (term: Comparison): string =>
  term.what === 'VMs' && term.operator === '<'
    ? `a max above ${show(term.bound)} (${show(term.value)} ${term.value === 1 ? 'is' : 'are'} there)`
    : asCompared(term);

const asCompared = (term: Comparison): string =>
  `${term.what} ${WORDS[term.operator]} ${show(term.bound)} (it is ${show(term.value)})`;
