import { expect } from 'chai';
import { Tally } from '../../../src/balance/core/counters.ts';
import { watchTraffic, type WatchedTraffic } from '../../../src/manager/traffic-source.ts';
import { until } from '../../helpers/until.ts';

describe('the traffic of a period', () => {
  let traffic: WatchedTraffic | undefined;
  afterEach(() => traffic?.close());

  it('has the arrivals of its seconds, and begins anew after each', async () => {
    // a clock of its own: every reading is two seconds and ten requests after the one before
    let readings = -1;
    const tally = new Tally(['all']);
    const counters = () => {
      readings += 1;
      tally.arrived = readings * 10;
      return tally.read(readings * 2_000, () => 0);
    };
    traffic = watchTraffic({ counters });
    await until('two looks', () => readings >= 2, 10_000);
    const { traffic: seen } = traffic.take(0, 'mean');
    expect(seen.arrivals?.slice(0, 2)).to.deep.equal([5, 5]);
    expect(seen.arrivalRate).to.equal(5);
    expect(traffic.take(0, 'mean').traffic.arrivals).to.deep.equal([]);
  });
});
