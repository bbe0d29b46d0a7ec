// What the rules give one client: all rules that are about it, together. A denial wins over whatever lets see.
import type { Alternatives, Criterion, ElementScope } from '../../service/criteria.ts';
import type { ClientIdentity } from '../identity.ts';
import type { HiddenField } from './hidden.ts';
import { merged } from './merge.ts';
import type { CaptureFilter, Party, Rule } from './rule.ts';

export interface Rights {
  /** What an event must meet to be there at all. */
  readonly see: readonly Criterion[];
  readonly hidden: readonly Hidden[];
  /** The master data that is there. */
  readonly masterData: readonly ElementScope[];
  readonly capture: readonly CaptureFilter[];
}

export interface Hidden {
  readonly fields: readonly HiddenField[];
  readonly of: Alternatives;
  /** That an event is none of these. */
  readonly isShown: Criterion;
}

/** `now`: ms since 1970. */
export function rightsOf(rules: readonly Rule[], client: ClientIdentity, now: number): Rights {
  const own = rules.filter((rule) => isAbout(rule, client));
  const see = own.flatMap((rule) => rule.see?.(now) ?? []);
  const deny = own.flatMap((rule) => rule.deny?.(now) ?? []);
  return {
    see: [...seen(see), ...(deny.length > 0 ? [{ kind: 'noneOf', of: merged(deny) } as const] : [])],
    hidden: hiddenBy(own, now),
    masterData: own.flatMap(({ masterData }) => masterData ?? []),
    capture: own.flatMap(({ capture }) => capture ?? []),
  };
}

/** What hides the same fields is asked of an event once. */
function hiddenBy(rules: readonly Rule[], now: number): readonly Hidden[] {
  const groups = new Map<string, { readonly fields: readonly HiddenField[]; readonly of: Alternatives[] }>();
  for (const { hide } of rules) {
    if (hide === undefined) continue;
    const key = JSON.stringify(hide.fields);
    const group = groups.get(key) ?? { fields: hide.fields, of: [] };
    groups.set(key, group);
    group.of.push(hide.of(now));
  }
  return [...groups.values()].map(({ fields, of }) => {
    const all = merged(of.flat());
    return { fields, of: all, isShown: { kind: 'noneOf', of: all } };
  });
}

/** Whether a client's rights are the same whenever they are asked for: none of its rules has a time such as now-30d. */
export function areLasting(rules: readonly Rule[], client: ClientIdentity): boolean {
  const filters = rules.filter((rule) => isAbout(rule, client)).flatMap(({ see, deny, hide }) => [see, deny, hide?.of]);
  return filters.every((filter) => filter === undefined || filter(0) === filter(1));
}

export function isAbout({ parties }: Rule, client: ClientIdentity): boolean {
  return parties.some((party) => isParty(party, client));
}

function isParty(party: Party, { client, groups, issuer, claims = {} }: ClientIdentity): boolean {
  switch (party.kind) {
    case 'everybody':
      return true;
    case 'client':
      return party.name === client;
    case 'group':
      return groups.includes(party.name);
    case 'claims':
      return (
        (party.issuer === undefined || party.issuer === issuer) &&
        Object.entries(party.claims).every(([name, values]) => {
          const claimed = Object.hasOwn(claims, name) ? claims[name] : undefined;
          const all = typeof claimed === 'string' ? [claimed] : (claimed ?? []);
          return all.some((value) => values.includes(value));
        })
      );
  }
}

/** Nothing to ask where everything is seen. */
function seen(alternatives: Alternatives): readonly Criterion[] {
  if (alternatives.some((criteria) => criteria.length === 0)) return [];
  const all = merged(alternatives);
  const [only] = all;
  // a single one is as good as the client's own criteria: the query can start from it
  return only && all.length === 1 && only.every(isStart) ? only : [{ kind: 'anyOf', of: all }];
}

/**
 * Of more values than this a repository finds all events and sorts them (repository/sql/event-sql.ts), where the newest few were
 * asked for, of which a client that sees a hundred places sees many.
 */
const MOST_VALUES = 16;

function isStart(criterion: Criterion): boolean {
  if (criterion.kind === 'column' || criterion.kind === 'text') return criterion.values.length <= MOST_VALUES;
  return criterion.kind !== 'epc' && criterion.kind !== 'within';
}
