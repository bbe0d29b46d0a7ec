// A connection to a VM that may answer and close while it is still being sent to.
import { Socket } from 'node:net';

type Done = (error?: Error | null) => void;

/**
 * Its answer is in the receive buffer then, and the next write fails: Node would destroy the socket for that, and the answer
 * with it. So a write to a VM that has closed fails silently. What was received is read, and after it comes the end.
 */
export class VmSocket extends Socket {
  override _write(chunk: unknown, encoding: BufferEncoding, done: Done): void {
    super._write(chunk, encoding, unlessClosed(done));
  }

  override _writev(chunks: { chunk: unknown; encoding: BufferEncoding }[], done: Done): void {
    super._writev?.(chunks, unlessClosed(done));
  }
}

function unlessClosed(done: Done): Done {
  return (error) => {
    const { code } = (error ?? {}) as { code?: string };
    if (code !== 'EPIPE' && code !== 'ECONNRESET') done(error);
  };
}
