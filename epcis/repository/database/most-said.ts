// A server may not say endlessly much to one question, or before one: all of it would be kept in memory.
import { connect, type Socket } from 'node:net';

/** A batch of 500 large events fits well into it. */
export const MOST_SAID = 128 * 1024 * 1024;
const MOST_BEFORE_LOGIN = 64 * 1024;

const left = new WeakMap<Socket, number>();

function watch(socket: Socket, most: number): Socket {
  left.set(socket, most);
  return socket.on('data', (data: Buffer) => {
    const rest = (left.get(socket) ?? 0) - data.length;
    left.set(socket, rest);
    if (rest < 0) socket.destroy(new Error('The database said more than an answer holds: it was hung up on.'));
  });
}

/** As the driver connects, and counted from the first byte. */
export function connectWatched(host: string, port: number): Socket {
  const socket = connect({ host, port, noDelay: true });
  // a path that swallows what is said is noticed within half a minute; by the system's own times after two hours
  socket.on('connect', () => socket.setKeepAlive(true, 10_000));
  return watch(socket, MOST_BEFORE_LOGIN);
}

/** A question, or the next rows of a result that is taken as it comes. By TLS it is another socket than was connected. */
export function asks(socket: Socket): void {
  if (left.has(socket)) left.set(socket, MOST_SAID);
  else watch(socket, MOST_SAID);
}
