// A connection to a VM that may answer and close while it is still being sent to.
import { Socket } from 'node:net';
import { connect as connectByTls } from 'node:tls';
import type { Address } from '../../model.ts';
import { connectionOf, type GroupTrust } from '../../tls/group.ts';

type Done = (error?: Error | null) => void;

/** `connected` is called when requests can be sent. `trust`: by TLS. */
export function connectToVm({ host, port }: Address, trust: GroupTrust | undefined, connected: () => void): Socket {
  const socket =
    trust === undefined
      ? new Socket().connect(port, host, connected)
      : connectByTls({ host, port, ...connectionOf(trust) }, connected);
  return readToTheEnd(socket).setNoDelay(true);
}

/**
 * Its answer is in the receive buffer then, and the next write fails: Node would destroy the socket for that, and the answer
 * with it. So a write to a VM that has closed fails silently. What was received is read, and after it comes the end.
 */
function readToTheEnd(socket: Socket): Socket {
  const [write, writev] = [socket._write.bind(socket), socket._writev?.bind(socket)];
  socket._write = (chunk, encoding, done) => write(chunk, encoding, unlessClosed(done));
  if (writev !== undefined) socket._writev = (chunks, done) => writev(chunks, unlessClosed(done));
  return socket;
}

function unlessClosed(done: Done): Done {
  return (error) => {
    const { code } = (error ?? {}) as { code?: string };
    if (code !== 'EPIPE' && code !== 'ECONNRESET') done(error);
  };
}
