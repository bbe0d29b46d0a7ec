// What somebody who makes a key says of it, checked.
import { isClientRole, CLIENT_ROLES, type ClientRole } from '../../epcis/access/identity.ts';
import type { Terms } from './terms.ts';

export interface KeyRequest extends Terms {
  readonly client: string;
  readonly roles: readonly ClientRole[];
  readonly groups: readonly string[];
  readonly tenant?: string;
  /** ISO 8601. */
  readonly expiresAt?: string;
}

/** No colon: HTTP Basic ends a name there, and so do the names of issuers. */
const NAME = /^[A-Za-z0-9][\w.@-]{0,62}$/;
const LIMITS = ['requestsPerSecond', 'eventsPerSecond', 'subscriptions'] as const;
const KNOWN = ['client', 'roles', 'groups', 'tenant', 'expiresAt', ...LIMITS, 'requestClass'];

/** The request, or in one sentence why there can be no such key. `classes`: of the gateway's queue. */
export function readKeyRequest(given: unknown, classes: readonly string[], now: number): KeyRequest | string {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return 'A key is asked for by a JSON object such as {"client": "acme", "roles": ["query"]}.';
  const asked = given as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(asked).find((name) => !KNOWN.includes(name));
  if (unknown !== undefined) return `A key has no "${unknown}": it has ${KNOWN.join(', ')}.`;
  const { client, roles, groups = [], tenant, expiresAt, requestClass } = asked;
  if (!isName(client)) return `client is a name of letters, digits, ".", "_", "@" and "-", 63 at most.`;
  if (!isListOf(roles, isClientRole) || roles.length === 0) return `roles is a list of ${CLIENT_ROLES.join(', ')}.`;
  if (!isListOf(groups, isName)) return 'groups is a list of names.';
  if (tenant !== undefined && !isName(tenant)) return 'tenant is a name.';
  if (expiresAt !== undefined && !isTime(expiresAt, now))
    return 'expiresAt is a time to come, such as 2030-01-01T00:00:00Z.';
  const limits: Partial<Record<(typeof LIMITS)[number], number>> = {};
  for (const name of LIMITS) {
    const limit = asked[name];
    if (limit === undefined) continue;
    if (!(typeof limit === 'number' && limit > 0)) return `${name} is a number above 0.`;
    limits[name] = limit;
  }
  if (requestClass !== undefined && !(typeof requestClass === 'string' && classes.includes(requestClass)))
    return `requestClass is one of ${classes.join(', ')}.`;
  return {
    ...{ client, roles: [...new Set(roles)], groups: [...new Set(groups)] },
    ...(tenant !== undefined && { tenant }),
    ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt).toISOString() }),
    ...limits,
    ...(requestClass !== undefined && { requestClass }),
  };
}

const isName = (value: unknown): value is string => typeof value === 'string' && NAME.test(value);

const isTime = (value: unknown, now: number): value is string => typeof value === 'string' && Date.parse(value) > now;

const isListOf = <T extends string>(value: unknown, is: (one: string) => one is T): value is readonly T[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string' && is(one));
