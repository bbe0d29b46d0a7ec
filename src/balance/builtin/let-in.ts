// Which connections are let in: so many at once, so many of one client, and so many in a second.
import type { Server } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Core } from './core.ts';
import { clientOf } from '../core/clients.ts';
import { Connections, CONNECTIONS_A_HANDSHAKE, LONGEST_REST_MS } from '../core/connections.ts';
import type { Refusal } from '../core/headers.ts';
import type { ReadingTurns } from './reading-turns.ts';

const TOLD_AGAIN_MS = 60_000;
/** Connections that are too many, and are in their handshake. */
const REFUSED_AT_ONCE = 20;
const TOO_SOON: Refusal = { status: 429, reason: 'This client opens connections all the time.' };

export class LetIn {
  readonly #core: Core;
  readonly #connections: Connections;
  readonly #turns: ReadingTurns;
  /** Answers whatever it asks with this, and closes it. */
  readonly #turnOut: (socket: Socket, refusal: Refusal) => void;
  #tellNextAt = 0;

  constructor(core: Core, turns: ReadingTurns, turnOut: (socket: Socket, refusal: Refusal) => void) {
    this.#core = core;
    this.#turns = turns;
    this.#connections = new Connections(core.options.limits);
    this.#turnOut = turnOut;
  }

  watch(server: Server): void {
    server.on('connection', (socket: Socket) => {
      const refusal = this.#count(socket, 1);
      this.#turns.opened(socket, this.#clientAt(socket));
      if (refusal !== undefined) this.#refuse(socket, refusal);
      else this.#rest(socket);
    });
  }

  /**
   * By TLS a client can be answered when its handshake is over. Its connection counts from its beginning: one whose handshake never
   * comes costs as much, and who connects all the time waits for it. So many at once may wait to be told that connections are
   * scarce; others are cut off.
   */
  watchByTls(server: TlsServer): void {
    const refused = new Map<string, Refusal>();
    const shakeHands = server.listeners('connection') as ((this: TlsServer, socket: Socket) => void)[];
    server.removeAllListeners('connection').on('connection', (socket: Socket) => {
      socket.on('error', () => {});
      const refusal = this.#count(socket, CONNECTIONS_A_HANDSHAKE);
      if (refusal !== undefined) {
        if (refusal === TOO_SOON || refused.size >= REFUSED_AT_ONCE) return this.#cutOff(socket, refusal);
        const end = otherEnd(socket);
        refused.set(end, refusal);
        socket.once('close', () => refused.delete(end));
      }
      const begin = () => {
        if (!socket.destroyed) for (const one of shakeHands) one.call(server, socket);
      };
      const restMs = this.#restMs(socket);
      if (restMs === 0) begin();
      else setTimeout(begin, restMs).unref();
    });
    server.on('secureConnection', (socket: Socket) => {
      this.#turns.opened(socket, this.#clientAt(socket));
      const refusal = refused.get(otherEnd(socket));
      if (refusal !== undefined) this.#refuse(socket, refusal);
    });
  }

  /** A refusal where it is beyond the limits. `worth`: what it costs, in connections. */
  #count(socket: Socket, worth: number): Refusal | undefined {
    const client = this.#clientAt(socket);
    socket.once('close', () => this.#connections.closed(client));
    const scarce = this.#connections.opened(client);
    return this.#tooSoon(client, worth) ?? scarce;
  }

  /** What is refused for that does not count: else who goes on trying would never be let in again. */
  #tooSoon(client: string | undefined, worth: number): Refusal | undefined {
    if (client === undefined) return undefined;
    const { connectionRates, deps } = this.#core;
    const now = deps.now();
    if (connectionRates.restAfter(client, 0, now) > LONGEST_REST_MS) return TOO_SOON;
    connectionRates.restAfter(client, worth, now);
    return undefined;
  }

  #restMs(socket: Socket): number {
    const client = this.#clientAt(socket);
    return client === undefined ? 0 : this.#core.connectionRates.restAfter(client, 0, this.#core.deps.now());
  }

  /** Who connects all the time waits for the next one to be read. */
  #rest(socket: Socket): void {
    const restMs = this.#restMs(socket);
    if (restMs === 0) return;
    socket.pause();
    setTimeout(() => socket.resume(), restMs).unref();
  }

  #refuse(socket: Socket, refusal: Refusal): void {
    this.#tell(socket, refusal);
    this.#turnOut(socket, refusal);
  }

  #cutOff(socket: Socket, refusal: Refusal): void {
    this.#tell(socket, refusal);
    socket.destroy();
  }

  /** A line in the log, not one for each connection. */
  #tell(socket: Socket, { reason }: Refusal): void {
    const { tally, deps } = this.#core;
    tally.refused++;
    if (deps.now() < this.#tellNextAt) return;
    this.#tellNextAt = deps.now() + TOLD_AGAIN_MS;
    deps.log.warn({ client: this.#clientAt(socket), reason }, 'Connections are refused');
  }

  /** Undefined: a proxy's, of many clients. */
  #clientAt({ remoteAddress: address = '' }: Socket): string | undefined {
    const { front, options } = this.#core;
    return front === undefined && !options.trustForwarded ? clientOf({ address }) : undefined;
  }
}

const otherEnd = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;
