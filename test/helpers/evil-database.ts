// A database that answers as no honest one does. It speaks as much of MySQL's protocol as gets a client to its first question.
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';

export interface EvilDatabase {
  readonly url: string;
  /** All that clients have said to it. */
  heard(): string;
  close(): void;
}

/** What it does instead of what it should; each is given the connection and the number of the next packet. */
export interface Evil {
  /** In place of its greeting. */
  readonly greets?: (socket: Socket) => void;
  /** To a login. */
  readonly lets?: (socket: Socket, sequence: number) => void;
  /** To a question. */
  readonly answers?: (socket: Socket) => void;
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

const CAPABLE = 0x0081a28d; // of 4.1, with plugins, transactions and login in 20 bytes; no TLS
const GREETING = (() => {
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
      if (packets > 1) (evil.answers ?? ((to) => void to.write(packet(1, OK))))(socket);
      else if (evil.lets === undefined) socket.write(packet(2, OK));
      else evil.lets(socket, 2);
    });
    if (evil.greets === undefined) socket.write(packet(0, GREETING));
    else evil.greets(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `mysql://epcis:open-sesame@127.0.0.1:${port}/shop`,
    heard: () => Buffer.concat(heard).toString('latin1'),
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
