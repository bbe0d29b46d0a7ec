// Clients that would hurt others by having the EPCIS service hold much at once: large things, asked for many at a time.
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { CONTEXT, objectXml, xml2 } from '../helpers/epcis-documents.ts';
import { soapPoll } from '../../loadgen/workload/queries.ts';
import { inLoops, many, type Hostile } from './hostile.ts';
import { send, UPGRADE } from './hostile-epcis.ts';

const MB = 2 ** 20;
/** Together more than a VM may grow by. */
const LARGE = 64;

const NOTE = gzipSync('x'.repeat(7.5 * MB), { level: 1 });

/** So many events of nearly as much as one may have, of which few KB are sent; older than those that the others are given. */
function largeEvents(from: number, count: number): Buffer {
  const event = (n: number) =>
    objectXml('<e:note xmlns:e="http://example.org/">NOTE</e:note>', { epc: `urn:epc:id:sgtin:9521141.012345.${n}` });
  const document = xml2(Array.from({ length: count }, (_, i) => event(from + i)).join('')).replaceAll(
    '>2030-',
    '>2000-',
  );
  const pieces = document.split('NOTE').map((text) => gzipSync(text));
  return Buffer.concat(pieces.flatMap((piece, i) => (i === 0 ? [piece] : [NOTE, piece])));
}

/** Few documents of many. */
async function captureLarge(port: number, stopped: () => boolean, from = 0): Promise<void> {
  for (let done = 0; done < LARGE && !stopped(); done += 16) {
    const body = Readable.from([largeEvents(from + done, 16)]);
    await send(port, { path: '/capture', type: 'application/xml', encoding: 'gzip', body });
  }
}

/** A query of nearly as much as a request may have. */
const largeQuery = (n: number): string =>
  JSON.stringify({
    name: `large ${n}`,
    query: { EQ_bizStep: [`urn:x:${'y'.repeat(0.9 * MB)}`] },
    '@context': CONTEXT,
  });

export const HOSTILE_LARGE: readonly Hostile[] = [
  {
    name: 'large events in pages',
    epcis: true,
    play: async (port, stopped) => {
      await captureLarge(port, stopped);
      await inLoops(4, () => send(port, { method: 'GET', path: '/events?perPage=1000' }))(port, stopped);
    },
  },
  {
    name: 'large events, few and sorted',
    epcis: true,
    play: async (port, stopped) => {
      await captureLarge(port, stopped);
      const all = soapPoll({}, 400).replace('eventCountLimit', 'maxEventCount');
      await inLoops(2, async () => {
        await send(port, { path: '/epcis/query', type: 'text/xml', body: all });
        await send(port, { method: 'GET', path: '/events?orderBy=http%3A%2F%2Fexample.org%2F%23note&perPage=1000' });
        await send(port, { method: 'GET', path: '/epcs/urn:epc:id:sgtin:9521141.012345.1/trace' });
      })(port, stopped);
    },
  },
  {
    name: 'large events by WebSocket',
    epcis: true,
    play: async (port, stopped) => {
      await send(port, { path: '/queries', body: JSON.stringify({ name: 'all', query: {}, '@context': CONTEXT }) });
      const taken = many(4, (socket) => void socket.resume().write(UPGRADE))(port, stopped);
      for (let from = 0; !stopped(); from += LARGE) await captureLarge(port, stopped, from);
      await taken;
    },
  },
  {
    name: 'large queries in lists',
    epcis: true,
    play: async (port, stopped) => {
      for (let n = 0; n < 3 * LARGE && !stopped(); n++) await send(port, { path: '/queries', body: largeQuery(n) });
      await inLoops(4, () => send(port, { method: 'GET', path: '/queries?perPage=1000' }))(port, stopped);
    },
  },
];
