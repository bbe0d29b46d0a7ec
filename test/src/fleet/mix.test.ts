import { expect } from 'chai';
import fc from 'fast-check';
import { interruptibleOf, leaving, purchases } from '../../../src/fleet/mix.ts';
import {
  countIn,
  isInterruptible,
  limitOf,
  mostInOne,
  onDemandPrice,
  weightOf,
  type Held,
} from '../../../src/fleet/offers.ts';
import { fleetSettings, type FleetParameters } from '../../../src/fleet/settings.ts';
import type { Offer } from '../../../src/model.ts';
import { defaultsOf } from '../../../src/settings/declaration.ts';
import { toyOffer } from '../../helpers/toy-market.ts';

/** Pools are spread over whatever that costs, but where a test says otherwise. */
const DEFAULTS: FleetParameters = { ...defaultsOf(fleetSettings), spreadPremium: 100 };
const onDemand = toyOffer('z', 'on-demand', 1);
const cheap = (pool: string, price: number): Offer => toyOffer(pool, 'interruptible', price);
const MARKET = { offers: [onDemand, cheap('a', 0.1), cheap('b', 0.2), cheap('c', 0.3), cheap('d', 0.4)] };
const NOBODY: readonly string[] = [];
const MARKET_NOW = { ...MARKET, resting: NOBODY };

const settings = fc.record({
  base: fc.nat(4),
  spotShare: fc.integer({ min: 0, max: 100 }),
  pools: fc.integer({ min: 1, max: 5 }),
  poolShare: fc.integer({ min: 1, max: 100 }),
  maxPrice: fc.constantFrom(0, 0.15, 0.25, 2),
});
const count = fc.nat(20);
const resting = fc.subarray(MARKET.offers.map(({ id }) => id));
const byPool = (held: readonly Held[]): readonly number[] => {
  const counts = new Map<string, number>();
  for (const { offer } of held.filter(isInterruptible))
    counts.set(offer?.pool ?? '', (counts.get(offer?.pool ?? '') ?? 0) + 1);
  return [...counts.values()];
};

const byPrice = (x: Offer, y: Offer): number => x.price - y.price || (x.id < y.id ? -1 : 1);
const price = fc.integer({ min: 1, max: 99 }).map((n) => n / 100);
const prices = fc.tuple(price, price, price);

/** No pool has a VM that would weigh less in another one. */
function isSpread(held: readonly Held[], pools: readonly Offer[]): void {
  const weight = (offer: Offer, more = 0): number => weightOf(offer, countIn(offer.pool, held) + more);
  for (const pool of pools) for (const other of pools) expect(weight(pool)).to.be.at.most(weight(other, 1) + 1e-9);
}

