// Stands between parts and passes on what they say: as it is, or late, twice and out of order.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';
import { listening } from '../../helpers/listening.ts';

export interface Relay {
  readonly port: number;
  /** What is passed on is so late, either way. */
  delayMs: number;
  close(): void;
}

/** Of TCP, to the first of these ports of this machine that takes the connection: a virtual address before several. */
export async function startRelay(targets: readonly number[]): Promise<Relay> {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => void pass(near));
  const port = await listening(server);
  const relay = {
    port,
    delayMs: 0,
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
  const pass = async (near: Socket): Promise<void> => {
    keep(near);
    const far = await firstThatTakes(targets);
    if (far === undefined || near.destroyed) {
      far?.destroy();
      near.resetAndDestroy();
      return;
    }
    keep(far);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      // one that breaks off breaks the other off
      from.on('close', () => to.destroySoon());
      from.pipe(late()).pipe(to);
    }
  };
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  };
  const late = (): Transform =>
    new Transform({
      transform(chunk, _, done) {
        if (relay.delayMs === 0) done(null, chunk);
        else setTimeout(() => done(null, chunk), relay.delayMs);
      },
    });
  return relay;
}

async function firstThatTakes(targets: readonly number[]): Promise<Socket | undefined> {
  for (const port of targets) {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
    const taken = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    if (taken) return socket;
  }
  return undefined;
}

/** Of datagrams, to this port: with a delay each comes twice, either copy so late at most, so that they overtake one another. */
export async function startUdpRelay(target: number): Promise<Relay> {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const relay = { port: socket.address().port, delayMs: 0, close: () => void socket.close() };
  let isOpen = true;
  socket.on('close', () => (isOpen = false));
  const send = (datagram: Buffer): void => {
    if (isOpen) socket.send(datagram, target, '127.0.0.1');
  };
  socket.on('message', (datagram) => {
    if (relay.delayMs === 0) return send(datagram);
    for (let copy = 0; copy < 2; copy++) setTimeout(() => send(datagram), Math.random() * relay.delayMs);
  });
  return relay;
}
