// How much one client may capture, all VMs together: what they keep count of, as the gateway told them. (Requests a second the
// gateway counts itself.)
import { LimitReachedException } from '../domain/exceptions.ts';
import type { ClientIdentity } from './identity.ts';

/** What clients have captured, as time: until when their rate has made up for it. One place for all VMs. */
export interface EventAccounts {
  /** ms from now, 0: it has. */
  owed(client: ClientIdentity): Promise<number>;
  /** From then on, or from now, it takes so many ms more. */
  add(client: ClientIdentity, ms: number): Promise<void>;
}

/** Nobody knows beforehand how many events a document holds, so a client is not stopped within one: it waits before its next, until its rate has made up for it. */
export class EventMeter {
  readonly #accounts: EventAccounts;
  readonly #logFailure: (error: unknown, what: string) => void;

  constructor(accounts: EventAccounts, logFailure: (error: unknown, what: string) => void) {
    this.#accounts = accounts;
    this.#logFailure = logFailure;
  }

  /** Rejects until there is room for an event: at 100 a second about 30 s for what was 3,000 too many. A second's worth can be saved up. */
  async check(client: ClientIdentity): Promise<void> {
    const { eventsPerSecond: rate } = client;
    if (rate === undefined) return;
    const saved = ((Math.max(1, rate) - 1) * 1000) / rate;
    const wait = Math.ceil(((await this.#accounts.owed(client)) - saved) / 1000);
    if (wait <= 0) return;
    const reason = `${client.client} may capture ${rate} events a second, and has captured more: the next in ${wait} s.`;
    throw new LimitReachedException(reason, wait);
  }

  /** What was captured is, whether it could be counted or not. */
  async count(client: ClientIdentity, events: number): Promise<void> {
    const { eventsPerSecond: rate } = client;
    if (rate === undefined || events === 0) return;
    try {
      await this.#accounts.add(client, (events * 1000) / rate);
    } catch (error) {
      this.#logFailure(error, 'counting what a client captured');
    }
  }
}
