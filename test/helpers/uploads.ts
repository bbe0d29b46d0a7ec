// A client that uploads as it likes, byte for byte, and what it gets back.
import { connect } from 'node:net';
import type { Socket } from 'node:net';

export interface UploadClient {
  readonly size: number;
  /** Its own address. */
  readonly from?: string;
  readonly path?: string;
  readonly type?: string;
  readonly fields?: readonly string[];
  readonly framing?: 'length' | 'chunks';
  /** Reads while it writes, or only when it has written everything. */
  readonly reads?: 'meanwhile' | 'at the end';
  /** Rests so long after each piece. */
  readonly restMs?: number;
  /** Stops after so many bytes, and waits. */
  readonly stopsAfter?: number;
  /** Sends its body only when it has got 100. */
  readonly expects?: boolean;
}

export interface Uploaded {
  readonly status: number;
  readonly head: string;
  readonly text: string;
  /** 1xx that came before. */
  readonly informed: readonly number[];
  readonly wrote: number;
}

const PIECE = Buffer.alloc(64 << 10, 'x');

/** Resolves with the answer when all of it is here; fails when the connection ends before. */
export function upload(port: number, client: UploadClient): Promise<Uploaded> {
  const {
    size,
    from = '127.0.0.1',
    path = '/capture',
    type = 'text/weird',
    fields = [],
    framing = 'length',
    reads = 'meanwhile',
    expects = false,
  } = client;
  const socket = connect({ host: '127.0.0.1', port, localAddress: from });
  const body = framing === 'length' ? `Content-Length: ${size}` : 'Transfer-Encoding: chunked';
  const expect = expects ? ['Expect: 100-continue'] : [];
  const head = [`POST ${path} HTTP/1.1`, 'Host: a', `Content-Type: ${type}`, body, ...expect, ...fields];
  return new Promise((resolve, reject) => {
    let received = '';
    let wrote = 0;
    const informed: number[] = [];
    let writing = false;
    const begin = () => {
      if (writing) return;
      writing = true;
      void write(socket, client, (bytes) => (wrote += bytes)).then(() => socket.resume());
    };
    socket.setMaxListeners(0).setEncoding('latin1');
    socket.on('data', (text: string) => {
      received += text;
      for (let end = received.indexOf('\r\n\r\n'); /^HTTP\/1.1 1/.test(received) && end >= 0;) {
        informed.push(Number(received.slice(9, 12)));
        received = received.slice(end + 4);
        begin();
        end = received.indexOf('\r\n\r\n');
      }
      const answer = wholeAnswer(received);
      if (answer === undefined) return;
      socket.destroy();
      resolve({ ...answer, informed, wrote });
    });
    socket.on('error', () => {});
    socket.on('close', () => reject(new Error(`no answer after ${wrote} bytes: ${JSON.stringify(received)}`)));
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    if (reads === 'at the end') socket.pause();
    if (!expects) begin();
  });
}

async function write(socket: Socket, client: UploadClient, count: (bytes: number) => void): Promise<void> {
  const { size, framing = 'length', restMs = 0, stopsAfter = size } = client;
  for (let left = Math.min(size, stopsAfter); left > 0 && socket.writable;) {
    const piece = PIECE.subarray(0, Math.min(left, PIECE.length));
    left -= piece.length;
    count(piece.length);
    if (framing === 'chunks') socket.write(`${piece.length.toString(16)}\r\n`);
    const taken = socket.write(piece);
    if (framing === 'chunks') socket.write('\r\n');
    if (!taken) await Promise.race(['drain', 'close'].map((what) => new Promise((done) => socket.once(what, done))));
    if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs));
  }
  if (framing === 'chunks' && stopsAfter === size && socket.writable) socket.write('0\r\n\r\n');
}

/** Undefined as long as something of it is missing. */
function wholeAnswer(received: string): Pick<Uploaded, 'status' | 'head' | 'text'> | undefined {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const head = received.slice(0, end);
  const text = received.slice(end + 4);
  const length = /^content-length: (\d+)/im.exec(head)?.[1];
  const whole = length === undefined ? text.endsWith('0\r\n\r\n') : text.length >= Number(length);
  return whole ? { status: Number(head.slice(9, 12)), head, text } : undefined;
}
