// Connections of the driver that no answer of a server makes end the process, or keep somebody waiting: whatever is no answer to a
// question costs the connection, and who waits for it learns so.
import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';

/** What the driver (mysql2 3.24) has of a connection, and says to nobody. */
interface Inner extends EventEmitter {
  readonly stream: Socket;
  /** The question that is being answered. */
  readonly _command: unknown;
  handlePacket(packet?: unknown): void;
  protocolError(message: string, code?: string): void;
}

/** By TLS another one than was connected. */
export const streamOf = (connection: unknown): Socket => (connection as Inner).stream;

export function guarded<T>(connection: T): T {
  const inner = connection as Inner;
  // the driver's pool listens for a connection's first error, and a second one that nobody hears ends the process
  inner.on('error', () => inner.stream.destroy());

  const handle = inner.handlePacket.bind(inner);
  const deaf = (): void => void (inner.handlePacket = () => undefined);
  inner.handlePacket = (packet) => {
    if (inner._command) return handle(packet);
    // the driver takes some of them apart where nothing catches that one cannot be
    deaf();
    inner.emit('error', unexpected('The database answered what nobody asked.'));
  };
  // it counts a question as answered whose answer breaks off so, and tells nobody; what is thrown there ends all that wait
  inner.protocolError = (message) => {
    throw unexpected(message);
  };
  // it goes on with packets that come out of order, and prints a line for each: the log would be filled
  inner.on('warn', (why: Error) => {
    deaf();
    inner.stream.destroy(unexpected(why.message));
  });
  return connection;
}

/** Each connection that it makes, from its beginning: the pool tells only of those that have logged in. */
export function guardPool(pool: unknown): void {
  const { _allConnections: all } = pool as { readonly _allConnections: { push(connection: unknown): number } };
  const push = all.push.bind(all);
  all.push = (connection) => push(guarded(connection));
}

const unexpected = (message: string): Error =>
  Object.assign(new Error(message), { code: 'PROTOCOL_UNEXPECTED_PACKET' });
