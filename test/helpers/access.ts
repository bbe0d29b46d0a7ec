// An EPCIS service with access on, and clients that a gateway vouches for.
import { clientContent, clientKey, signClient } from '../../epcis/access/client-token.ts';
import type { ClientIdentity } from '../../epcis/access/identity.ts';
import { startEpcisServer, type EpcisOptions, type EpcisServer } from '../../epcis/server.ts';

export const GROUP_SECRET = 'the group';
const LOG = { error: () => {}, warn: () => {}, info: () => {} };

export const startGuarded = (url: string, options: Partial<EpcisOptions> = {}): Promise<EpcisServer> =>
  startEpcisServer({
    repository: { url },
    port: 0,
    log: LOG,
    access: true,
    groupSecret: GROUP_SECRET,
    ...options,
  });

export const client = (name: string, more: Partial<ClientIdentity> = {}): ClientIdentity => ({
  client: name,
  groups: [],
  roles: ['capture', 'query', 'subscribe'],
  ...more,
});

/** What a gateway writes at this time, good for a minute. */
export const writeClient = (
  identity: ClientIdentity,
  request: Parameters<typeof signClient>[1],
  key: ReturnType<typeof clientKey>,
  now: number,
): string => signClient(clientContent(identity, now + 60_000), request, key);

/** The header that the gateway would send with this request. */
export const vouchedFor = (who: ClientIdentity, method: string, path: string): Record<string, string> => ({
  'Mmeliot-Client': writeClient(who, { method, path }, clientKey(GROUP_SECRET), Date.now()),
});

/** `fetch` as this client's request arrives at the VM. */
export function as(
  { address }: { readonly address: string },
  who: ClientIdentity,
  path: string,
  init: RequestInit = {},
): Promise<Response> {
  const url = new URL(address + path);
  const headers = new Headers(init.headers);
  const vouched = vouchedFor(who, init.method ?? 'GET', url.pathname + url.search);
  for (const [name, value] of Object.entries(vouched)) headers.set(name, value);
  return fetch(url, { ...init, headers });
}
