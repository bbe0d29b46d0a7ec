// The rights of each client, by the rules as they are at this moment.
import type { Alternatives } from '../../service/criteria.ts';
import type { ClientIdentity } from '../identity.ts';
import { areLasting, rightsOf, type Rights } from './rights.ts';
import type { Rule } from './rule.ts';

/** Undefined for nobody in particular, who has no rights. */
export type RightsOf = (client: ClientIdentity | undefined) => Rights;

const NO_RIGHTS: Rights = { see: [{ kind: 'anyOf', of: [] }], hidden: [], masterData: [], capture: [] };

/** Times such as now-30d are taken anew after so long; most clients ask more often. */
const GOOD_FOR_MS = 1000;
const REMEMBERED = 1000;

/** `rules`: the same list as long as nothing has changed. */
export function clientRights(rules: () => readonly Rule[], now: () => number): RightsOf {
  let of: readonly Rule[] | undefined;
  const known = new Map<string, { readonly rights: Rights; readonly until: number }>();
  return (client) => {
    if (client === undefined) return NO_RIGHTS;
    const current = rules();
    if (current !== of || known.size > REMEMBERED) known.clear();
    of = current;
    const key = JSON.stringify(client);
    const time = now();
    const found = known.get(key);
    if (found !== undefined && found.until > time) return found.rights;
    const rights = rightsOf(current, client, time);
    known.set(key, { rights, until: areLasting(current, client) ? Infinity : time + GOOD_FOR_MS });
    return rights;
  };
}

/** Another text whenever rules, or the client's groups and claims, change what it may see; times such as now-30d change nothing. */
export function seenBy(rules: readonly Rule[], client: ClientIdentity): string {
  const { see, hidden } = rightsOf(rules, client, 0);
  const plain = (_: string, value: unknown): unknown => (typeof value === 'symbol' ? String(value) : value);
  return JSON.stringify([see, hidden], plain);
}

/** All that rules ask of events. */
export function askedBy(rules: readonly Rule[]): readonly Alternatives[] {
  return rules.flatMap(({ see, deny, hide }) => [see, deny, hide?.of].flatMap((filter) => (filter ? [filter(0)] : [])));
}
