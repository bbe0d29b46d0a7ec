// Whom what a request shows stands for: a key, a token of another issuer, the subject of a certificate.
import type { ClientIdentity } from '../../epcis/access/identity.ts';
import { isJwt, readCredentials } from './credentials.ts';
import { hashOf, type KeyRecord } from './keys.ts';
import type { CertificateClient } from './options.ts';
import { refused, type Refused } from './refusals.ts';
import { readableSubject } from './subject.ts';
import type { Terms } from './terms.ts';

export interface Recognised {
  readonly client: ClientIdentity;
  readonly terms: Terms & { readonly tenantByHost?: boolean };
  /** Not to be taken for known later than this, ms. */
  readonly until: number;
}

/** Whom a token of another issuer stands for; rejects with TokenRefused. */
export type TokenReader = (token: string, now: number) => Promise<Recognised>;

/** By what clients are known. */
export interface Marks {
  readonly readToken?: TokenReader;
  readonly certificates?: readonly CertificateClient[];
}

interface Shows {
  readonly authorization: string | undefined;
  readonly certificate?: string | undefined;
}

/** What no field can begin with. */
const BY_CERTIFICATE = '\0';

/** A client that says who it is by a field is that one, whatever its connection shows. */
export const shownBy = ({ authorization, certificate }: Shows): string | undefined =>
  authorization ?? (certificate === undefined ? undefined : BY_CERTIFICATE + certificate);

export const isByCertificate = (shown: string): boolean => shown.startsWith(BY_CERTIFICATE);

/** `keys`: by their hash. */
export function recognise(
  shown: string,
  now: number,
  keys: ReadonlyMap<string, KeyRecord>,
  { readToken, certificates = [] }: Marks,
): Recognised | Refused | Promise<Recognised> {
  if (isByCertificate(shown)) return bySubject(shown.slice(BY_CERTIFICATE.length), certificates);
  const credentials = readCredentials(shown);
  if (credentials === undefined) return refused('It says who it is in a way that is not understood here: ');
  if (credentials.kind === 'token' && readToken !== undefined && isJwt(credentials.token))
    return readToken(credentials.token, now);
  const { kind } = credentials;
  const record = keys.get(hashOf(kind === 'token' ? credentials.token : credentials.key));
  if (record === undefined || (kind === 'key' && credentials.client !== record.client))
    return refused('This key is not known here, or was revoked: ');
  const until = record.expiresAt === undefined ? Infinity : Date.parse(record.expiresAt);
  if (until <= now) return refused('This key has expired: ');
  const { client, groups, roles, tenant } = record;
  return { client: { client, groups, roles, ...(tenant !== undefined && { tenant }) }, terms: record, until };
}

function bySubject(shown: string, certificates: readonly CertificateClient[]): Recognised | Refused {
  const subject = readableSubject(shown);
  const found = certificates.find((one) => readableSubject(one.subject) === subject);
  if (found === undefined) return refused(`The subject of this certificate, ${subject}, is not known here: `);
  const { client, roles, groups = [], tenant } = found;
  const identity = { client, groups, roles, ...(tenant !== undefined && { tenant }) };
  return { client: identity, terms: found, until: Infinity };
}

/** On a tenant's host there is nobody but its clients; elsewhere who belongs to a tenant by its host would have the main repository. */
export function atTenant(recognised: Recognised, tenant: string | undefined): Recognised | Refused {
  const { client, terms } = recognised;
  if (tenant === undefined && client.tenant === undefined && terms.tenantByHost === true)
    return refused(
      'This client belongs to the tenant on whose host it asks, and this is no host of one: ask there, or ',
    );
  if (tenant === undefined || client.tenant === tenant) return recognised;
  if (client.tenant !== undefined || terms.tenantByHost !== true)
    return refused('This client has no business on this host: ask on its own, or ');
  return { ...recognised, client: { ...client, tenant } };
}
