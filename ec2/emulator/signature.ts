// AWS's signature, version 4: whether a request was signed with the secret of one of the keys that there are.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Refusal } from './refusal.ts';

export interface SignedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Scope {
  readonly region: string;
  /** Secret of an access key. */
  readonly secretOf: (accessKeyId: string) => string | undefined;
  readonly now: number;
}

const MOST_SKEW_MS = 300_000;
const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;

/** Returns the access key; throws what AWS answers where the signature is none, late or wrong. */
export function signedBy(request: SignedRequest, { region, secretOf, now }: Scope): string {
  const { authorization } = request.headers;
  if (authorization === undefined)
    throw new Refusal('MissingAuthenticationToken', 'Request is missing Authentication Token', 403);
  const [, key = '', day = '', inRegion, service, names = '', signature = ''] = AUTHORIZATION.exec(authorization) ?? [];
  const at = header(request, 'x-amz-date');
  const secret = secretOf(key);
  if (secret === undefined || inRegion !== region || service !== 'ec2' || !at.startsWith(day))
    throw new Refusal('AuthFailure', 'AWS was not able to validate the provided access credentials', 401);
  if (Math.abs(timeOf(at) - now) > MOST_SKEW_MS) throw new Refusal('RequestExpired', 'Request has expired.');
  const scope = `${day}/${region}/ec2/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', at, scope, sha256(canonical(request, names.split(';')))].join('\n');
  const wanted = [day, region, 'ec2', 'aws4_request', text].reduce<string | Buffer>(
    (chained, part) => createHmac('sha256', chained).update(part).digest(),
    `AWS4${secret}`,
  ) as Buffer;
  if (!timingSafeEqual(wanted, Buffer.from(signature, 'hex')))
    throw new Refusal('AuthFailure', 'AWS was not able to validate the provided access credentials', 401);
  return key;
}

const canonical = (request: SignedRequest, names: readonly string[]): string =>
  [
    request.method,
    request.path,
    '',
    ...names.map((name) => `${name}:${header(request, name).trim().replace(/ +/g, ' ')}`),
    '',
    names.join(';'),
    sha256(request.body),
  ].join('\n');

const header = ({ headers }: SignedRequest, name: string): string => String(headers[name] ?? '');
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** 20150830T123600Z */
const timeOf = (text: string): number =>
  Date.parse(text.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'));
