// Who a request comes from, and how much of the fleet one client may hold while others are there.
import type { Millis } from '../../model.ts';

export interface Sender {
  readonly address: string;
  /** X-Forwarded-For as it came, and whether the proxy that sent it is to be believed. */
  readonly forwardedFor?: string | undefined;
  readonly trusted?: boolean;
}

/** By what a client is told from others that has not been asked who it is. Behind a trusted proxy that is the address that the proxy saw: the last it added. */
export function clientOf({ address, forwardedFor, trusted = false }: Sender): string {
  const seenByProxy = trusted ? forwardedFor?.split(',').at(-1)?.trim() : undefined;
  return network(seenByProxy === undefined || seenByProxy === '' ? address : seenByProxy);
}

/** Whoever has one address of IPv6 has the 2⁶⁴ beside it: 2001:db8::1 → 2001:db8:0:0::/64. */
function network(address: string): string {
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!address.includes(':')) return address;
  const [front = [], back] = address.split('::').map((part) => (part === '' ? [] : part.split(':')));
  const gap = new Array<string>(Math.max(0, 8 - front.length - (back?.length ?? 0))).fill('0');
  const groups = back === undefined ? front : [...front, ...gap, ...back];
  return `${groups.slice(0, 4).join(':')}::/64`;
}

/** A client counts as being there for so long after it was last seen. */
const REMEMBERED_MS = 10_000;

interface Known {
  held: number;
  seenAt: Millis;
}

/** The VMs' slots by client. */
export class ClientShares {
  readonly #share: number;
  readonly #clients = new Map<string, Known>();

  /** `share`: the part of all slots (0 to 1) that one client may hold while another is there. */
  constructor(share: number) {
    this.#share = share;
  }

  seen(client: string, now: Millis): void {
    this.#known(client).seenAt = now;
  }

  took(client: string): void {
    this.#known(client).held++;
  }

  gave(client: string): void {
    const known = this.#clients.get(client);
    if (known !== undefined) known.held--;
  }

  /** Whether it may have one more. Example: 0.75 of 32 slots: 24, and all 32 where there is nobody else. */
  mayTake(client: string, slots: number): boolean {
    if (this.#clients.size <= 1) return true;
    return (this.#clients.get(client)?.held ?? 0) < Math.max(1, Math.ceil(this.#share * slots));
  }

  /** To be called now and then: clients that have gone are forgotten. */
  forget(now: Millis): void {
    for (const [client, { held, seenAt }] of this.#clients) {
      if (held === 0 && now - seenAt > REMEMBERED_MS) this.#clients.delete(client);
    }
  }

  #known(client: string): Known {
    let known = this.#clients.get(client);
    if (known === undefined) this.#clients.set(client, (known = { held: 0, seenAt: 0 }));
    return known;
  }
}
