// What a client shows to say who it is: the field Authorization (RFC 6750, RFC 7617).

export type Credentials =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'key'; readonly client: string; readonly key: string };

const SCHEME = /^([A-Za-z]+) +(\S+) *$/;
/** Of the form of a JWT: three parts of base64url (RFC 7519). */
const JWT = /^[\w-]+\.[\w-]+\.[\w-]*$/;

export const isJwt = (token: string): boolean => JWT.test(token);

/** Undefined for what is neither Bearer nor Basic. */
export function readCredentials(authorization: string): Credentials | undefined {
  const [, scheme = '', value = ''] = SCHEME.exec(authorization) ?? [];
  if (scheme.toLowerCase() === 'bearer') return { kind: 'token', token: value };
  if (scheme.toLowerCase() !== 'basic' || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(value)) return undefined;
  const [, client = '', key] = /^([^:]*):([\s\S]*)$/.exec(Buffer.from(value, 'base64').toString('utf8')) ?? [];
  return key === undefined ? undefined : { kind: 'key', client, key };
}
