// Clients that would hurt others by what they ask of the EPCIS service.
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { CONTEXT, json2, objectJson, objectXml, xml2 } from '../helpers/epcis-documents.ts';
import { soapPoll } from '../../loadgen/workload/queries.ts';
import { flood, HOSTILE_ADDRESS, inLoops, many, sendWhole, type Hostile } from './hostile.ts';

const MB = 1_000_000;
const SUBSCRIPTIONS = 1_000;
/** 200 KB that become 200 MB of nothing between two events. */
const bomb = (): Buffer => gzipSync(xml2(`${objectXml()}${' '.repeat(200 * MB)}`), { level: 1 });
/** The begin of a document of 20 MB in 4 KB, for which its reader has a window of 16 MB. */
const ofLargeWindow = (): Buffer =>
  brotliCompressSync(`${xml2('').split('</')[0]}${' '.repeat(20 * MB)}`, {
    finishFlush: constants.BROTLI_OPERATION_FLUSH,
    params: { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_QUALITY]: 1 },
  });
const BROTLI =
  'POST /capture HTTP/1.1\r\nHost: a\r\nContent-Type: application/xml\r\nContent-Encoding: br\r\nContent-Length: 10000000\r\n\r\n';
/** Nobody listens there. */
const DEAD = 'http://127.0.0.1:9/';

export interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly type?: string;
  readonly encoding?: string;
  readonly body?: string | Readable;
}

/** Its status; the answer is read away. */
export function send(
  port: number,
  { method = 'POST', path, type = 'application/ld+json', encoding, body = '' }: Sent,
): Promise<number> {
  const headers = { 'content-type': type, ...(encoding !== undefined && { 'content-encoding': encoding }) };
  return new Promise((resolve, reject) => {
    const asked = request({ port, method, path, localAddress: HOSTILE_ADDRESS, host: '127.0.0.1', headers }, (answer) =>
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0)),
    );
    asked.on('error', reject);
    if (typeof body === 'string') asked.end(body);
    else body.pipe(asked);
  });
}

const json = (value: object): string => JSON.stringify(value);

const names = (count: number, of: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => of(i)).join('&');

const patterns = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, i) => `urn:epc:idpat:sgtin:${9_521_141 + i}.*.*`);

const places = Array.from({ length: 1_990 }, (_, i) => `urn:x:place:${i}`);

const get = (query: string): Sent => ({ method: 'GET', path: `/events?${query}` });

/** As much as a query may ask: 100 parameters; patterns, as many as an address holds, and 2,000 values; an order by a field that has no index. */
export const QUERIES: readonly Sent[] = [
  get(names(100, (i) => `EQ_ex:field${i}=a|b|c`)),
  get(`MATCH_anyEPC=${patterns(400).join('|')}`),
  { path: '/epcis-repository-0.5.0/query', type: 'text/xml', body: soapPoll({ MATCH_anyEPC: patterns(1_990) }, 100) },
  { path: '/epcis-repository-0.5.0/query', type: 'text/xml', body: soapPoll({ WD_readPoint: places }, 100) },
  get('orderBy=ex:colour&perPage=1000'),
  get(names(50, (i) => `GE_INNER_ILMD_ex:f${i}=${i}`)),
];

const captureJson = (extra: object): Sent => ({ path: '/capture', body: json2(objectJson({ ...extra })) });

const each = (count: number, of: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => of(i)).join('');

/** Few bytes of many values: 200,000 fields, and an array of 1.5 million numbers, which would be a tree of 700 MB. */
export const EVENTS: readonly (() => Sent)[] = [
  () => captureJson(Object.fromEntries(Array.from({ length: 200_000 }, (_, i) => [`http://example.org/f${i}`, i]))),
  () => captureJson({ 'http://example.org/f': new Array(1_500_000).fill(1) }),
  () => ({
    path: '/capture',
    type: 'application/xml',
    body: xml2(objectXml(each(200_000, (i) => `<e:f${i}>1</e:f${i}>`)), 'xmlns:e="http://example.org/"'),
  }),
];

