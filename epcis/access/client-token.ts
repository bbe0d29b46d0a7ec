// Who asks, as the gateway tells a VM: a header that only the gateway can write. `<base64url(JSON)>.<base64url(HMAC-SHA-256)>`.
//
// The key comes from the group's secret, which gateway and VMs have anyhow. The signature covers method and path besides, so that
// a header seen on one request is good for no other, and the header expires.
import { createHmac, createSecretKey, hkdfSync, timingSafeEqual, type KeyObject } from 'node:crypto';
import { isClientRole, type ClientIdentity } from './identity.ts';

/** As Node.js gives names of headers. */
export const CLIENT_HEADER = 'mmeliot-client';
/** The same, signed with the group's next secret, while that is changed. */
export const CLIENT_HEADER_NEXT = 'mmeliot-client-next';

/** The request that a header is for. */
export interface Signed {
  readonly method: string;
  /** As it stands in the request line, query and all. */
  readonly path: string;
}

/** A key made once: with its bytes a signature would cost six times as much. */
export const clientKey = (groupSecret: string): KeyObject =>
  createSecretKey(Buffer.from(hkdfSync('sha256', groupSecret, '', 'client identity', 32)));

/** What is said of a client, the same for all of its requests until `expires` (ms since 1970). */
export const clientContent = (identity: ClientIdentity, expires: number): string =>
  Buffer.from(JSON.stringify({ ...identity, expires })).toString('base64url');

export const signClient = (content: string, request: Signed, key: KeyObject): string =>
  `${content}.${signature(content, request, key).toString('base64url')}`;

/** Undefined for whatever was not written by the gateway, for this request, a moment ago: `isGood` says so of the time when it expires. */
export function readClient(
  text: string,
  request: Signed,
  key: KeyObject,
  isGood: (expires: number) => boolean,
): ClientIdentity | undefined {
  const [content = '', signed = '', ...more] = text.split('.');
  const [given, own] = [Buffer.from(signed, 'base64url'), signature(content, request, key)];
  if (more.length > 0 || given.length !== own.length || !timingSafeEqual(given, own)) return undefined;
  const claimed = parse(Buffer.from(content, 'base64url').toString());
  return claimed !== undefined && isGood(claimed.expires) ? claimed.identity : undefined;
}

function signature(content: string, { method, path }: Signed, key: KeyObject): Buffer {
  return createHmac('sha256', key).update(`${content}\n${method}\n${path}`).digest();
}

/** Signed by us, so of our form; but a gateway of another version may know other roles. */
function parse(text: string): { readonly identity: ClientIdentity; readonly expires: number } | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { client, groups, roles, expires, ...more } = value as Partial<ClientIdentity & { readonly expires: number }>;
  if (typeof client !== 'string' || client === '' || typeof expires !== 'number') return undefined;
  if (!Array.isArray(groups) || !Array.isArray(roles)) return undefined;
  return { identity: { ...more, client, groups, roles: roles.filter(isClientRole) }, expires };
}
