// What somebody who makes a key says of it, checked.
import type { Declaration } from '../settings/declaration.ts';
import { asSentence, read } from '../settings/values.ts';
import { clientComplaint, clientSettings, termSettings, type Client, type Named, type Terms } from './terms.ts';

export interface KeyRequest extends Client, Terms {
  readonly groups: readonly string[];
  /** ISO 8601. */
  readonly expiresAt?: string;
}

const known: Readonly<Record<keyof KeyRequest, Declaration>> = {
  ...clientSettings,
  expiresAt: { type: 'text', default: '', doc: 'good until then' },
  ...termSettings,
};
const NEEDED = ['client', 'roles'];

/** The request, or in one sentence why there can be no such key. */
export function readKeyRequest(given: unknown, named: Named, now: number): KeyRequest | string {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return 'A key is asked for by a JSON object such as {"client": "acme", "roles": ["query"]}.';
  const asked = new Map(Object.entries(given).filter(([, value]) => value !== undefined));
  const unknown = [...asked.keys()].find((name) => !Object.hasOwn(known, name));
  if (unknown !== undefined) return `A key has no "${unknown}": it has ${Object.keys(known).join(', ')}.`;
  for (const [name, declaration] of Object.entries(known)) {
    if (!asked.has(name) && !NEEDED.includes(name)) continue;
    const result = read(declaration, asked.get(name));
    if ('refused' in result) return asSentence(`${name} ${result.refused}`);
    asked.set(name, result.value);
  }
  const { groups = [], expiresAt, ...request } = Object.fromEntries(asked) as Partial<KeyRequest> & Client;
  if (expiresAt !== undefined && !(Date.parse(expiresAt) > now))
    return 'expiresAt is a time to come, such as 2030-01-01T00:00:00Z.';
  return (
    clientComplaint(request, named) ?? {
      ...request,
      roles: [...new Set(request.roles)],
      groups: [...new Set(groups)],
      ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt).toISOString() }),
    }
  );
}
