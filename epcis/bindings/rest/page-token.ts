// nextPageToken: opaque, signed and self-contained. It holds the query and the position, so any VM that shares the secret serves
// the next page, and nothing needs to be remembered, found again or released.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { QueryParameter } from '../../service/services.ts';
import { EpcisException } from '../../domain/exceptions.ts';

export interface PagePosition {
  /** The resource the token was issued for; it is good for no other. */
  readonly path: string;
  readonly parameters: readonly QueryParameter[];
  readonly after: string;
  readonly perPage: number;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

export function signToken(position: PagePosition, secret: string): string {
  const { path, parameters, after, perPage, expires } = position;
  const content = [path, parameters.map(({ name, values }) => [name, ...values]), after, perPage, expires];
  const payload = Buffer.from(JSON.stringify(content)).toString('base64url');
  return `${payload}.${signatureOf(payload, secret)}`;
}

export function readToken(token: string, secret: string, now: number): PagePosition {
  const [payload = '', signature = '', ...more] = token.split('.');
  if (more.length > 0 || !isEqual(signature, signatureOf(payload, secret)))
    throw wrong('was not issued by this service');
  // signed by us, so it has our form
  const content = JSON.parse(Buffer.from(payload, 'base64url').toString()) as [
    string,
    string[][],
    string,
    number,
    number,
  ];
  const [path, parameters, after, perPage, expires] = content;
  if (expires <= now) throw wrong('has expired; start again from the first page');
  return { path, parameters: parameters.map(([name = '', ...values]) => ({ name, values })), after, perPage, expires };
}

function signatureOf(payload: string, secret: string): string {
  return createHmac('sha256', secret).update(payload).digest('base64url');
}

function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function wrong(what: string): EpcisException {
  return new EpcisException('QueryParameterException', `The nextPageToken ${what}.`);
}
