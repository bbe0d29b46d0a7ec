import { expect } from 'chai';
import fc from 'fast-check';
import { purchases } from '../../../src/fleet/mix.ts';
import {
  countIn,
  isInterruptible,
  limitOf,
  mostInOne,
  poolsOf,
  weightOf,
  type Held,
} from '../../../src/fleet/offers.ts';
import { dearPools, isWorthIt, reliefsOf } from '../../../src/fleet/relief.ts';
import { fleetSettings, type FleetParameters } from '../../../src/fleet/settings.ts';
import type { Offer } from '../../../src/model.ts';
import { defaultsOf } from '../../../src/settings/declaration.ts';
import { toyOffer } from '../../helpers/toy-market.ts';

const DEFAULTS: FleetParameters = { ...defaultsOf(fleetSettings), spotShare: 100, spreadPremium: 100 };
const onDemand = toyOffer('z', 'on-demand', 1);
const POOLS = ['a', 'b', 'c', 'd'];
const offersAt = (prices: readonly number[]): readonly Offer[] => [
  onDemand,
  ...prices.map((price, i) => toyOffer(POOLS[i] ?? '', 'interruptible', price)),
];
const price = fc.oneof(fc.integer({ min: 1, max: 99 }), fc.constantFrom(1, 2, 4, 50, 150)).map((n) => n / 100);
const prices = fc.array(price, { minLength: POOLS.length, maxLength: POOLS.length });
const said = fc.record({
  base: fc.nat(3),
  spotShare: fc.constantFrom(0, 60, 100),
  pools: fc.integer({ min: 1, max: 4 }),
  poolShare: fc.integer({ min: 1, max: 100 }),
  spreadPremium: fc.constantFrom(0, 10, 100),
  maxPrice: fc.constantFrom(0, 0.25),
});
const count = fc.nat(15);
const resting = fc.subarray(POOLS.map((pool) => `${pool}/interruptible`));

/** One VM of a dear pool moved, as often as there is one. */
function* moves(held: readonly Held[], offers: readonly Offer[], rests: readonly string[], p: FleetParameters) {
  let now = held;
  for (;;) {
    const [[pool, relief] = []] = dearPools(now, { offers, resting: rests }, p);
    if (pool === undefined || relief === undefined) return;
    const leaver = now.findIndex((vm) => isInterruptible(vm) && vm.offer?.pool === pool);
    const before = now;
    now = [...now.toSpliced(leaver, 1), relief];
    yield { before, after: now, from: offers.find(({ id }) => id === before[leaver]?.offer?.id), relief };
  }
}

describe('whom a cheaper pool relieves', () => {
  it('is who is where the mix would not buy him now, for a fifth more or above, and never below the spread', () => {
    fc.assert(
      fc.property(said, prices, prices, count, resting, (more, then, now, n, rests) => {
        const p = { ...DEFAULTS, ...more };
        const held = purchases(n, [], { offers: offersAt(then), resting: [] }, p);
        const offers = offersAt(now);
        for (const { before, after, from, relief } of moves(held, offers, rests, p)) {
          const { offer, maxPrice, saves } = relief;
          expect(rests).not.to.include(offer.id);
          expect(maxPrice).to.equal(limitOf(offer, offers, p));
          expect(offer.price).to.be.at.most(maxPrice ?? 0);
          expect(from?.price).to.be.at.least(1.2 * offer.price);
          expect(saves).to.be.closeTo((from?.price ?? 0) - offer.price, 1e-9);
          // whom it costs too much to be elsewhere has nothing to keep
          if (poolsOf({ offers, resting: [] }, p).some(({ pool }) => pool === from?.pool))
            expect(countIn(offer.pool, after)).to.be.at.most(mostInOne(after.filter(isInterruptible).length, p));
          expect(after.filter(isInterruptible)).to.have.length(before.filter(isInterruptible).length);
        }
      }),
    );
  });

  it('comes to an end: each VM moves once for each pool at most', () => {
    fc.assert(
      fc.property(said, prices, prices, count, resting, (more, then, now, n, rests) => {
        const p = { ...DEFAULTS, ...more };
        const held = purchases(n, [], { offers: offersAt(then), resting: [] }, p);
        let moved = 0;
        for (const { relief } of moves(held, offersAt(now), rests, p)) {
          expect(relief.saves).to.be.greaterThan(0);
          expect((moved += 1)).to.be.at.most(n * POOLS.length);
        }
      }),
    );
  });

  it('leaves nobody in one of two pools who costs a fifth more there, and weighs more than he would in the other', () => {
    fc.assert(
      fc.property(fc.tuple(price, price), fc.tuple(price, price), count, (then, now, n) => {
        const p = { ...DEFAULTS, poolShare: 100 };
        let held: readonly Held[] = purchases(n, [], { offers: offersAt(then), resting: [] }, p);
        for (const { after } of moves(held, offersAt(now), [], p)) held = after;
        const [, a, b] = offersAt(now);
        if (a === undefined || b === undefined || Math.max(a.price, b.price) > 1) return;
        const [dear, cheap] = a.price > b.price ? [a, b] : [b, a];
        if (dear.price >= 1.2 * cheap.price)
          expect(weightOf(dear, countIn(dear.pool, held))).to.be.at.most(
            weightOf(cheap, countIn(cheap.pool, held) + 1) + 1e-9,
          );
      }),
    );
  });

  it('is nobody while the prices are those at which he was bought, and pools have no share to keep', () => {
    fc.assert(
      fc.property(said, prices, count, (more, now, n) => {
        const p = { ...DEFAULTS, ...more, poolShare: 100 };
        const market = { offers: offersAt(now), resting: [] };
        expect([...dearPools(purchases(n, [], market, p), market, p)]).to.deep.equal([]);
      }),
    );
  });

  it('is for all who are to go together, or for nobody', () => {
    const p = { ...DEFAULTS, poolShare: 60, pools: 2 };
    const now = { offers: offersAt([0.3, 0.1, 0.9, 0.9]), resting: [] };
    const held = purchases(4, [], { offers: offersAt([0.1, 0.1, 0.9, 0.9]), resting: [] }, p);
    const leavers = held.filter(({ offer }) => offer.pool === 'a');
    expect(leavers).to.have.length(2);
    const of = (spreadPremium: number) =>
      reliefsOf(leavers, held, now, { ...p, spreadPremium })?.map(({ offer }) => offer.pool);
    expect(of(10)).to.deep.equal(['b', 'b']);
    expect(of(100), 'the spread keeps one of them').to.equal(undefined);
    expect(dearPools(held, now, { ...p, poolShare: 80, spreadPremium: 100 }).has('a'), 'alone it may go').to.equal(
      true,
    );
  });

  it('is worth it when what it saved until now would have paid for a boot, and no sooner', () => {
    const [dear, cheap] = [0.03, 0.01];
    const market = { offers: offersAt([dear, cheap]), resting: [] };
    const held = purchases(4, [], { offers: offersAt([0.01, 0.03]), resting: [] }, DEFAULTS);
    const relief = dearPools(held, market, DEFAULTS).get('a');
    expect(relief).to.deep.include({
      offer: market.offers[2],
      why: 'a/interruptible costs 0.03 an hour by now, b/interruptible 0.01.',
    });
    if (relief === undefined) return;
    // a boot of 90 s at 1 an hour: 0.02 an hour are that after 75 minutes
    expect([74, 76].map((minutes) => isWorthIt(relief, minutes * 60_000, 90_000))).to.deep.equal([false, true]);
    expect(isWorthIt({ ...relief, saves: 0 }, 1e9, 1)).to.equal(false);
  });
});
