// Clients that would hurt others by work that the EPCIS service does for them: jobs, exports, subscriptions, pages, slow polls.
import { CONTEXT, json2, objectJson, objectXml, xml2 } from '../helpers/epcis-documents.ts';
import { soapPoll } from '../../loadgen/workload/queries.ts';
import { connect } from 'node:net';
import { inLoops, many, to, type Hostile } from './hostile.ts';
import { send, type Sent } from './hostile-epcis.ts';

const json = (value: object): string => JSON.stringify(value);
const each = (count: number, of: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => of(i)).join('');
const older = (document: string): string => document.replaceAll('>2030-', '>2000-').replaceAll('"2030-05', '"2000-05');

/** Its body, where it is read by programs. */
function ask(port: number, path: string): Promise<{ readonly next: string | undefined; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const socket = connect(to(port), () => socket.write(`GET ${path} HTTP/1.0\r\nHost: a\r\n\r\n`));
    let text = '';
    socket.setEncoding('latin1').on('data', (piece: string) => (text += piece));
    socket.on('error', reject).on('close', () => {
      const next = /^link: <([^>]*)>; *rel="next"/im.exec(text)?.[1];
      resolve({ text, next: next === undefined ? undefined : next.replace(/^https?:\/\/[^/]*/, '') });
    });
  });
}

/** All pages, again and again. */
const pagesOf = (paths: readonly string[]): Hostile['play'] =>
  inLoops(4, async (port, stopped) => {
    for (const path of paths)
      for (let next: string | undefined = path; next !== undefined && !stopped();) ({ next } = await ask(port, next));
  });

const captures = (document: string, type = 'application/xml'): Sent => ({ path: '/capture', type, body: document });

/** Each as large as one may be in one way: EPCs, fields, depth, namespaces, faults. */
const AT_THE_LIMITS: readonly (() => Sent)[] = [
  () =>
    captures(
      older(json2(objectJson({ epcList: Array.from({ length: 95_000 }, (_, i) => `urn:x:${i}`) }))),
      'application/ld+json',
    ),
  () =>
    captures(
      older(
        xml2(
          objectXml(
            each(9_900, (i) => `<e:f${i}>1</e:f${i}>`),
            {},
          ),
          'xmlns:e="http://example.org/"',
        ),
      ),
    ),
  () =>
    captures(
      older(
        xml2(
          objectXml(each(50, (i) => `<e:d${i} xmlns:e="http://example.org/">`) + each(50, (i) => `</e:d${49 - i}>`)),
        ),
      ),
    ),
  () =>
    captures(
      older(
        xml2(
          objectXml().repeat(2_000),
          each(2_000, (i) => `xmlns:p${i}="http://example.org/${i}" `),
        ),
      ),
    ),
  () => ({ path: '/validate', type: 'application/xml', body: xml2(objectXml('<wrong/>').repeat(5_000)) }),
];

const named = (name: string): Sent => ({ path: '/queries', body: json({ name, query: {}, '@context': CONTEXT }) });

export const HOSTILE_WORK: readonly Hostile[] = [
  {
    name: 'jobs by the thousand',
    epcis: true,
    play: inLoops(8, (port) => send(port, captures(older(xml2(objectXml()))))),
  },
  {
    name: 'events at every limit',
    epcis: true,
    play: (port, stopped) => {
      const all = AT_THE_LIMITS.map((one) => one());
      return inLoops(4, async () => {
        for (const one of all) await send(port, one);
      })(port, stopped);
    },
  },
  {
    name: 'exports by the hundred',
    epcis: true,
    play: inLoops(4, async (port) => {
      await send(port, { path: '/exports', body: json({ format: 'xml' }), type: 'application/json' });
    }),
  },
  {
    name: 'pages without end',
    epcis: true,
    play: pagesOf([
      '/events?perPage=1',
      '/capture?perPage=1',
      '/epcs?perPage=1',
      '/bizSteps?perPage=1',
      '/queries?perPage=1',
    ]),
  },
  {
    name: 'named queries without end',
    epcis: true,
    play: async (port, stopped) => {
      let n = 0;
      await inLoops(4, async () => {
        await send(port, named(`q${n++}`));
        await send(port, {
          ...{ path: '/epcis/query', type: 'text/xml' },
          body: soapPoll({}, 1).replace(/<q:Poll>.*<\/q:Poll>/s, '<q:GetQueryNames/>'),
        });
      })(port, stopped);
    },
  },
  {
    name: 'polls that are not taken',
    epcis: true,
    play: async (port, stopped) => {
      const note = `<e:n xmlns:e="http://example.org/">${'x'.repeat(10_000)}</e:n>`;
      await send(port, captures(older(xml2(each(500, (i) => objectXml(note, { epc: `urn:x:${i}` }))))));
      const body = soapPoll({}, 1_000);
      const head = `POST /epcis/query HTTP/1.1\r\nHost: a\r\nContent-Type: text/xml\r\nContent-Length: ${body.length}\r\n\r\n`;
      await many(100, (socket) => void socket.pause().write(head + body))(port, stopped);
    },
  },
  {
    name: 'subscriptions opened and ended',
    epcis: true,
    play: async (port, stopped) => {
      await send(port, named('all'));
      let n = 0;
      await inLoops(4, async () => {
        const path = '/queries/all/subscriptions';
        await send(port, { path, body: json({ dest: 'http://127.0.0.1:9/', schedule: { second: String(n++ % 60) } }) });
        await send(port, { method: 'GET', path });
      })(port, stopped);
    },
  },
];
