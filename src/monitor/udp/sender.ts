// Datagrams to one receiver: an address of either family, or a name that may have addresses of both.
import { createSocket, type Socket } from 'node:dgram';
import { lookup, type LookupAddress } from 'node:dns';
import type { Address } from '../../model.ts';

export interface Sender {
  /** Nobody knows whether it arrives; the name is looked up each time, since it may move. */
  send(datagram: string): void;
  close(): Promise<void>;
}

export function createSender({ host, port }: Address): Sender {
  const sockets = new Map<number, Socket>();
  let closed = false;

  function socketOf(family: number): Socket {
    const known = sockets.get(family);
    if (known !== undefined) return known;
    const socket = createSocket(family === 6 ? 'udp6' : 'udp4');
    socket.on('error', () => undefined); // the receiver may be away for a while
    socket.unref();
    sockets.set(family, socket);
    return socket;
  }

  /** To the first; to the next one where this machine has no way there. */
  function sendTo([first, ...others]: readonly LookupAddress[], datagram: string): void {
    if (first === undefined || closed) return;
    socketOf(first.family).send(datagram, port, first.address, (error) => {
      if (error) sendTo(others, datagram);
    });
  }

  return {
    send: (datagram) =>
      lookup(host, { all: true }, (error, addresses) => {
        if (!error)
          sendTo(
            addresses.toSorted((a, b) => a.family - b.family),
            datagram,
          );
      }),
    async close() {
      closed = true;
      await Promise.all(
        [...sockets.values()].map((socket) => new Promise<void>((resolve) => socket.close(() => resolve()))),
      );
    },
  };
}
