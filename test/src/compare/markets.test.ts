import { setImmediate as quiet } from 'node:timers/promises';
import { expect } from 'chai';
import {
  cheaperBy,
  cheapestAtStart,
  marketsMarkdown,
  marketVariants,
  notesOn,
  runMarket,
  type MarketScene,
} from '../../../src/compare/markets.ts';

const HOUR = 3_600_000;

describe('markets compared', function () {
  this.timeout(30_000);
  const points = (...prices: readonly number[]) => prices.map((price, i) => ({ at: i * HOUR, price }));
  const scene: MarketScene = {
    name: 'a steady load',
    market: {
      prices: [
        { pool: 'us-east-1a/small', points: points(0.01, 0.3, 0.01, 0.01) },
        { pool: 'us-east-1b/small', points: points(0.02, 0.02, 0.3, 0.02) },
      ],
      onDemand: new Map([['small', 0.1]]),
    },
    at: () => 50,
    vm: { serviceMs: 50, parallel: 1, variation: 1 },
    bootMs: 60_000,
    objective: { share: 0.95, ms: 500 },
    parameters: { policy: 'adaptive', period: 120_000, min: 5, max: 5 },
    spread: 2,
    subsets: 1,
    seed: 1,
  };

  it('has a table of what each fleet costs, what it misses, and whether anything was ever missing', async () => {
    const variants = marketVariants(scene);
    expect(variants.map(({ name }) => name)).to.deep.equal([
      'on demand only',
      'one pool, us-east-1a/small',
      'one pool, us-east-1b/small',
      '2 of 2 pools, 0 % on demand',
      '2 of 2 pools, 20 % on demand',
      '2 of 2 pools, 40 % on demand',
      '2 of 2 pools, goal cost',
      'of us-east-1a/small',
      'of us-east-1b/small',
    ]);
    const runs = [];
    for (const variant of variants) runs.push(await runMarket(scene, variant, quiet));
    const [onDemand, , , several, some, more] = runs.map(({ market }) => market);
    expect(onDemand?.cost).to.be.closeTo(3 * 5 * 0.1, 0.01);
    expect(onDemand?.interruptions).to.equal(0);
    expect(several?.interruptions).to.be.greaterThan(0);
    expect(several?.late).to.equal(0);
    expect(several?.cost).to.be.lessThan(some?.cost ?? 0);
    expect(some?.cost).to.be.lessThan(more?.cost ?? 0);
    expect(more?.cost).to.be.lessThan(onDemand?.cost ?? 0);
    const text = marketsMarkdown(scene.name, runs, scene);
    expect(text).to.match(/\| on demand only \| 1\.50 \| 0\.0 \| \d\.\d\d \| 15 \|/);
    expect(text).to.match(/Several pools cost \d+\.\d % less \(possible: \d+\.\d % less\) than on demand only/);
    // an hour at 0.3 makes the one that was cheaper at the start the dearer one: it is the same hour for both
    expect(text).to.match(/\| one pool, us-east-1a\/small \(cheapest at the start, cheapest in hindsight\) \|/);
    expect(text).to.match(/than the one that was cheapest at the start, which anybody could have chosen/);
    // 5 VMs at 0.01, 0.02 and 0.01 an hour
    expect(several?.bound).to.be.closeTo(5 * 0.04, 0.02);
    for (const { market } of runs) expect(market.cost).to.be.at.least(market.bound);
    expect(text).to.match(
      /Of the 2 sets of pools: .*Possible: .*Than the pool of each set that was cheapest at the start: /,
    );
    expect(text).to.include('Prices from 1970-01-01 to 1970-01-01, which all pools have: us-east-1a/small begins last');
  });

  it('call that pool one that could have been chosen beforehand which is cheapest when all have begun', () => {
    const prices = [
      {
        pool: 'early',
        points: [
          { at: 0, price: 1 },
          { at: HOUR, price: 5 },
          { at: 9 * HOUR, price: 1 },
        ],
      },
      {
        pool: 'late',
        points: [
          { at: 2 * HOUR, price: 3 },
          { at: 9 * HOUR, price: 9 },
        ],
      },
    ];
    expect(cheapestAtStart(prices)).to.equal('late');
    expect(cheapestAtStart(prices, ['early'])).to.equal('early');
  });

  it('tell who bounds the time, and where nothing was recorded', () => {
    const day = (n: number) => ({ at: Date.UTC(2015, 2, n), price: 0.01 });
    const prices = [
      { pool: 'a', points: [day(1), day(2), day(20)] },
      { pool: 'b', points: [day(2), day(5), day(12), day(13)] },
    ];
    expect(notesOn(prices)).to.deep.equal([
      'Prices from 2015-03-02 to 2015-03-13, which all pools have: b begins last, b ends first. ' +
        'Nothing was recorded of a for 18 days from 2015-03-02 on: the price before is taken to have held.',
    ]);
    expect(notesOn(prices, 36 * HOUR)[0]).to.include('Of these the first 1.5 days were played.');
  });

  it('says by how much one is cheaper', () => {
    expect(cheaperBy(25, 100)).to.equal(75);
    expect(cheaperBy(1, 0)).to.equal(0);
  });
});
