// What comes in at the doors beside documents and queries: forms, credentials, fields of requests, lines of HAProxy's log, orders to nodes.
import { isDeepStrictEqual } from 'node:util';
import { clientContent, clientKey, readClient, signClient } from '../../epcis/access/client-token.ts';
import { encodingFor } from '../../epcis/bindings/http/encoding.ts';
import { formField } from '../../epcis/bindings/http/multipart.ts';
import { nameOf, segmentOf } from '../../epcis/bindings/http/segment.ts';
import { checkHeaders, styleOf } from '../../epcis/bindings/rest/headers.ts';
import { errorForm, negotiate } from '../../epcis/bindings/rest/negotiate.ts';
import { EpcisException } from '../../epcis/domain/exceptions.ts';
import { readCredentials } from '../../src/access/credentials.ts';
import { TokenRefused } from '../../src/access/refusals.ts';
import { jwtReader } from '../../src/access/jwt.ts';
import { GATEWAY_DEFAULTS } from '../../src/balance/core/options.ts';
import { classifier, compileAny, queryName } from '../../src/balance/core/request-rules.ts';
import { parseLogLine } from '../../src/balance/haproxy/text/log.ts';
import { newOrderKey, OrderCheck, signOrder } from '../../src/node/signed-orders.ts';
import type { Target } from './fuzz.ts';

/** Calls it; undefined where the input was refused as it should be. */
export async function orRefused<T>(refusal: abstract new (...args: never[]) => Error, call: () => T | Promise<T>) {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof refusal)) throw error;
    if (error.message === '') throw new Error('refused without a word');
    return undefined;
  }
}

export function same(one: unknown, other: unknown, what: string): void {
  if (!isDeepStrictEqual(one, other)) throw new Error(`${what}: ${JSON.stringify(one)} and ${JSON.stringify(other)}`);
}

const FORM = 'multipart/form-data; boundary=xyz';

async function fieldOf(body: Buffer, chunk: number): Promise<string> {
  const pieces = async function* () {
    for (let at = 0; at < body.length; at += chunk) yield body.subarray(at, at + chunk);
  };
  const found: Uint8Array[] = [];
  for await (const piece of formField(pieces(), FORM, 'event')) found.push(piece);
  return Buffer.concat(found).toString('latin1');
}

const REQUEST = { method: 'GET', path: '/events' };
const KEY = clientKey('the group');
const NOW = 1_000;
const isGood = (expires: number) => expires > NOW;
const CLIENT = signClient(clientContent({ client: 'alice', groups: [], roles: ['query'] }, 2 * NOW), REQUEST, KEY);

const ORDER_KEY = newOrderKey();
const ORDER = signOrder('node-1', { what: 'stop', mark: 'm' }, ORDER_KEY, NOW);

const ISSUERS = [
  { name: 'corp', issuer: 'https://corp.example.org', audience: 'here', jwks: '/nowhere', roles: ['query'] as const },
];
const readToken = jwtReader({ issuers: ISSUERS, clockSkewMs: 0 });
const base64 = (text: string): string => Buffer.from(text).toString('base64url');

const classOf = classifier(GATEWAY_DEFAULTS.queue.classes);
const mayRepeat = compileAny(GATEWAY_DEFAULTS.retry.safe);

const TYPES = ['application/json', 'application/ld+json', 'application/xml', 'text/xml'];

