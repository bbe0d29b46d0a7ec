// TLS on the port of plain HTTP: a connection whose first byte begins a handshake is decrypted before the server gets it. So a VM
// serves a gateway that insists on TLS, and one on the same machine that needs none, and nothing has to change at both at once.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { createServer, type SecureVersion } from 'node:tls';

/** In PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export interface TlsDoor {
  /** New connections get it. */
  use(certificate: Certificate): void;
  /** Hangs up on those that have not said yet what they want. */
  close(): void;
}

const HANDSHAKE = 22;
/** For the first byte, and for the handshake. */
const BEGIN_MS = 30_000;
const OLDEST: SecureVersion = 'TLSv1.3';

/** Before the server listens. */
export function acceptTls(server: Server, certificate: Certificate): TlsDoor {
  // what Node's server does with a connection, whichever it is
  const serves = server.listeners('connection') as ((socket: Socket) => void)[];
  const serve = (socket: Socket) => serves.forEach((one) => one.call(server, socket));
  const options = { ...certificate, minVersion: OLDEST, handshakeTimeout: BEGIN_MS };
  /** By their other end, which is the same of what is decrypted. */
  const beginning = new Map<string, Socket>();
  const decrypting = createServer(options, (decrypted) => {
    beginning.delete(otherEnd(decrypted));
    serve(decrypted);
  });
  decrypting.on('tlsClientError', (_error, socket) => socket.destroy());
  server.removeAllListeners('connection').on('connection', (socket: Socket) => {
    const end = otherEnd(socket);
    beginning.set(end, socket);
    const fail = () => socket.destroy();
    socket.once('close', () => void (beginning.get(end) === socket && beginning.delete(end)));
    socket.on('error', fail).setTimeout(BEGIN_MS, fail);
    socket.once('data', (first: Buffer) => {
      socket.pause().off('error', fail).setTimeout(0).off('timeout', fail).unshift(first);
      if (first[0] === HANDSHAKE) decrypting.emit('connection', socket);
      else {
        beginning.delete(end);
        serve(socket);
      }
      // what is here already is read first
      process.nextTick(() => socket.resume());
    });
  });
  return {
    use: (next) => decrypting.setSecureContext({ ...next, minVersion: OLDEST }),
    close: () => beginning.forEach((socket) => socket.destroy()),
  };
}

const otherEnd = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;
