// Clients that would hurt others: each plays until it is told to stop, against a gateway on loopback.
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { upload } from '../helpers/uploads.ts';

export interface Hostile {
  readonly name: string;
  /** It plays against VMs that serve EPCIS, not against such as answer anything at once. */
  readonly epcis?: true;
  /** Clients come by TLS, or by HTTP/2 (also where it is not spoken), or have to say who they are. */
  readonly door?: 'tls' | 'http2' | 'keys';
  play(port: number, stopped: () => boolean): Promise<unknown>;
}

const GET = 'GET /events HTTP/1.1\r\nHost: a\r\n';
const POST = 'POST /capture HTTP/1.1\r\nHost: a\r\nContent-Type: application/xml\r\n';
const MB = 1_000_000;

/** Another address than the others' has, so that a gateway can tell who does it. */
export const HOSTILE_ADDRESS = '127.0.0.2';

export const HOSTILE: readonly Hostile[] = [
  { name: 'slow heads', play: many(100, (socket) => drip(socket, `${GET}X-Long: `, 'x')) },
  {
    name: 'slow bodies, small',
    play: many(100, (socket) => drip(socket, `${POST}Content-Length: 60000\r\n\r\n`, 'x')),
  },
  {
    name: 'slow bodies, large',
    play: many(100, (socket) => drip(socket, `${POST}Content-Length: 1000000\r\n\r\n`, 'x')),
  },
  {
    name: 'chunks without end',
    play: many(4, (socket) =>
      flood(socket, `${POST}Transfer-Encoding: chunked\r\n\r\n`, `8000\r\n${'x'.repeat(0x8000)}\r\n`),
    ),
  },
  { name: 'slow readers', play: many(100, (socket) => void socket.pause().write(`${GET}X-Large: yes\r\n\r\n`)) },
  { name: 'idle connections', play: many(1000, () => {}) },
  { name: 'resets at every byte', play: inLoops(4, resetSomewhere()) },
  {
    name: 'refused uploads',
    play: inLoops(2, (port) => upload(port, { from: HOSTILE_ADDRESS, size: 20 * MB, path: '/refused' })),
  },
  {
    name: 'refused uploads, slow',
    play: inLoops(20, (port) => upload(port, { from: HOSTILE_ADDRESS, size: 1 * MB, path: '/refused', restMs: 50 })),
  },
  { name: 'pipelining', play: many(4, (socket) => flood(socket.resume(), '', `${GET}\r\n`.repeat(100))) },
  {
    name: 'promised bodies',
    play: many(
      100,
      (socket) => void socket.resume().write(`${POST}Content-Length: 1000000\r\nExpect: 100-continue\r\n\r\n`),
    ),
  },
  { name: 'a byte a second', play: many(100, (socket) => sip(socket, `${GET}X-Large: yes\r\n\r\n`)) },
  { name: 'half-closed connections', play: many(20, (socket) => void socket.resume().end(`${GET}\r\n`)) },
  {
    name: 'trailers without end',
    play: many(4, (socket) =>
      flood(socket.resume(), `${POST}Transfer-Encoding: chunked\r\n\r\n0\r\n`, `X: ${'x'.repeat(1_000)}\r\n`),
    ),
  },
  {
    name: 'chunks of a byte',
    play: many(4, (socket) =>
      flood(socket.resume(), `${POST}Transfer-Encoding: chunked\r\n\r\n`, '1;x=y\r\nx\r\n'.repeat(1_000)),
    ),
  },
  { name: 'requests without end', play: many(20, (socket) => askAgain(socket, `${GET}\r\n`)) },
  { name: 'abandoned requests', play: inLoops(60, leaveSoon()) },
  { name: 'HTTP/1.0', play: inLoops(4, (port) => sendWhole(port, 'GET http://a/events HTTP/1.0\r\n\r\n')) },
  { name: 'huge heads', play: inLoops(4, (port) => sendWhole(port, `${GET}X: ${'x'.repeat(60_000)}\r\n\r\n`)) },
  {
    name: 'bad heads',
    play: inLoops(4, (port) => sendWhole(port, `${GET}Content-Length: 1\r\nContent-Length: 2\r\n\r\nx`)),
  },
];

/** So many connections, each opened again when it ends, each treated so. */
export function many(
  count: number,
  treat: (socket: Socket) => void,
  open: (port: number) => Socket = (port) => connect(to(port)),
): Hostile['play'] {
  return inLoops(count, async (port, stopped) => {
    const socket = open(port);
    socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', () => treat(socket));
    const closed = new Promise((resolve) => socket.on('close', resolve));
    socket.on('error', () => {});
    const watch = setInterval(() => (stopped() ? socket.destroy() : undefined), 50);
    await closed;
    clearInterval(watch);
    await rest(20);
  });
}

export function inLoops(
  count: number,
  one: (port: number, stopped: () => boolean) => Promise<unknown>,
): Hostile['play'] {
  const loop = async (port: number, stopped: () => boolean) => {
    while (!stopped()) await one(port, stopped).catch(() => rest(20));
  };
  return (port, stopped) => Promise.all(Array.from({ length: count }, () => loop(port, stopped)));
}

/** One byte ten times a second: always something, never enough. */
function drip(socket: Socket, head: string, byte: string): void {
  socket.resume().write(head);
  const timer = setInterval(() => socket.write(byte), 100);
  socket.on('close', () => clearInterval(timer));
}

/** Reads one byte a second. */
function sip(socket: Socket, bytes: string): void {
  socket.pause().write(bytes);
  const timer = setInterval(() => void socket.read(1), 1_000);
  socket.on('readable', () => {}).on('close', () => clearInterval(timer));
}

/** As fast as it is taken. */
export function flood(socket: Socket, head: string | Buffer, piece: string | Buffer): void {
  const more = () => {
    while (socket.writable && socket.write(piece, 'latin1'));
  };
  socket.on('drain', more).write(head);
  more();
}

/** Asks as soon as it has something of the last answer, on the same connection. */
export function askAgain(socket: Socket, bytes: string): void {
  socket.on('data', () => socket.write(bytes)).write(bytes);
}

/** Breaks off after one byte more each time. */
function resetSomewhere(): (port: number) => Promise<unknown> {
  const bytes = `${POST}Content-Length: 100\r\n\r\n${'x'.repeat(100)}`;
  let at = 0;
  return (port) =>
    new Promise((resolve) => {
      at = (at + 1) % bytes.length;
      const socket = connect(to(port), () => {
        socket.write(bytes.slice(0, at + 1), () => socket.resetAndDestroy());
      });
      socket.on('error', () => {}).on('close', resolve);
    });
}

/** Closes its side behind the request, or resets the connection a moment after it. */
function leaveSoon(): (port: number) => Promise<unknown> {
  let turn = 0;
  return (port) =>
    new Promise((resolve) => {
      const ms = turn++ % 20;
      const socket = connect(to(port), () => {
        if (ms % 2 === 0) socket.end(`${GET}\r\n`);
        else socket.write(`${GET}\r\n`);
        setTimeout(() => socket.resetAndDestroy(), ms);
      });
      socket.on('error', () => {}).on('close', resolve);
    });
}

export function sendWhole(port: number, bytes: string): Promise<unknown> {
  return new Promise((resolve) => {
    const socket = connect(to(port), () => socket.write(bytes));
    socket.on('error', () => {}).on('close', resolve);
    socket.once('data', () => socket.destroy());
  });
}

export const to = (port: number) => ({ host: '127.0.0.1', port, localAddress: HOSTILE_ADDRESS });

const rest = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
