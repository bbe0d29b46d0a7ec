// Who is known here, each setting declared once.
import { isUnseen } from '../../epcis/domain/address.ts';
import type { ClientRole } from '../../epcis/access/identity.ts';
import { termSettings, type Client, type Terms } from './terms.ts';

/** Whose tokens (JWT) are taken. */
export interface Issuer extends Terms {
  /** As the token's `iss` says. */
  readonly issuer: string;
  /** As the token's `aud` must say: this service. */
  readonly audience: string;
  /** Its public keys: a URL, or a file. */
  readonly jwks: string;
  /** Stands before the names of its clients, as in `corp:alice`, so that no two issuers speak of the same one. */
  readonly name: string;
  /** The claims that hold the client's name (`sub`), groups, roles and tenant. */
  readonly clientClaim?: string;
  readonly groupsClaim?: string;
  readonly rolesClaim?: string;
  readonly tenantClaim?: string;
  /** Of all its clients, where rolesClaim isn't set. */
  readonly roles?: readonly ClientRole[];
  /** Its clients belong to the tenant on whose host they ask; for an issuer whose tokens name no tenant. */
  readonly tenantByHost?: boolean;
  /** Claims that rules may go by. */
  readonly claims?: readonly string[];
}

/** Who a client is that shows a certificate of this subject, signed below `gateway.tls.clientCa`. */
export interface CertificateClient extends Client, Terms {
  /** As RFC 2253 writes it: `CN=scanner 1,O=Acme`. */
  readonly subject: string;
}

/** What is said of a tenant beside its name: by which hosts it is asked, and what all of its clients together may take. */
export interface Tenant extends Pick<Terms, 'requestsPerSecond' | 'requestClass'> {
  readonly name: string;
  readonly hosts?: readonly string[];
}

const TENANTS: readonly Tenant[] = [];
const CERTIFICATES: readonly CertificateClient[] = [];
const ISSUERS: readonly Issuer[] = [];

export const identitySettings = {
  issuers: {
    type: 'data',
    default: ISSUERS,
    doc: 'whose tokens (OAuth 2.0, OpenID Connect) are taken: a list of name, issuer, audience, jwks (URL or file), roles or rolesClaim ...',
  },
  certificates: {
    type: 'data',
    default: CERTIFICATES,
    doc: 'clients known by the certificate they show (gateway.tls.clientCa): a list of subject (as in CN=scanner 1,O=Acme), client, roles ...',
  },
  tenantTerms: {
    type: 'data',
    default: TENANTS,
    doc: 'of tenants (epcis.tenants): a list of name, hosts (only its own clients are let in there), and what all its clients together have: requestsPerSecond, requestClass',
  },
  clockSkewMs: {
    type: 'duration',
    default: 30_000,
    min: 0,
    max: 300_000,
    doc: "how far an issuer's clock may be from ours",
  },
  requestsPerSecond: {
    ...termSettings.requestsPerSecond,
    doc: 'requests a second of each client of whom nothing else is said, at each gateway; 0: as many as it likes',
  },
  eventsPerSecond: {
    ...termSettings.eventsPerSecond,
    doc: 'events a second that each such client may capture, of all VMs together; who has captured more waits before the next document; 0: as many as it likes',
  },
  subscriptions: {
    ...termSettings.subscriptions,
    doc: 'subscriptions that each such client may have open; 0: as many as it likes',
  },
} as const;

/** Whether clients have to say who they are. */
export const clientsAreKnown = ({ access, identity }: Access): boolean =>
  access === 'known' || (access === 'auto' && identity.issuers.length + identity.certificates.length > 0);

interface Access {
  readonly access: 'auto' | 'open' | 'known';
  readonly identity: { readonly issuers: readonly Issuer[]; readonly certificates: readonly CertificateClient[] };
}

/** What is wrong with it in one sentence, or undefined; `hosts` are those of tenants. */
export function issuerComplaint(
  { jwks, roles, rolesClaim, tenantByHost }: Issuer,
  hosts: readonly string[],
): string | undefined {
  const isUrl = /^[a-z][a-z0-9+.-]*:\/\//i.test(jwks);
  if (isUrl && !isUnseen(jwks)) return `jwks ${jwks} could be changed on its way: an https URL or a file is expected.`;
  if (roles === undefined && rolesClaim === undefined)
    return 'give roles or rolesClaim, else its clients may do nothing.';
  if (tenantByHost === true && hosts.length === 0)
    return 'tenantByHost goes by the hosts in identity.tenantTerms, and there are none: its clients would have the main repository.';
  return undefined;
}