/** As small as others, and of 90,000 members, or attributes of one element. */
const MESSAGES: readonly Sent[] = [
  {
    path: '/queries',
    body: json({ name: 'a', query: Object.fromEntries(Array.from({ length: 90_000 }, (_, i) => [i, 1])) }),
  },
  {
    path: '/epcis-repository-0.5.0/query',
    type: 'text/xml',
    body: soapPoll({}, 1).replace('<params>', `<params><a ${each(90_000, (i) => `a${i}="" `)}/>`),
  },
];

/** A document of so many bytes at least, made while it is sent. */
function* document(bytes: number): Generator<string> {
  const [before = '', after = ''] = xml2('SPLIT').split('SPLIT');
  const events = objectXml().repeat(300);
  yield before;
  for (let sent = 0; sent < bytes; sent += events.length) yield events;
  yield after;
}

export const UPGRADE =
  'GET /queries/all/events?stream=true HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';
/** Empty ones, masked by zeros. */
const PINGS = Buffer.from('898000000000', 'hex').toString('latin1').repeat(2_000);

/** A subscription by WebSocket, left as soon as it is there. */
const upgrade = (port: number): Promise<unknown> => sendWhole(port, UPGRADE);

export const HOSTILE_EPCIS: readonly Hostile[] = [
  {
    name: 'queries at every limit',
    epcis: true,
    play: inLoops(4, async (port) => {
      for (const query of QUERIES) await send(port, query);
    }),
  },
  {
    name: 'dead receivers',
    epcis: true,
    play: async (port, stopped) => {
      const query = json({ name: 'all', query: {}, '@context': CONTEXT });
      await send(port, { path: '/queries', body: query });
      const subscription = json({ dest: DEAD, stream: true });
      for (let i = 0; i < SUBSCRIPTIONS && !stopped(); i++) {
        await send(port, { path: '/queries/all/subscriptions', body: subscription });
      }
      while (!stopped()) await send(port, { path: '/capture', type: 'application/xml', body: xml2(objectXml()) });
    },
  },
  {
    name: 'upgrades',
    epcis: true,
    play: async (port, stopped) => {
      await send(port, { path: '/queries', body: json({ name: 'all', query: {}, '@context': CONTEXT }) });
      await inLoops(20, upgrade)(port, stopped);
    },
  },
  {
    name: 'pings without end',
    epcis: true,
    play: async (port, stopped) => {
      await send(port, { path: '/queries', body: json({ name: 'all', query: {}, '@context': CONTEXT }) });
      await many(4, (socket) => flood(socket.resume(), UPGRADE, PINGS))(port, stopped);
    },
  },
  {
    name: 'bombs',
    epcis: true,
    play: (port, stopped) => {
      const packed = bomb();
      const capture = { path: '/capture', type: 'application/xml', encoding: 'gzip' };
      return inLoops(4, () => send(port, { ...capture, body: Readable.from([packed]) }))(port, stopped);
    },
  },
  {
    name: 'windows without end',
    epcis: true,
    play: (port, stopped) => {
      const begin = ofLargeWindow();
      return many(60, (socket) => {
        socket.resume().write(BROTLI);
        socket.write(begin);
      })(port, stopped);
    },
  },
  {
    name: 'messages of many values',
    epcis: true,
    play: inLoops(4, async (port) => {
      for (const message of MESSAGES) await send(port, message);
    }),
  },
  {
    name: 'events of many values',
    epcis: true,
    play: (port, stopped) => {
      const events = EVENTS.map((event) => event());
      return inLoops(4, async () => {
        for (const event of events) await send(port, event);
      })(port, stopped);
    },
  },
  {
    name: 'captures of 100 MB',
    epcis: true,
    play: inLoops(4, (port) =>
      send(port, { path: '/capture', type: 'application/xml', body: Readable.from(document(100 * MB)) }),
    ),
  },
];
