import { expect } from 'chai';
import { EventMeter } from '../../../epcis/access/limits.ts';
import { metered } from '../../../epcis/service/metered.ts';
import type { CaptureItem } from '../../../epcis/service/services.ts';
import { client } from '../../helpers/access.ts';

describe('the events that a client captures', () => {
  const acme = client('acme', { eventsPerSecond: 100 });
  const wait = (meter: EventMeter, who = acme): unknown => {
    try {
      meter.check(who);
      return 0;
    } catch (error) {
      return (error as { retryAfter?: number }).retryAfter;
    }
  };

  it('are made up for before the next, by the rate, for each client alone', () => {
    let now = 0;
    const meter = new EventMeter(() => now);
    expect(wait(meter)).to.equal(0);
    meter.count(acme, 3_100); // a second's worth was there
    expect(wait(meter)).to.equal(31);
    expect(wait(meter, client('beta', { eventsPerSecond: 100 }))).to.equal(0);
    expect(wait(meter, client('free'))).to.equal(0);
    now = 29_900;
    expect(wait(meter)).to.equal(1);
    now = 30_010;
    expect(wait(meter)).to.equal(0);
    now = 1e9; // no more than a second's worth is saved up
    meter.count(acme, 201);
    expect(wait(meter)).to.equal(2);
    now -= 5_000; // a clock that was set back gives nothing and takes nothing
    expect(wait(meter)).to.equal(2);
  });

  it('are counted though their document was refused, master data is not', async () => {
    const meter = new EventMeter(() => 0);
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
    expect(wait(meter, slow)).to.equal(2);
  });
});
