// Who may come in at a gateway of a test: keys, and tokens of an issuer of the test's own.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK, type JWTPayload } from 'jose';
import { clientContent, clientKey, signClient } from '../../epcis/access/client-token.ts';
import { Access, type AccessOptions } from '../../src/access/access.ts';
import type { TokenReader } from '../../src/access/recognise.ts';
import { jwtReader } from '../../src/access/jwt.ts';
import { newKey, type KeyRecord } from '../../src/access/keys.ts';
import type { Issuer } from '../../src/access/options.ts';
import type { AuditLog, ClientKeys } from '../../src/admin/source.ts';
import { GROUP_SECRET } from './access.ts';

export const ISSUER = 'https://login.example.org';
export const AUDIENCE = 'epcis';

/** A key as a manager would have made it, and what is kept of it. */
export function keyOf(client: string, more: Partial<KeyRecord> = {}): { key: string; record: KeyRecord } {
  const { id, key, hash } = newKey();
  const made = { createdAt: '2026-01-01T00:00:00.000Z', createdBy: 'a test' };
  const record: KeyRecord = {
    id,
    hash,
    client,
    groups: [],
    roles: ['capture', 'query', 'subscribe'],
    ...made,
    ...more,
  };
  return { key, record };
}

const KEYS = [clientKey(GROUP_SECRET)];

export const signer: AccessOptions['signer'] = {
  keys: () => KEYS,
  content: (client, now) => clientContent(client, now + 120_000),
  sign: (content, method, path, by) => signClient(content, { method, path }, by),
};

export const accessOf = (keys: readonly KeyRecord[], options: Partial<AccessOptions> = {}): Access =>
  new Access({ now: Date.now, signer, requestsPerSecond: 0, ...options }, keys);

/** Takes the tokens of an issuer whose public keys stand in that file. */
export function readerOf(jwks: string, more: Partial<Issuer> = {}): TokenReader {
  const roles = ['capture', 'query', 'subscribe'] as const;
  const issuers = [{ name: 'corp', issuer: ISSUER, audience: AUDIENCE, jwks, roles, ...more }];
  return jwtReader({ issuers, clockSkewMs: 30_000 });
}

/** An issuer of tokens whose public keys stand in a file. */
export class TokenIssuer {
  readonly jwks: string;
  #private!: CryptoKey;
  public!: JWK;
  #keys: JWK[] = [];

  constructor(folder: string) {
    this.jwks = join(folder, 'jwks.json');
  }

  /** A new key signs from now on; those before it stay good. */
  async rotate(kid: string): Promise<void> {
    const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
    this.#private = privateKey;
    this.public = { ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' };
    this.#keys.push(this.public);
    writeFileSync(this.jwks, JSON.stringify({ keys: this.#keys }));
  }

  forget(): void {
    this.#keys = [this.public];
    writeFileSync(this.jwks, JSON.stringify({ keys: this.#keys }));
  }

  reader(more: Partial<Issuer> = {}) {
    return readerOf(this.jwks, more);
  }

  token(claims: JWTPayload = {}, lasts: string | number = '5m'): Promise<string> {
    return new SignJWT({ iss: ISSUER, aud: AUDIENCE, sub: 'alice', ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: this.public.kid ?? '' })
      .setExpirationTime(lasts)
      .sign(this.#private);
  }

  /** A token whose header and claims are these texts, whatever they say. */
  async signed(header: string, claims: string): Promise<string> {
    const said = [header, claims].map((text) => Buffer.from(text).toString('base64url')).join('.');
    const signature = await crypto.subtle.sign('RSASSA-PKCS1-v1_5', this.#private, Buffer.from(said));
    return `${said}.${Buffer.from(signature).toString('base64url')}`;
  }
}

/** For an admin server whose test is about something else. */
export const NO_KEYS: ClientKeys = {
  list: () => [],
  create: () => Promise.reject(new Error('no keys here')),
  revoke: () => Promise.reject(new Error('no keys here')),
  administrator: () => undefined,
};

/** The same, of what was changed. */
export const NO_AUDIT: AuditLog = { note: () => undefined, latest: async () => [] };

export const NO_TLS = { certificate: '', key: '' };
