import { expect } from 'chai';
import type { ClientIdentity } from '../../../epcis/access/identity.ts';
import { EventMeter, type EventAccounts } from '../../../epcis/access/limits.ts';
import { metered } from '../../../epcis/service/metered.ts';
import type { CaptureItem } from '../../../epcis/service/services.ts';
import { client } from '../../helpers/access.ts';

describe('the events that a client captures', () => {
  const acme = client('acme', { eventsPerSecond: 100 });
  /** As a repository keeps them. */
  class Accounts implements EventAccounts {
    now = 0;
    readonly #owed = new Map<string, number>();

    async owed({ client }: ClientIdentity) {
      return Math.max(0, (this.#owed.get(client) ?? 0) - this.now);
    }

    async add({ client }: ClientIdentity, ms: number) {
      this.#owed.set(client, Math.max(this.#owed.get(client) ?? 0, this.now) + ms);
    }
  }
  const meterOf = (accounts: EventAccounts) => new EventMeter(accounts, () => undefined);
  const wait = (meter: EventMeter, who = acme): Promise<unknown> =>
    meter.check(who).then(
      () => 0,
      (error: { retryAfter?: number }) => error.retryAfter,
    );

  it('are made up for before the next, by the rate, for each client alone, whichever VM captured them', async () => {
    const accounts = new Accounts();
    const [meter, another] = [meterOf(accounts), meterOf(accounts)];
    expect(await wait(meter)).to.equal(0);
    await meter.count(acme, 3_100); // a second's worth was there
    expect([await wait(meter), await wait(another)]).to.deep.equal([31, 31]);
    expect(await wait(meter, client('beta', { eventsPerSecond: 100 }))).to.equal(0);
    expect(await wait(meter, client('free'))).to.equal(0);
    accounts.now = 29_900;
    expect(await wait(meter)).to.equal(1);
    accounts.now = 30_010;
    expect(await wait(meter)).to.equal(0);
    accounts.now = 1e9; // no more than a second's worth is saved up
    for (const one of [meter, another]) await one.count(acme, 101);
    expect(await wait(meter)).to.equal(2);
  });

  it('stay captured where they cannot be counted', async () => {
    const failures: string[] = [];
    const accounts = { owed: async () => 0, add: () => Promise.reject(new Error('the database is away')) };
    await new EventMeter(accounts, (_, what) => failures.push(what)).count(acme, 1);
    expect(failures).to.deep.equal(['counting what a client captured']);
  });

  it('are counted though their document was refused, master data is not', async () => {
    const meter = meterOf(new Accounts());
    const items = [{ kind: 'event' }, { kind: 'vocabulary' }, { kind: 'event' }] as unknown as CaptureItem[];
    const reading = {
      async capture(given: AsyncIterable<CaptureItem>) {
        for await (const item of given) expect(item).to.have.property('kind');
        throw new Error('refused');
      },
    };
    const slow = { ...acme, eventsPerSecond: 1 };
    const capture = metered(reading, meter, slow).capture(
      (async function* () {
        yield* items;
      })(),
      { errorBehaviour: 'rollback' },
    );
    expect(await capture.catch((error: Error) => error.message)).to.equal('refused');
    expect(await wait(meter, slow)).to.equal(2);
  });
});
