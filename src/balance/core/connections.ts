// How many connections there are, of each client and of all, and which are too many.
import type { Refusal } from './headers.ts';
import type { Millis } from '../../model.ts';
import type { GatewayOptions } from './options.ts';

/** Of one by TLS the handshake is most of the work, a ms of it. */
export const CONNECTIONS_A_HANDSHAKE = 10;

/** So long a connection waits where its client opens them all the time; one that would wait longer is closed. */
export const LONGEST_REST_MS: Millis = 5_000;

type Limits = Pick<GatewayOptions['limits'], 'connections' | 'connectionsPerClient'>;

/**
 * How many of all connections may be in use before a client's own are counted against it: there are enough for everybody until
 * then, and many clients behind one address are no rarity.
 */
export const freeForAll = ({ connections }: Pick<Limits, 'connections'>): number => Math.floor(connections / 2);

export class Connections {
  readonly #limits: Limits;
  readonly #byClient = new Map<string, number>();
  #all = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Counts one that was opened; a refusal where it is too many. No `client`: it is a proxy's, of many clients. */
  opened(client: string | undefined): Refusal | undefined {
    const { connections, connectionsPerClient } = this.#limits;
    this.#all++;
    const own = client === undefined ? 0 : (this.#byClient.get(client) ?? 0) + 1;
    if (client !== undefined) this.#byClient.set(client, own);
    if (own > connectionsPerClient && this.#all > freeForAll(this.#limits)) {
      const reason = `Connections are scarce at present, and a client may have ${connectionsPerClient}; close some first.`;
      return { status: 429, reason };
    }
    if (this.#all > connections) return { status: 503, reason: 'There are too many connections at present.' };
    return undefined;
  }

  /** To be told of every one that was opened, a refused one included. */
  closed(client: string | undefined): void {
    this.#all--;
    if (client === undefined) return;
    const own = (this.#byClient.get(client) ?? 1) - 1;
    if (own === 0) this.#byClient.delete(client);
    else this.#byClient.set(client, own);
  }
}
