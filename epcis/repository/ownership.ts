// Whose a named query or a subscription is. With access on a client's own names stand behind a key made of the client's, so that
// two clients may give the same name, and neither learns of the other's. What has no key was made while access was off, or for all.
import { hash } from 'node:crypto';
import type { ClientIdentity } from '../access/identity.ts';
import type { Row } from './database/database.ts';
import { optionalText } from './leases.ts';

/** No name that a client gives has it. */
export const BEHIND_KEY = '\u001f';

export function keyOf({ client }: ClientIdentity): string {
  return hash('sha256', client, 'base64url').slice(0, 22);
}

export function storedName(client: ClientIdentity | undefined, name: string): string {
  return client === undefined ? name : `${keyOf(client)}${BEHIND_KEY}${name}`;
}

/** As its client knows it. */
export function shownName(stored: string): string {
  return stored.slice(stored.indexOf(BEHIND_KEY) + 1);
}

export function clientOf(row: Row): ClientIdentity | undefined {
  const text = optionalText(row, 'client');
  return text === undefined ? undefined : (JSON.parse(text) as ClientIdentity);
}
