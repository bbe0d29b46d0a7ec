// API keys: made here, shown once, kept as a hash. A key has 192 bits of chance, so that a plain hash of it is enough:
// there is nothing to guess, and no password to find again elsewhere.
import { createHash, randomBytes } from 'node:crypto';
import type { ClientIdentity } from '../../epcis/access/identity.ts';
import type { Terms } from './terms.ts';

/** A key as it is kept, and as gateways are told of it. */
export interface KeyRecord extends Terms, Pick<ClientIdentity, 'client' | 'groups' | 'roles' | 'tenant'> {
  /** The first part of the key: it names the key where people and logs speak of it. */
  readonly id: string;
  readonly hash: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly createdBy: string;
  readonly expiresAt?: string;
}

export interface NewKey {
  readonly id: string;
  /** Shown once. */
  readonly key: string;
  readonly hash: string;
}

export function newKey(): NewKey {
  const id = randomBytes(6).toString('hex');
  const key = `mm_${id}_${randomBytes(24).toString('base64url')}`;
  return { id, key, hash: hashOf(key) };
}

export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Names one state of all keys: two gateways that say the same know the same. */
export const digestOf = (keys: readonly KeyRecord[]): string => hashOf(JSON.stringify(keys)).slice(0, 16);
