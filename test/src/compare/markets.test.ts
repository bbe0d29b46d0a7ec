import { setImmediate as quiet } from 'node:timers/promises';
import { expect } from 'chai';
import {
  cheaperBy,
  cheapestAtStart,
  marketVariants,
  runMarket,
  type MarketRun,
  type MarketScene,
  type MarketVariant,
} from '../../../src/compare/markets.ts';
import { marketsMarkdown } from '../../../src/compare/markets-report.ts';

import type { Measures } from '../../../src/simulate/measures.ts';

const HOUR = 3_600_000;

describe('markets compared', function () {
  this.timeout(60_000);
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
      /Of the 2 sets of pools, against on demand only: .*Against the pool of each set that was cheapest at the start: /,
    );
    expect(text).to.include('Prices from 1970-01-01 to 1970-01-01, which all pools have: us-east-1a/small begins last');
  });

  it('say of each set of pools whether it is cheaper by as much as was wanted, and whether anybody could have been', () => {
    const run = (kind: MarketVariant['kind'], pools: readonly string[], cost: number, bound: number): MarketRun => ({
      variant: { name: `of ${pools.join(', ')}`, kind, parameters: {}, pools },
      measures: { vmHours: 1, violationsPercent: 0, actions: 0 } as Measures,
      market: { cost, bound, interruptions: 0, late: 0, gapMs: 0 },
    });
    const [a, b, c] = ['z1/a', 'z1/b', 'z1/c'] as const;
    const prices = [a, b, c].map((pool, i) => ({ pool, points: points(0.01 * (i + 1), 0.01) }));
    const text = marketsMarkdown(
      'a load',
      [
        run('on-demand', [], 100, 10),
        run('one', [a], 40, 40),
        run('one', [b], 25, 25),
        run('one', [c], 50, 50),
        run('several', [], 20, 10),
        run('subset', [a, b], 24, 23), // 40 % less than the first
        run('subset', [b, c], 24, 23), // 4 % less than the second, and nobody could be 10 %
        run('subset', [a, c], 39, 35), // 2.5 % less than the first where 12.5 % could be had
      ],
      { market: { prices, onDemand: new Map() } },
    );
    expect(text.split('\n').filter((line) => line.startsWith('| z1/'))).to.deep.equal([
      '| z1/a, z1/b | 24.00 | 76.0 | 77.0 | yes | z1/a | 40.0 | 42.5 | yes |',
      '| z1/b, z1/c | 24.00 | 76.0 | 77.0 | yes | z1/b | 4.0 | 8.0 | not possible |',
      '| z1/a, z1/c | 39.00 | 61.0 | 65.0 | not possible | z1/a | 2.5 | 12.5 | no |',
    ]);
    expect(text).to.include(
      'Against the pool of each set that was cheapest at the start: 15.5 % less in the mean, 2.5 % less in the worst ' +
        '(possible: 21.0 % less, 8.0 % less); at least 10 % less in 1, and in 1 nobody could be.',
    );
    expect(text).to.include('Against the one that turned out cheapest: 3.5 % less in the mean');
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

  it('says by how much one is cheaper', () => {
    expect(cheaperBy(25, 100)).to.equal(75);
    expect(cheaperBy(1, 0)).to.equal(0);
  });
});
