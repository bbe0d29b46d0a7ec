import { expect } from 'chai';
import type { PriceTrace } from '../../../src/simulate/price-trace.ts';
import { commonTime, SimulatedMarket } from '../../../src/simulate/simulated-market.ts';
import { HOUR, MINUTE, simulated } from '../../helpers/simulation.ts';

const ON_DEMAND = new Map([['small', 0.1]]);
/** Prices by the hour. */
const trace = (zone: string, ...prices: readonly number[]): PriceTrace => ({
  pool: `${zone}/small`,
  points: prices.map((price, i) => ({ at: 1_000_000 + i * HOUR, price })),
});

describe('a market of recorded prices', () => {
  it('gives notice to who pays less than his pool costs, once, and to nobody else', () => {
    const prices = [trace('us-east-1a', 0.01, 0.05), trace('us-east-1b', 0.02, 0.02)];
    expect(commonTime(prices)).to.deep.equal({ from: 1_000_000, to: 1_000_000 + HOUR });
    const market = new SimulatedMarket({ prices, onDemand: ON_DEMAND, noticeMs: 120_000 }, 0);
    expect(market.advance(0, [])).to.deep.equal([]);
    expect(market.toy.offers.map(({ id, price }) => [id, price])).to.deep.equal([
      ['us-east-1a/small/on-demand', 0.1],
      ['us-east-1a/small/interruptible', 0.01],
      ['us-east-1b/small/on-demand', 0.1],
      ['us-east-1b/small/interruptible', 0.02],
    ]);
    const [onDemand, first, , second] = market.toy.offers;
    if (!onDemand || !first || !second) throw new Error('no offers');
    const vms = [
      { id: 'poor', offer: first, maxPrice: 0.04 },
      { id: 'rich', offer: first, maxPrice: 0.06 },
      { id: 'elsewhere', offer: second, maxPrice: 0.04 },
      { id: 'steady', offer: onDemand },
    ];
    expect(market.advance(HOUR - 1, vms)).to.equal(undefined);
    expect(market.advance(HOUR, vms)).to.deep.equal(['poor']);
    expect(market.toy.notices).to.deep.equal({ poor: HOUR + 120_000 });
    expect(market.advance(HOUR + 1, vms)).to.equal(undefined);
    market.advance(2 * HOUR, vms.slice(1));
    expect(market.toy.notices).to.deep.equal({});
  });
});

describe('simulate with a market', function () {
  this.timeout(60_000);
  // the cheap pool is dear for an hour, after an hour
  const prices = [trace('us-east-1a', 0.01, 0.5, 0.01, 0.01), trace('us-east-1b', 0.02, 0.02, 0.02, 0.02)];
  const run = (parameters: object, bootMs = MINUTE, pools?: readonly string[], traces = prices) =>
    simulated({
      load: { kind: 'open', at: () => 20 },
      duration: 3 * HOUR,
      bootMs,
      traffic: 'fluid',
      market: { prices: traces, onDemand: ON_DEMAND, ...(pools && { pools }) },
      parameters: { min: 3, max: 3, ...parameters },
    });

  it('counts what VMs cost at the prices of the time', async () => {
    const { market } = await run({ spotShare: 0 });
    expect(market).to.deep.include({ interruptions: 0, late: 0, gapMs: 0 });
    expect(market?.cost).to.be.closeTo(3 * 3 * 0.1, 0.001);
  });

  it('replaces each VM that is taken before it is gone, and pays little for that', async () => {
    const { market, measures, timeline } = await run({ spotShare: 100, pools: 1 });
    expect(market).to.deep.include({ interruptions: 3, late: 0, gapMs: 0 });
    expect(Math.min(...timeline.map(({ ready }) => ready))).to.be.at.least(3);
    expect(measures.lossPercent).to.equal(0);
    // an hour at 0.01, an hour at 0.02, an hour at 0.01 or, as VMs stay where they are, 0.02: and stand-ins for minutes
    expect(market?.cost).to.be.within(3 * 0.04, 3 * 0.05 + 0.05);
  });

  it('pays no more than what was said at the most, also while a VM is about to be taken for that', async () => {
    const rise = [trace('us-east-1a', 0.01, 1_000, 1_000, 1_000)];
    const { market } = await run({ spotShare: 100, pools: 1 }, MINUTE, undefined, rise);
    expect(market).to.deep.include({ interruptions: 3, late: 0 });
    // an hour at 0.01, two on demand at 0.1, and some minutes of both
    expect(market?.cost).to.be.within(3 * 0.21, 3 * 0.21 + 0.05);
  });

  it('tells of places that were empty, where a boot takes longer than a notice', async () => {
    const { market } = await run({ spotShare: 100, pools: 1, bootDeadline: HOUR }, 10 * MINUTE, ['us-east-1a/small']);
    expect(market?.late).to.equal(3);
    expect(market?.gapMs).to.be.within(3 * 7 * MINUTE, 3 * 10 * MINUTE);
  });
});