describe('the mix', () => {
  it('rounds the share of interruptible VMs down, beside the base', () => {
    const of = (n: number) => interruptibleOf(n, { ...DEFAULTS, base: 2, spotShare: 80 });
    expect([0, 1, 2, 3, 6, 7, 12].map(of)).to.deep.equal([0, 0, 0, 0, 3, 4, 8]);
    expect(interruptibleOf(100, { ...DEFAULTS, spotShare: 29 })).to.equal(29);
  });

  it('buys as many as the policy said, keeps base and share, and pays no more than the most', () => {
    fc.assert(
      fc.property(settings, count, count, resting, (said, had, more, rests) => {
        const p = { ...DEFAULTS, ...said };
        const market = { ...MARKET, resting: rests };
        const before = purchases(had, [], market, p);
        const all = [...before, ...purchases(more, before, market, p)];
        expect(all).to.have.length(had + more);
        const interruptible = all.filter(isInterruptible);
        expect(interruptible.length).to.be.at.most(interruptibleOf(all.length, p));
        expect(all.length - interruptible.length).to.be.at.least(Math.min(p.base, all.length));
        for (const { offer, maxPrice } of interruptible) {
          expect(rests).not.to.include(offer.id);
          expect(maxPrice).to.equal(limitOf(offer, MARKET.offers, p));
          expect(offer.price).to.be.at.most(Math.min(onDemandPrice(offer, MARKET.offers), p.maxPrice || Infinity));
        }
      }),
    );
  });

  it('spreads over the cheapest pools, as many as are wanted, so that none weighs more than it would in another', () => {
    fc.assert(
      fc.property(settings, prices, count, (said, [a, b, c], n) => {
        const p = { ...DEFAULTS, ...said, maxPrice: 0, poolShare: 100 };
        const offers = [onDemand, cheap('a', a), cheap('b', b), cheap('c', c)];
        const bought = purchases(n, [], { offers, resting: NOBODY }, p);
        expect(bought.filter(isInterruptible)).to.have.length(interruptibleOf(n, p));
        const pools = offers.slice(1).toSorted(byPrice).slice(0, p.pools);
        expect(bought.filter(isInterruptible).every(({ offer }) => pools.some(({ id }) => id === offer.id))).to.equal(
          true,
        );
        isSpread(bought, pools);
      }),
    );
  });

  it('differs by one VM at most among pools of one price, and never has two or more VMs in one pool only', () => {
    const of = (n: number, ...all: readonly number[]): readonly number[] => {
      const offers = [onDemand, ...all.map((price, i) => cheap(`p${i}`, price))];
      return byPool(purchases(n, [], { offers, resting: NOBODY }, { ...DEFAULTS, spotShare: 100 }));
    };
    expect(of(8, 0.1, 0.1, 0.1)).to.deep.equal([3, 3, 2]);
    expect(of(4, 0, 0)).to.deep.equal([2, 2]);
    expect(of(6, 0.01, 0.02, 0.02)).to.deep.equal([4, 1, 1]);
    expect(of(2, 0.0001, 0.9, 0.9)).to.deep.equal([1, 1]);
    expect(of(10, 0.0001, 0.9, 0.9)).to.deep.equal([8, 1, 1]);
    expect(of(3, 0.1)).to.deep.equal([3]);
  });

  it('has no more than its share in a pool, where the others have room, and no fewer in a cheaper one', () => {
    fc.assert(
      fc.property(settings, prices, count, (said, [a, b, c], n) => {
        const p = { ...DEFAULTS, ...said, spotShare: 100, base: 0, maxPrice: 0 };
        const pools = [cheap('a', a), cheap('b', b), cheap('c', c)];
        const bought = purchases(n, [], { offers: [onDemand, ...pools], resting: NOBODY }, p);
        const most = mostInOne(n, p);
        if (most * Math.min(p.pools, 3) >= n) expect(Math.max(0, ...byPool(bought))).to.be.at.most(most);
        const ofPool = (offer: Offer): number => countIn(offer.pool, bought);
        for (const one of pools)
          for (const other of pools) if (one.price < other.price) expect(ofPool(one)).to.be.at.least(ofPool(other));
      }),
    );
  });

  it('lets leave first who is more than the share of a pool, however the prices have moved since', () => {
    fc.assert(
      fc.property(settings, prices, fc.tuple(count, count, count), (said, now, counts) => {
        const p = { ...DEFAULTS, ...said, spotShare: 100, base: 0, pools: 3, maxPrice: 0 };
        const held = counts.flatMap((n, i) =>
          Array.from({ length: n }, (_, j) => ({
            id: `${i}-${j}`,
            offer: cheap(`p${i}`, now[i] ?? 0),
            isStandIn: false,
          })),
        );
        const offers = [onDemand, ...now.map((price, i) => cheap(`p${i}`, price))];
        const most = mostInOne(held.length - 1, p);
        const gone = leaving(1, held, held, { offers, resting: NOBODY }, p);
        const [left] = held.filter(({ id }) => gone.includes(id));
        const isOver = counts.some((n) => n > most);
        if (left && isOver) expect(countIn(left.offer.pool, held)).to.be.greaterThan(most);
        const weights = held.filter(({ offer }) => countIn(offer.pool, held) > most === isOver);
        const weight = ({ offer }: Held): number => (offer ? weightOf(offer, countIn(offer.pool, held)) : 0);
        if (left) expect(weight(left)).to.equal(Math.max(...weights.map(weight)));
      }),
    );
  });

  it('spreads over pools that cost little more than the cheapest one only: what is insured is not worth more', () => {
    const of = (n: number, premium: number, ...all: readonly number[]): readonly number[] => {
      const offers = [onDemand, ...all.map((price, i) => cheap(`p${i}`, price))];
      const p = { ...DEFAULTS, spotShare: 100, spreadPremium: premium };
      return byPool(purchases(n, [], { offers, resting: NOBODY }, p));
    };
    // 10 % of 1 on demand
    expect(of(10, 10, 0.2, 0.3, 0.3)).to.deep.equal([6, 2, 2]);
    expect(of(10, 10, 0.2, 0.31, 0.3)).to.deep.equal([7, 3]);
    expect(of(10, 10, 0.2, 0.31, 0.31)).to.deep.equal([10]);
    expect(of(10, 0, 0.2, 0.2, 0.21)).to.deep.equal([5, 5]);
  });

  it('lets leave first, the dearest of them, who is in a pool that VMs are not spread over', () => {
    const p = { ...DEFAULTS, spotShare: 100, spreadPremium: 10 };
    const offers = [cheap('a', 0.1), cheap('b', 0.5), cheap('c', 0.4)];
    const held = offers.flatMap((offer, i) =>
      Array.from({ length: 4 - i }, (_, j) => ({ id: `${offer.pool}${j}`, offer, isStandIn: false })),
    );
    const gone = leaving(6, held, held, { offers: [onDemand, ...offers], resting: NOBODY }, p);
    expect(gone).to.deep.equal(['b0', 'b1', 'b2', 'c0', 'c1', 'a0']);
  });

  it('falls back to on demand where no pool is to be had, and says so', () => {
    const rests = MARKET.offers.filter(isCheap).map(({ id }) => id);
    const [only] = purchases(1, [], { ...MARKET, resting: rests }, { ...DEFAULTS, spotShare: 100 });
    expect(only).to.deep.include({ offer: onDemand, why: 'No pool has an interruptible VM to be had.' });
  });

  it('takes only what fits: size, memory, architecture', () => {
    const small = toyOffer('s', 'interruptible', 0.01, { size: { name: 's', vcpu: 1, memoryBytes: 1e9 } });
    const arm = toyOffer('m', 'interruptible', 0.02, { size: { name: 'm', vcpu: 4, architecture: 'arm64' } });
    const big = toyOffer('l', 'interruptible', 0.5, {
      size: { name: 'l', vcpu: 4, memoryBytes: 8e9, architecture: 'x86_64' },
    });
    const market = { offers: [onDemand, small, arm, big], resting: NOBODY };
    const first = (said: Partial<FleetParameters>) =>
      purchases(1, [], market, { ...DEFAULTS, spotShare: 100, ...said })[0]?.offer.id;
    expect(first({})).to.equal(small.id);
    expect(first({ vcpu: 2 })).to.equal(arm.id);
    expect(first({ vcpu: 2, architecture: 'x86_64' })).to.equal(big.id);
    expect(first({ memory: 4e9, architecture: 'arm64' })).to.equal(arm.id);
    expect(first({ vcpu: 8 })).to.equal(undefined);
  });

  it('lets leave who keeps the mix, from the pool that weighs most, in the order of the policy', () => {
    fc.assert(
      fc.property(settings, count, count, (said, n, k) => {
        const p = { ...DEFAULTS, ...said, maxPrice: 0, poolShare: 100 };
        const held = purchases(n, [], MARKET_NOW, p).map(({ offer }, i) => ({
          ...{ id: `vm-${i}`, offer, isStandIn: false },
        }));
        const gone = leaving(Math.min(k, n), held, held, MARKET_NOW, p);
        expect(new Set(gone).size).to.equal(Math.min(k, n));
        const rest = held.filter(({ id }) => !gone.includes(id));
        expect(rest.filter(isInterruptible)).to.have.length(interruptibleOf(rest.length, p));
        isSpread(rest, [...new Map(held.flatMap(({ offer }) => (isCheap(offer) ? [[offer.id, offer]] : []))).values()]);
      }),
    );
  });

  it('lets the policy choose where all are of one kind, and stand-ins leave first', () => {
    const held = ['c', 'a', 'b'].map((id) => ({ id, offer: onDemand, isStandIn: false }));
    expect(leaving(2, held, held, MARKET_NOW, DEFAULTS)).to.deep.equal(['c', 'a']);
    const last = { id: 's', offer: onDemand, isStandIn: true };
    expect(leaving(2, [...held, last], [...held, last], MARKET_NOW, DEFAULTS)).to.deep.equal(['s', 'c']);
    expect(leaving(9, held, held, MARKET_NOW, DEFAULTS)).to.have.length(3);
  });
});

const isCheap = ({ market }: Offer): boolean => market === 'interruptible';
