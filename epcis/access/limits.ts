// How much one client may capture and have sent to it: what a VM keeps count of, as the gateway told it. (Requests a second the
// gateway counts itself.)
import { LimitReachedException } from '../domain/exceptions.ts';
import type { ClientIdentity } from './identity.ts';

/** Who has no limits is not counted; of others so many are remembered. */
const MOST_CLIENTS = 10_000;

interface Account {
  /** Events that may still be captured; below 0: owed. */
  left: number;
  at: number;
}

/** Nobody knows beforehand how many events a document holds, so a client is not stopped within one: it waits before its next, until its rate has made up for it. */
export class EventMeter {
  readonly #accounts = new Map<string, Account>();
  readonly #now: () => number;

  /** `now`: ms since 1970. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Throws until there is room for an event: at 100 a second about 30 s for what was 3,000 too many. */
  check({ client, eventsPerSecond }: ClientIdentity): void {
    if (eventsPerSecond === undefined) return;
    const { left } = this.#account(client, eventsPerSecond);
    if (left >= 1) return;
    const wait = Math.ceil((1 - left) / eventsPerSecond);
    const reason = `${client} may capture ${eventsPerSecond} events a second, and has captured more: the next in ${wait} s.`;
    throw new LimitReachedException(reason, wait);
  }

  count({ client, eventsPerSecond }: ClientIdentity, events: number): void {
    if (eventsPerSecond !== undefined) this.#account(client, eventsPerSecond).left -= events;
  }

  /** A second's worth can be saved up. */
  #account(client: string, rate: number): Account {
    const now = this.#now();
    const most = Math.max(1, rate);
    const account = this.#accounts.get(client) ?? { left: most, at: now };
    account.left = Math.min(most, account.left + (Math.max(0, now - account.at) * rate) / 1000);
    account.at = now;
    this.#accounts.delete(client);
    this.#accounts.set(client, account);
    const [oldest] = this.#accounts.keys();
    if (this.#accounts.size > MOST_CLIENTS && oldest !== undefined) this.#accounts.delete(oldest);
    return account;
  }
}
