// Why a client gets an event, or does not: which rules are about the client, and which of them the event meets.
import type { Alternatives } from '../../service/criteria.ts';
import type { ClientIdentity } from '../identity.ts';
import type { HiddenField } from './hidden.ts';
import { isAbout } from './rights.ts';
import type { Rule } from './rule.ts';

/** What one rule does with events. */
interface Effect {
  readonly rule: Rule;
  readonly does: 'see' | 'deny' | 'hide';
  readonly of: Alternatives;
}

/** Asked of the repository as marks (EventQuery), so that what explains is what decides. */
export function effectsOf(rules: readonly Rule[], client: ClientIdentity, now: number): readonly Effect[] {
  return rules
    .filter((rule) => isAbout(rule, client))
    .flatMap((rule) => [
      ...(rule.see ? [{ rule, does: 'see', of: rule.see(now) } as const] : []),
      ...(rule.deny ? [{ rule, does: 'deny', of: rule.deny(now) } as const] : []),
      ...(rule.hide ? [{ rule, does: 'hide', of: rule.hide.of(now) } as const] : []),
    ]);
}

/** Lines for a person, the first of which says it all. `marks`: whether the event meets each effect. */
export function explain(effects: readonly Effect[], marks: readonly boolean[], client: string): readonly string[] {
  const met = effects.filter((_, n) => marks[n] === true);
  const denied = met.filter(({ does }) => does === 'deny');
  const seen = met.filter(({ does }) => does === 'see');
  const hiding = met.filter(({ does }) => does === 'hide');
  const names = (some: readonly Effect[]): string => some.map(({ rule }) => `"${rule.name}"`).join(', ');
  const lines = effects.map(
    ({ rule, does }, n) => `  ${marks[n] === true ? 'meets' : '     '}  ${does.padEnd(4)}  ${rule.name}`,
  );
  if (denied.length > 0) return [`${client} does not get it: denied by ${names(denied)}.`, ...lines];
  if (seen.length === 0) return [`${client} does not get it: no rule lets it see this event.`, ...lines];
  const fields = [...new Set(hiding.flatMap(({ rule }) => rule.hide?.fields ?? []).map(nameOf))];
  const without = fields.length === 0 ? '' : `, without ${fields.join(', ')} (${names(hiding)})`;
  return [`${client} gets it by ${names(seen)}${without}.`, ...lines];
}

const nameOf = (field: HiddenField): string => (field.kind === 'part' ? field.part : field.key);
