// What other rules would change, and for whom, of the events that there are.
import type { Alternatives } from '../../service/criteria.ts';
import type { ClientIdentity } from '../identity.ts';
import type { HiddenField } from './hidden.ts';
import { rightsOf } from './rights.ts';
import type { Party, Rule } from './rule.ts';

/** Somebody for each party that the rules name, and one whom none names. */
export function everyoneIn(rules: readonly Rule[]): readonly ClientIdentity[] {
  const all = rules.flatMap(({ parties }) => parties).map(someone);
  return [...new Map([...all, ANYBODY].map((client) => [client.client, client])).values()];
}

const ANYBODY: ClientIdentity = { client: 'anybody else', groups: [], roles: [] };

function someone(party: Party): ClientIdentity {
  switch (party.kind) {
    case 'everybody':
      return ANYBODY;
    case 'client':
      return { client: party.name, groups: [], roles: [] };
    case 'group':
      return { client: `one of the group ${party.name}`, groups: [party.name], roles: [] };
    case 'claims': {
      const claims = Object.fromEntries(Object.entries(party.claims).map(([name, [value = '']]) => [name, value]));
      const shown = Object.entries(claims).map(([name, value]) => `${name} ${value}`);
      const { issuer } = party;
      const client = `one with ${[...(issuer === undefined ? [] : [issuer]), ...shown].join(', ')}`;
      return { client, groups: [], roles: [], claims, ...(issuer !== undefined && { issuer }) };
    }
  }
}

/** Asked of the repository as marks: whether the event is seen, and of each field whether it is hidden; each before and after. */
export function marksOf(
  client: ClientIdentity,
  { before, after }: { readonly before: readonly Rule[]; readonly after: readonly Rule[] },
  now: number,
): readonly Alternatives[] {
  const both = [before, after].map((rules) => rightsOf(rules, client, now));
  const fields = new Set(both.flatMap(({ hidden }) => hidden.flatMap((each) => each.fields.map(keyOf))));
  const hiding = [...fields].flatMap((field) =>
    both.map(({ hidden }) =>
      hidden.filter((each) => each.fields.some((one) => keyOf(one) === field)).flatMap(({ of }) => of),
    ),
  );
  return [...both.map(({ see }) => [see]), ...hiding];
}

const keyOf = (field: HiddenField): string => JSON.stringify(field);

/** Of the events looked at, for one client. */
export class Difference {
  before = 0;
  after = 0;
  /** Seen before and after, with a field hidden in one of both only. */
  otherwise = 0;
  readonly gained: string[] = [];
  readonly lost: string[] = [];
  gains = 0;
  losses = 0;

  /** `marks`: of marksOf. */
  add(eventID: string, [before, after, ...hidden]: readonly boolean[]): void {
    const isOtherwise = hidden.some((mark, n) => n % 2 === 0 && mark !== hidden[n + 1]);
    if (before === true) this.before += 1;
    if (after === true) this.after += 1;
    if (before === true && after === true && isOtherwise) this.otherwise += 1;
    if (before !== true && after === true && (this.gains += 1) <= EXAMPLES) this.gained.push(eventID);
    if (before === true && after !== true && (this.losses += 1) <= EXAMPLES) this.lost.push(eventID);
  }
}

const EXAMPLES = 3;
