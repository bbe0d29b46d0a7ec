// A server that plays what it is told to, byte for byte: whatever an API, or a proxy before it, may answer.
import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** What goes over the wire, and how. */
export interface Played {
  readonly bytes: string | Buffer;
  /** Bytes of a piece; default: all at once. */
  readonly piece?: number;
  /** What becomes of the connection then; default: it is closed. */
  readonly then?: 'close' | 'reset' | 'keep';
}

/** What it answers to a request's body; nothing: it says nothing, and keeps the connection. */
export type PlayBody = (body: string) => Played | undefined | Promise<Played | undefined>;

export interface PlayedServer {
  readonly url: string;
  /** How many connections are open. */
  readonly open: () => number;
  close(): Promise<void>;
}

export async function playServer(play: PlayBody): Promise<PlayedServer> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    let received = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      const end = received.indexOf('\r\n\r\n');
      const length = Number(/^content-length: (\d+)/im.exec(received.toString('latin1', 0, Math.max(0, end)))?.[1]);
      if (end < 0 || received.length < end + 4 + length) return;
      const body = received.toString('utf8', end + 4);
      received = Buffer.alloc(0);
      void Promise.resolve(play(body)).then((answer) => answer && put(socket, answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    open: () => sockets.size,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

async function put(socket: Socket, { bytes, piece = Infinity, then = 'close' }: Played): Promise<void> {
  const all = Buffer.from(bytes as string, 'latin1');
  socket.setNoDelay(true);
  for (let at = 0; at < all.length; at += piece) {
    socket.write(all.subarray(at, at + piece));
    if (at + piece < all.length) await sleep(0);
  }
  if (then === 'close') socket.end();
  if (then === 'reset') socket.resetAndDestroy();
}

/** As an HTTP server sends it. */
export const http = (body: string | Buffer, status = '200 OK', fields = ''): Buffer => {
  const content = Buffer.from(body as string, 'utf8');
  const head =
    `HTTP/1.1 ${status}\r\nContent-type: text/xml; charset=utf-8\r\n${fields}Connection: close\r\n` +
    `Content-length: ${content.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), content]);
};

/** A proxy's page, in place of what was asked for. */
export const page = (status: string, fields = ''): Played => ({
  bytes: http('<!DOCTYPE html><html><body>proxy &nbsp;</body></html>', status, fields),
});
