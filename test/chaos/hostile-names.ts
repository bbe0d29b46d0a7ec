// Clients that would hurt others by what they name: each request says something that nobody said before, and whoever keeps a table by it
// keeps it for ever.
import { connect } from 'node:net';
import { objectXml, xml2 } from '../helpers/epcis-documents.ts';
import { inLoops, many, sendWhole, to, type Hostile } from './hostile.ts';
import { send } from './hostile-epcis.ts';

let named = 0;
const name = (): string => `n${(named++).toString(36)}`;

/** Another Host, address, request, trace, key, field, path and parameter each time. */
function newNames(): string {
  const n = name();
  const trace = named.toString(16).padStart(32, '0');
  return (
    `GET /events?${n}=1&${n}&${n} HTTP/1.1\r\nHost: ${n}.example.org\r\nX-Forwarded-For: 10.${named % 256}.${(named >> 8) % 256}.1\r\n` +
    `X-Request-Id: ${n}\r\ntraceparent: 00-${trace}-${trace.slice(16)}-01\r\nAuthorization: Bearer ${n}\r\n` +
    `Origin: https://${n}.example.org\r\nX-Request-Class: ${n}\r\nX-${n}: ${n}\r\nUser-Agent: ${n}\r\nCookie: s=${n}\r\n\r\n`
  );
}

/** A document of so many events, of which each has names and values of its own in whatever has any. */
const newWords = (count: number): string =>
  xml2(
    Array.from({ length: count }, () => {
      const n = name();
      const places = `<readPoint><id>urn:x:${n}</id></readPoint><bizLocation><id>urn:x:${n}</id></bizLocation>`;
      const fields = Array.from(
        { length: 20 },
        (_, i) => `<e:${n}${i} xmlns:e="http://${n}.example.org/">${n}</e:${n}${i}>`,
      );
      return objectXml(
        `<bizStep>urn:x:${n}</bizStep><disposition>urn:x:${n}</disposition>${places}${fields.join('')}`,
        { epc: `urn:x:${n}` },
      ).replace('>2030-', '>2000-');
    }).join(''),
  );

const heads = (target: string, method = 'GET', fields = ''): string =>
  `${method} ${target} HTTP/1.1\r\nHost: a\r\n${fields}\r\n`;

/** Targets and methods that a proxy may stumble over; each is answered, or its connection is closed. */
const ODD: readonly string[] = [
  heads('a:443', 'CONNECT'),
  heads('http://a/events'),
  heads('https://b.example.org:1/events'),
  heads('*', 'OPTIONS'),
  heads('/events', 'TRACE'),
  heads('/events', 'M-SEARCH'),
  heads('/events', 'GET', 'Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMA\r\n'),
  heads('/events', 'GET', 'Upgrade: TLS/1.0\r\nConnection: Upgrade\r\n'),
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  heads('/events', 'GET', `Range: bytes=${Array.from({ length: 1_000 }, (_, i) => `${2 * i}-${2 * i}`).join()}\r\n`),
  heads('/events', 'GET', `If-None-Match: ${Array.from({ length: 1_000 }, (_, i) => `"${i}"`).join()}\r\n`),
  heads('/events', 'GET', `Accept: ${Array.from({ length: 1_000 }, (_, i) => `a/b${i};q=0.${i}`).join()}\r\n`),
  heads('/events', 'GET', Array.from({ length: 90 }, (_, i) => `x-${i}: ${'y'.repeat(150)}\r\n`).join('')),
  heads(`/events?${'a=1&'.repeat(3_500)}`),
  heads(`/events?${'%41'.repeat(4_000)}`),
  heads(`/${'../'.repeat(4_000)}`),
];

/** All of a small upload but its last byte, and then nothing more. */
const lacksAByte = (size: number): string =>
  `POST /capture HTTP/1.1\r\nHost: a\r\nContent-Type: application/xml\r\nContent-Length: ${size}\r\n\r\n${'x'.repeat(size - 1)}`;

/** On one connection each, as the answers come. */
function askNewNames(port: number, stopped: () => boolean): Promise<unknown> {
  return new Promise((resolve) => {
    const socket = connect(to(port), () => socket.write(newNames()));
    socket.on('data', () => (stopped() ? socket.destroy() : socket.write(newNames())));
    socket.on('error', () => {}).on('close', resolve);
  });
}

export const HOSTILE_NAMES: readonly Hostile[] = [
  { name: 'new names without end', play: inLoops(8, askNewNames) },
  {
    name: 'odd targets and long fields',
    play: inLoops(4, async (port) => {
      for (const bytes of ODD) await sendWhole(port, bytes);
    }),
  },
  { name: 'bodies that lack a byte', play: many(500, (socket) => void socket.resume().write(lacksAByte(65_536))) },
  {
    name: 'answers not taken',
    play: many(200, (socket) => void socket.pause().write(heads('/events').repeat(50))),
  },
  {
    name: 'odd targets and long fields, of EPCIS',
    epcis: true,
    play: inLoops(4, async (port) => {
      for (const bytes of ODD) await sendWhole(port, bytes);
    }),
  },
  {
    name: 'new words without end',
    epcis: true,
    play: inLoops(4, (port) => send(port, { path: '/capture', type: 'application/xml', body: newWords(200) })),
  },
];
