// A VM of bytes: it notes each request as it came, and answers what it is told to, HTTP or not.
import { createServer, type Socket } from 'node:net';
import { GATEWAY_DEFAULTS } from '../../src/balance/core/options.ts';
import type { Bench } from './gateway.ts';
import { listening } from './listening.ts';

export interface RawRequest {
  readonly line: string;
  /** By their names in small letters. */
  readonly fields: ReadonlyMap<string, string>;
  readonly body: string;
}

export interface RawAnswer {
  readonly bytes: string;
  /** What becomes of the connection then; default: it stays. */
  readonly then?: 'close' | 'reset';
}

const READY: RawAnswer = { bytes: 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n', then: 'close' };

/** Of a body in chunks it knows the end only where no chunk holds what looks like it. */
export async function startRawVm(bench: Bench, answer: (request: RawRequest) => RawAnswer): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      for (let one = cut(received); one !== undefined; one = cut(received)) {
        received = one.rest;
        const isProbe = one.request.line.split(' ')[1] === GATEWAY_DEFAULTS.health.path;
        const { bytes, then } = isProbe ? READY : answer(one.request);
        socket.write(bytes, 'latin1');
        if (then === 'close') socket.end();
        if (then === 'reset') socket.resetAndDestroy();
      }
    });
  });
  const port = await listening(server);
  bench.atEnd(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  );
  return port;
}

/** The first request of what was received, once all of it has come. */
function cut(received: string): { readonly request: RawRequest; readonly rest: string } | undefined {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [line = '', ...raw] = received.slice(0, end).split('\r\n');
  const fields = new Map(
    raw.map((field) => {
      const at = field.indexOf(':');
      return [field.slice(0, at).toLowerCase(), field.slice(at + 1).trim()];
    }),
  );
  const start = end + 4;
  const last = '\r\n0\r\n\r\n';
  const isChunked = fields.get('transfer-encoding') === 'chunked';
  const length = isChunked
    ? received.indexOf(last, end + 2) + last.length - start
    : Number(fields.get('content-length') ?? 0);
  if (length < 0 || received.length < start + length) return undefined;
  return {
    request: { line, fields, body: received.slice(start, start + length) },
    rest: received.slice(start + length),
  };
}