export const DOORS: readonly Target[] = [
  {
    name: 'request-rules',
    samples: [
      '<s:Envelope><s:Body><q:Poll><queryName>SimpleEventQuery</queryName><params/></q:Poll></s:Body></s:Envelope>',
      '<q:Subscribe><a:queryName> mine </a:queryName></q:Subscribe>',
    ],
    words: ['<queryName>', '</queryName>', ' ', '\n', 'q:', '<', 'Subscribe'],
    take(input) {
      const body = input.toString('latin1');
      const request = { method: 'POST', path: '/query', body: () => body, header: () => undefined, client: () => '' };
      const name = queryName(request);
      if (name !== undefined && (name !== name.trim() || name.includes('<') || !body.includes(name)))
        throw new Error(`the name ${JSON.stringify(name)}`);
      classOf(request);
      mayRepeat(request);
    },
  },
  {
    name: 'form',
    samples: [
      '--xyz\r\nContent-Disposition: form-data; name="event"\r\n\r\n<a/>\r\n--xyz--\r\n',
      '--xyz\r\nContent-Disposition: form-data; name=a\r\n\r\nb\r\n--xyz\r\nContent-Type: text/xml\r\nContent-Disposition: form-data; filename="x"; name=event\r\n\r\n\r\n<b/>\r\n--xyz--',
    ],
    words: ['--xyz', '\r\n\r\n', 'name="event"', 'Content-Disposition: ', 'event', '\r\n--xy', '--'],
    async take(input) {
      const whole = await orRefused(EpcisException, () => fieldOf(input, Infinity));
      same(await orRefused(EpcisException, () => fieldOf(input, 1)), whole, 'in pieces and whole');
      same(await orRefused(EpcisException, () => fieldOf(input, 7)), whole, 'in pieces and whole');
      if (whole?.includes('\r\n--xyz') === true) throw new Error('a field with its own delimiter in it');
    },
  },
  {
    name: 'credentials',
    samples: [
      'Bearer abc.def',
      `Basic ${Buffer.from('shop:key').toString('base64')}`,
      `Bearer ${base64('{"alg":"RS256","kid":"k"}')}.${base64('{"iss":"https://corp.example.org","aud":"here","exp":9,"sub":"a"}')}.AAAA`,
      `Bearer ${base64('{"alg":"none"}')}.${base64('{"iss":"https://corp.example.org"}')}.`,
    ],
    words: ['Bearer ', 'Basic ', '.', '=', ':', 'eyJ', base64('{"iss":"https://corp.example.org"}'), base64('null')],
    async take(input) {
      const credentials = readCredentials(input.toString());
      if (credentials?.kind !== 'token') return;
      const known = await orRefused(TokenRefused, () => readToken(credentials.token, NOW));
      if (known !== undefined) throw new Error('a token that nobody signed is taken');
    },
  },
  {
    name: 'client-field',
    samples: [CLIENT, base64('{"client":"bob","roles":["admin"],"expires":99999}')],
    words: ['.', '"roles":', base64('{"client":'), base64('null'), '"expires":1e9'],
    take(input) {
      const text = input.toString();
      const [content = '', signature = ''] = text.split('.');
      const [own, ownSignature = ''] = CLIENT.split('.');
      const taken = readClient(text, REQUEST, KEY, isGood);
      const isOurs =
        content === own && Buffer.from(signature, 'base64url').equals(Buffer.from(ownSignature, 'base64url'));
      if (taken !== undefined && !isOurs) throw new Error('what the gateway never wrote is taken');
      // as one of another version would sign it
      for (const one of [content, base64(text)]) readClient(signClient(one, REQUEST, KEY), REQUEST, KEY, isGood);
    },
  },
  {
    name: 'request-fields',
    samples: [
      'application/xml;q=0.5, */*;q=0.1',
      'text/*, application/json;q=0, application/problem+json',
      '2.0.0',
      '1.2',
      'gzip;q=0.5, br, *;q=0',
      'urn:epc:id:sgtin:0614141.107346.2017',
      '..%2f',
      '..',
    ],
    words: [';q=', ',', '*/*', 'application/', 'identity', 'gzip', '0.', '1.2', '.', '%2e', 'q=1e9'],
    async take(input) {
      const value = input.toString();
      errorForm(value);
      encodingFor({ 'accept-encoding': value }, 1e6, 0);
      const representation = await orRefused(EpcisException, () => negotiate(value));
      if (representation !== undefined && !TYPES.includes(representation.type))
        throw new Error(`answers by ${representation.type}`);
      await orRefused(EpcisException, () => styleOf({ 'gs1-epcis-max': value }, { form: 'json', type: '' }));
      for (const name of ['gs1-epcis-version', 'gs1-epcis-min', 'gs1-cbv-max'])
        await orRefused(EpcisException, () => checkHeaders({ [name]: value }));
      if (!value.isWellFormed()) return;
      const segment = segmentOf(value);
      if (/[/?#]/.test(segment) || /^\.\.?$/.test(segment)) throw new Error(`a name becomes the path ${segment}`);
      same(nameOf(decodeURIComponent(segment)), value, 'its name again');
    },
  },
  {
    name: 'haproxy-log',
    samples: ['<6>mark vm-1 200 1 4 25 -- 1 2 - 15 5', '<4>mark <NOSRV> 503 -1 -1 +0 SC +0 - 1-'],
    words: [' ', '<NOSRV>', 'mark', '-1', '+0', '<6>', '503', '1e9'],
    take(input) {
      const request = parseLogLine(input.toString(), 'mark');
      if (request === undefined) return;
      const { queueMs, serviceMs, vmMs, retries, standsFor } = request;
      for (const n of [queueMs, serviceMs, vmMs, retries, standsFor])
        if (!(n >= 0)) throw new Error(`it has the number ${n}`);
    },
  },
  {
    name: 'node-order',
    samples: [ORDER.text, '{"node":"node-1","at":1000,"nonce":"n","order":{"what":"start","worker":{"mark":"m"}}}'],
    words: ['"what":', '"start"', '"trust","keys":[', '"rekey"', '"worker":{', '"node":"node-1"', '"at":1000'],
    take(input) {
      const text = input.toString();
      const check = new OrderCheck('node-1', [ORDER_KEY.public]);
      const given = check.read({ text, signature: ORDER.signature }, NOW, NOW);
      if (typeof given !== 'string' && text !== ORDER.text) throw new Error('an order that nobody signed is obeyed');
    },
  },
];
