// Bytes of the HTTP connections that this process serves: a local VM's share of the network, which the interfaces
// of the machine don't tell.
import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

export function countHttpBytes(): () => { in: number; out: number } {
  const open = new Set<Socket>();
  const closed = { in: 0, out: 0 };
  subscribe('http.server.request.start', (message) => {
    const { socket } = message as { readonly socket: Socket };
    if (open.has(socket)) return;
    open.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      closed.in += socket.bytesRead;
      closed.out += socket.bytesWritten;
    });
  });
  return () => {
    const total = { ...closed };
    for (const { bytesRead, bytesWritten } of open) {
      total.in += bytesRead;
      total.out += bytesWritten;
    }
    return total;
  };
}
