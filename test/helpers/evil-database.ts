// A database that answers as no honest one does. It speaks as much of MySQL's protocol as gets a client to its first question.
import { createServer, type Socket } from 'node:net';
import { listening } from './listening.ts';

export interface EvilDatabase {
  readonly url: string;
  /** All that clients have said to it. */
  heard(): string;
  /** To every client, whatever it waits for. */
  says(words: Buffer): void;
  close(): void;
}

/** What it does instead of what it should; each is given the connection and the number of the next packet. */
export interface Evil {
  /** In place of its greeting. */
  readonly greets?: (socket: Socket) => void;
  /** To a login. */
  readonly lets?: (socket: Socket, sequence: number) => void;
  /** To a question, which is a packet of its own. */
  readonly answers?: (socket: Socket, question: Buffer) => void;
}

export const packet = (sequence: number, body: Uint8Array): Buffer => {
  const head = Buffer.alloc(4);
  head.writeUIntLE(body.length, 0, 3);
  head[3] = sequence;
  return Buffer.concat([head, body]);
};

/** A text with its length, below 251 bytes. */
export const text = (value: string): Buffer => Buffer.concat([Buffer.of(value.length), Buffer.from(value)]);

export const OK = Buffer.of(0, 0, 0, 2, 0, 0, 0);
export const END = Buffer.of(0xfe, 0, 0, 2, 0);

/** Of a result: its name and its type, as MySQL numbers them. */
export const column = (name: string, type = 253): Buffer =>
  Buffer.concat([
    ...[text('def'), text('evil'), text('t'), text('t'), text(name), text(name)],
    Buffer.of(12, 45, 0, 255, 255, 0, 0, type, 0, 0, 0, 0, 0),
  ]);

/** What a question begins with, behind the head of its packet. */
export const QUIT = 0x01;
export const QUERY = 0x03;
export const PREPARE = 0x16;
export const EXECUTE = 0x17;

/** What an honest one says to a question, where each statement has one row of one column, an x. */
export function honestly(to: Socket, question: Buffer): void {
  const said = question.toString('latin1', 5);
  const columns = [packet(1, Buffer.of(1)), packet(2, column('x')), packet(3, END)];
  const rows = (row: Buffer): void => void to.write(Buffer.concat([...columns, packet(4, row), packet(5, END)]));
  const prepared = [packet(1, Buffer.of(0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0)), packet(2, column('x')), packet(3, END)];
  if (question[4] === PREPARE) to.write(Buffer.concat(prepared));
  else if (question[4] === EXECUTE) rows(Buffer.concat([Buffer.of(0, 0), text('x')]));
  else if (question[4] === QUERY && said.startsWith('SELECT')) rows(text('x'));
  else if (question[4] === QUERY) to.write(packet(1, OK));
}

const CAPABLE = 0x0081a28d; // of 4.1, with plugins, transactions and login in 20 bytes; no TLS
export const GREETING = (() => {
  const flags = Buffer.alloc(4);
  flags.writeUInt32LE(CAPABLE);
  return Buffer.concat([
    Buffer.of(10),
    Buffer.from('11.8.0-MariaDB-evil\0'),
    Buffer.of(1, 0, 0, 0),
    Buffer.from('12345678\0'),
    flags.subarray(0, 2),
    Buffer.of(33, 2, 0),
    flags.subarray(2),
    Buffer.of(21),
    Buffer.alloc(10),
    Buffer.from('901234567890\0mysql_native_password\0'),
  ]);
})();

export async function startEvil(evil: Evil): Promise<EvilDatabase> {
  const heard: Buffer[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    let packets = 0;
    socket.on('data', (data) => {
      heard.push(data);
      packets += 1;
      if (packets > 1) (evil.answers ?? ((to) => void to.write(packet(1, OK))))(socket, data);
      else if (evil.lets === undefined) socket.write(packet(2, OK));
      else evil.lets(socket, 2);
    });
    if (evil.greets === undefined) socket.write(packet(0, GREETING));
    else evil.greets(socket);
  });
  const port = await listening(server);
  return {
    url: `mysql://epcis:open-sesame@127.0.0.1:${port}/shop`,
    heard: () => Buffer.concat(heard).toString('latin1'),
    says: (words) => {
      for (const socket of sockets) socket.write(words);
    },
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
