// Tokens of other issuers (JWT by RFC 7519, access tokens of OAuth 2.0 and OpenID Connect). jose checks them; which algorithms,
// which issuer and which audience are good is said here.
import { decodeJwt, errors, jwtVerify } from 'jose';
import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import type { Recognised, TokenReader } from './recognise.ts';
import { TokenRefused } from './refusals.ts';
import { keysOf, NoKeys } from './jwks.ts';
import { isClientRole, type ClientRole } from '../../epcis/access/identity.ts';
import type { Issuer } from './options.ts';

/** Those with a public key: a token that was signed with it as if it were a password is refused, and so is `none`. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];

/** What would make a line of a log or of a list look like two, or like another one. */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

/** A token is checked again after so long: its issuer may have dropped the key. */
const RECHECK_MS = 300_000;
/** A key that is not known has the keys fetched again, but not more often than this. */
const COOLDOWN_MS = 30_000;

export interface JwtOptions {
  readonly issuers: readonly Issuer[];
  readonly clockSkewMs: number;
}

export function jwtReader({ issuers, clockSkewMs }: JwtOptions): TokenReader {
  const known = new Map(issuers.map((one) => [one.issuer, { issuer: one, keys: keysOf(one.jwks, COOLDOWN_MS) }]));
  return async (token, now) => {
    const { issuer, keys } = known.get(issuerOf(token)) ?? unknownIssuer();
    const payload = await verify(token, keys(now), issuer, clockSkewMs, now);
    return recognised(payload, issuer, clockSkewMs, now);
  };
}

function issuerOf(token: string): string {
  try {
    return decodeJwt(token).iss ?? '';
  } catch {
    throw new TokenRefused('The token is none that can be read.');
  }
}

function unknownIssuer(): never {
  throw new TokenRefused('Tokens of this issuer are not taken here.');
}

async function verify(
  token: string,
  keys: JWTVerifyGetKey,
  { issuer, audience }: Issuer,
  clockSkewMs: number,
  now: number,
): Promise<JWTPayload> {
  const checked = async (key: JWTVerifyGetKey): Promise<JWTPayload> => {
    const { payload } = await jwtVerify(token, key, {
      ...{ issuer, audience, algorithms: ALGORITHMS, requiredClaims: ['exp'] },
      ...{ clockTolerance: clockSkewMs / 1000, currentDate: new Date(now) },
    });
    return payload;
  };
  try {
    return await checked(keys).catch((error: unknown) => byAnyOf(error, checked));
  } catch (error) {
    throw reasonOf(error);
  }
}

/** A token need not name its key: while its issuer changes that, there are two which may have signed it. */
async function byAnyOf<T>(error: unknown, checked: (key: JWTVerifyGetKey) => Promise<T>): Promise<T> {
  if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
  for await (const key of error)
    try {
      return await checked(() => key);
    } catch (failed) {
      if (!(failed instanceof errors.JWSSignatureVerificationFailed)) throw failed;
    }
  throw error;
}

function reasonOf(error: unknown): TokenRefused {
  if (error instanceof errors.JWTExpired) return new TokenRefused('The token has expired.');
  if (error instanceof errors.JWTClaimValidationFailed)
    return new TokenRefused(`The token is not for here, or not for now: its claim "${error.claim}" does not hold.`);
  if (error instanceof NoKeys || !(error instanceof errors.JOSEError))
    return new TokenRefused("The token cannot be checked: its issuer's keys cannot be had at present.", true);
  return new TokenRefused('The token is not signed by its issuer, or not in a way that is taken here.');
}

function recognised(payload: JWTPayload, issuer: Issuer, clockSkewMs: number, now: number): Recognised {
  const name = payload[issuer.clientClaim ?? 'sub'];
  if (typeof name !== 'string' || name === '' || UNSEEN.test(name))
    throw new TokenRefused('The token does not say whom it is for.');
  const tenant = tenantOf(payload, issuer);
  const claims = claimsOf(payload, issuer.claims ?? []);
  const client = {
    client: `${issuer.name}:${name}`,
    groups: listOf(payload[issuer.groupsClaim ?? 'groups']),
    roles: rolesOf(payload, issuer),
    issuer: issuer.issuer,
    ...(Object.keys(claims).length > 0 && { claims }),
    ...(tenant !== undefined && { tenant }),
  };
  const expires = (payload.exp ?? 0) * 1000 + clockSkewMs;
  return { client, terms: issuer, until: Math.min(expires, now + RECHECK_MS) };
}

/** Who says it oddly is no client of none: that would have the main repository. */
function tenantOf(payload: JWTPayload, { tenantClaim }: Issuer): string | undefined {
  const tenant = tenantClaim === undefined ? undefined : payload[tenantClaim];
  if (tenant === undefined || (typeof tenant === 'string' && tenant !== '')) return tenant;
  throw new TokenRefused(`The token does not say whose client it has: its claim "${tenantClaim}" is no name.`);
}

const rolesOf = (payload: JWTPayload, { rolesClaim, roles = [] }: Issuer): readonly ClientRole[] =>
  rolesClaim === undefined ? roles : listOf(payload[rolesClaim]).filter(isClientRole);

/** A list of texts, or one text of words, as OAuth's `scope` is. */
function listOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.split(' ').filter((word) => word !== '');
  return (Array.isArray(value) ? value : [value]).filter(isPlain).map(String);
}

/** Rules write numbers and truth values as texts. */
const isPlain = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

function claimsOf(payload: JWTPayload, names: readonly string[]): Record<string, string | readonly string[]> {
  const found: Record<string, string | readonly string[]> = {};
  for (const name of names) {
    const value = payload[name];
    if (isPlain(value)) found[name] = String(value);
    else if (Array.isArray(value)) found[name] = listOf(value);
  }
  return found;
}
