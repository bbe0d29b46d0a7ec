// The rights of each client, by the rules as they are at this moment.
import type { ClientIdentity } from '../identity.ts';
import { rightsOf, type Rights } from './rights.ts';
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
    known.set(key, { rights, until: time + GOOD_FOR_MS });
    return rights;
  };
}

/** Whether a rule has a pattern of EPCs, which are then looked for event by event (repository/access-rules.ts). */
export function hasPatterns(rules: readonly Rule[]): boolean {
  return rules.some((rule) =>
    JSON.stringify([rule.see?.(0), rule.deny?.(0), rule.hide?.of(0)]).includes('"kind":"epc"'),
  );
}
