// How many connections there are, of each client and of all, and which are too many.
import type { Refusal } from './headers.ts';
import type { GatewayOptions } from './options.ts';

type Limits = Pick<GatewayOptions['limits'], 'connections' | 'connectionsPerClient'>;

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
    if (own > connectionsPerClient) {
      return { status: 429, reason: `A client may have ${connectionsPerClient} connections; close some first.` };
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
