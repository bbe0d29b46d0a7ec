// What is said of a client, by the file (certificates, issuers, tenantTerms) and by who makes a key: each thing declared once.
import { CLIENT_ROLES, type ClientRole } from '../../epcis/access/identity.ts';
import type { Declaration } from '../settings/declaration.ts';

/** What a client may take. */
export interface Terms {
  readonly requestsPerSecond?: number;
  readonly eventsPerSecond?: number;
  readonly subscriptions?: number;
  readonly requestClass?: string;
}

export const termSettings = {
  requestsPerSecond: {
    type: 'number',
    default: 0,
    min: 0,
    doc: 'requests a second, at each gateway; 0: as many as it likes',
  },
  eventsPerSecond: {
    type: 'number',
    default: 0,
    min: 0,
    doc: 'events a second that it may capture, of all VMs together (gateways refuse nothing for them); 0: as many as it likes',
  },
  subscriptions: {
    type: 'whole',
    default: 0,
    min: 0,
    doc: 'subscriptions that it may have open; 0: as many as it likes',
  },
  requestClass: { type: 'text', default: '', doc: 'the class that its requests wait in, whatever they ask' },
} as const satisfies Record<keyof Terms, Declaration>;

/** Who a client is, and what it may do. */
export interface Client {
  readonly client: string;
  readonly roles: readonly ClientRole[];
  readonly groups?: readonly string[];
  readonly tenant?: string;
}

/** No colon: HTTP Basic ends a name there, and so do the names of issuers. */
const NAME = {
  pattern: '[A-Za-z0-9][\\w.@-]{0,62}',
  expected: 'a name of letters, digits, ".", "_", "@" and "-", 63 at most,',
} as const;
const NO_TEXTS: readonly string[] = [];

export const nameSetting = { type: 'text', ...NAME, default: '', doc: 'a name' } as const satisfies Declaration;

export const clientSettings = {
  client: { ...nameSetting, doc: 'its name' },
  roles: {
    type: 'list',
    pattern: CLIENT_ROLES.join('|'),
    expected: `one of ${CLIENT_ROLES.join(', ')}`,
    default: NO_TEXTS,
    doc: 'what it may do',
  },
  groups: { type: 'list', ...NAME, default: NO_TEXTS, doc: 'groups that rules may go by' },
  tenant: { ...nameSetting, doc: 'whose repository it sees, where there are several' },
} as const satisfies Record<keyof Client, Declaration>;

/** What there is here: names of `epcis.tenants`, and of the classes of the gateway's queue. */
export interface Named {
  readonly tenants: readonly string[];
  readonly classes: readonly string[];
}

/** What is wrong with it in one sentence, or undefined: what it names must be there. */
export function clientComplaint(
  { roles, tenant, requestClass }: Partial<Client> & Pick<Terms, 'requestClass'>,
  { tenants, classes }: Named,
): string | undefined {
  if (roles?.length === 0) return `roles is empty: ${clientSettings.roles.expected} is expected, at least.`;
  if (tenant !== undefined && !tenants.includes(tenant))
    return `tenant ${tenant} is not among epcis.tenants, so it has no repository${listed(tenants)}.`;
  if (requestClass !== undefined && !classes.includes(requestClass))
    return `requestClass ${requestClass} is not among gateway.queue.classes${listed(classes)}.`;
  return undefined;
}

const listed = (names: readonly string[]): string => (names.length === 0 ? '' : `; there are: ${names.join(', ')}`);
