// How many requests of one client are read in a turn of the loop. Reading one costs some ten µs, so that what a client sends at once on
// hundreds of connections would keep all others waiting: what is beyond is read by turns, some of its connections in each.
import type { Socket } from 'node:net';

/** Of one client, while another is there; and those that come in one piece with the last of them. */
const MOST = 50;

interface Client {
  readonly sockets: Set<Socket>;
  /** Those that are not read before it is their turn, in their order. */
  readonly waiting: Set<Socket>;
  /** Requests that came in this turn. */
  came: number;
  /** How many of those that wait are read in the next one. */
  next: number;
}

export class ReadingTurns {
  readonly #clients = new Map<string, Client>();
  readonly #clientAt = new WeakMap<Socket, Client>();
  /** Those who had a request in this turn, or have connections that wait. */
  readonly #here = new Set<Client>();
  /** False: somebody else has a reason to read nothing of it, and will read on by himself. */
  readonly #mayRead: (socket: Socket) => boolean;

  constructor(mayRead: (socket: Socket) => boolean) {
    this.#mayRead = mayRead;
  }

  /** To be told of each connection before anything of it is read. No `client`: it is a proxy's, of many clients. */
  opened(socket: Socket, name: string | undefined): void {
    if (name === undefined) return;
    let client = this.#clients.get(name);
    if (client === undefined)
      this.#clients.set(name, (client = { sockets: new Set(), waiting: new Set(), came: 0, next: 1 }));
    client.sockets.add(socket);
    this.#clientAt.set(socket, client);
    socket.once('close', () => {
      this.leave(socket);
      if (client.sockets.size === 0 && this.#clients.get(name) === client) this.#clients.delete(name);
    });
  }

  /** It is no connection of requests any more. */
  leave(socket: Socket): void {
    const client = this.#clientAt.get(socket);
    client?.sockets.delete(socket);
    client?.waiting.delete(socket);
    this.#clientAt.delete(socket);
  }

  /** To be told of each request. */
  came(socket: Socket): void {
    const client = this.#clientAt.get(socket);
    if (client === undefined) return;
    if (this.#here.size === 0) setImmediate(() => this.#endTurn());
    this.#here.add(client);
    if (++client.came === MOST && this.#clients.size > 1) stopReading(client);
  }

  /** Who may be read on, as many at a time as brings no more than a turn's requests: some bring one each, others hundreds. */
  #endTurn(): void {
    for (const client of this.#here) {
      client.next = client.came < MOST ? Math.min(MOST, 2 * client.next) : Math.max(1, client.next >> 1);
      client.came = 0;
      let left = client.next;
      for (const socket of client.waiting) {
        if (left-- === 0) break;
        client.waiting.delete(socket);
        if (this.#mayRead(socket)) socket.resume();
      }
      if (client.waiting.size === 0) this.#here.delete(client);
    }
    if (this.#here.size > 0) setImmediate(() => this.#endTurn());
  }
}

/** Those that somebody else has stopped go on when he says so. */
function stopReading({ sockets, waiting }: Client): void {
  for (const socket of sockets) {
    if (socket.isPaused()) continue;
    socket.pause();
    waiting.add(socket);
  }
}
