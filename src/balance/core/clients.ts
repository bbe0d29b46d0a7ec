// Who a request comes from, and how much of the fleet one client, and all clients of one tenant, may hold while others are there.
import { networkOf } from '../../../epcis/domain/address.ts';
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
  return networkOf(seenByProxy === undefined || seenByProxy === '' ? address : seenByProxy);
}

/** Whose a request is, where several want the same. */
export interface Asker {
  /** The client. */
  readonly sender: string;
  /** Of which tenant; '': of none, which has the main repository. */
  readonly tenant: string;
}

/** A client counts as being there for so long after it was last seen. */
const REMEMBERED_MS = 10_000;

interface Known {
  held: number;
  seenAt: Millis;
}

interface KnownTenant {
  held: number;
  readonly clients: Map<string, Known>;
}

/** The VMs' slots by tenant, and by client of a tenant. */
export class ClientShares {
  readonly #share: number;
  readonly #tenants = new Map<string, KnownTenant>();

  /**
   * `share`: the part of all slots (0 to 1) that one tenant's clients may hold while another's are there, and the part of what a
   * tenant may hold that one of its clients may while another is there. Where all clients are of one tenant, or none, it has all.
   */
  constructor(share: number) {
    this.#share = share;
  }

  seen(asker: Asker, now: Millis): void {
    this.#client(asker, this.#tenant(asker)).seenAt = now;
  }

  took(asker: Asker): void {
    const tenant = this.#tenant(asker);
    tenant.held++;
    this.#client(asker, tenant).held++;
  }

  gave({ sender, tenant }: Asker): void {
    const of = this.#tenants.get(tenant);
    const known = of?.clients.get(sender);
    if (of === undefined || known === undefined) return;
    of.held--;
    known.held--;
  }

  /**
   * Whether it may have one more. Example: 0.75 of 32 slots: 24, and all 32 where there is nobody else. Where there is another tenant
   * all of its own have 24 together, and it has 18 of these beside another client of its own.
   */
  mayTake({ sender, tenant }: Asker, slots: number): boolean {
    const of = this.#tenants.get(tenant);
    if (of === undefined) return true;
    const isOnly = this.#tenants.size <= 1;
    const most = isOnly ? slots : this.#of(slots);
    if (!isOnly && of.held >= most) return false;
    if (of.clients.size <= 1) return true;
    return (of.clients.get(sender)?.held ?? 0) < this.#of(most);
  }

  /** To be called now and then: clients that have gone are forgotten. */
  forget(now: Millis): void {
    for (const [tenant, { clients }] of this.#tenants) {
      for (const [client, { held, seenAt }] of clients)
        if (held === 0 && now - seenAt > REMEMBERED_MS) clients.delete(client);
      if (clients.size === 0) this.#tenants.delete(tenant);
    }
  }

  #of(slots: number): number {
    return Math.max(1, Math.ceil(this.#share * slots));
  }

  #tenant({ tenant }: Asker): KnownTenant {
    let of = this.#tenants.get(tenant);
    if (of === undefined) this.#tenants.set(tenant, (of = { held: 0, clients: new Map<string, Known>() }));
    return of;
  }

  #client({ sender }: Asker, { clients }: KnownTenant): Known {
    let known = clients.get(sender);
    if (known === undefined) clients.set(sender, (known = { held: 0, seenAt: 0 }));
    return known;
  }
}
