import { expect } from 'chai';
import fc from 'fast-check';
import {
  consolidation,
  movingCost,
  patience,
  type ConsolidationCosts,
  type NodeState,
} from '../../../src/packing/consolidation.ts';
import { fitsIn, isKind, placement, roomOf } from '../../../src/packing/placement.ts';
import { nodeOf, offerOf, OFFERS, someWorkers, worker } from './nodes.ts';

const COSTS: ConsolidationCosts = { nodeBootMs: 60_000, workerBootMs: 4_000, drainMs: 6_000, pools: 2, moves: true };
const FOUR = offerOf(4, 1);
const NOW = 1_000_000;
const on = (...ids: readonly string[]) => ids.map((id) => worker(id));

describe('consolidation', () => {
  const nodes = (spareSince?: number) => [
    nodeOf('full', FOUR, on('a', 'b')),
    nodeOf('empty', FOUR, on('c'), spareSince),
  ];

  it('waits until a node that is not needed has cost its part of what moving costs: a boot of 60 s, and a quarter of 10 s', () => {
    const [, empty] = nodes();
    expect(empty && movingCost(empty, COSTS)).to.equal(62_500);
    expect(consolidation(nodes(), [], COSTS, NOW).spare).to.deep.equal(
      new Map([
        ['full', NOW],
        ['empty', NOW],
      ]),
    );
    const waits = 62_500 * patience('empty');
    expect(consolidation(nodes(NOW - Math.floor(waits)), [], COSTS, NOW).drain).to.equal(undefined);
    expect(consolidation(nodes(NOW - Math.ceil(waits)), [], COSTS, NOW).drain).to.equal('empty');
  });

  it('costs on average at most 1.58 times what it would cost to know when a node is needed again, whenever that is', () => {
    const parts = Array.from({ length: 20_000 }, (_, n) => patience(`node-${n}`));
    const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
    expect(Math.min(...parts)).to.be.at.least(0);
    expect(Math.max(...parts)).to.be.at.most(1);
    expect(mean(parts)).to.be.closeTo(1 / (Math.E - 1), 0.01);
    for (const needed of [0.1, 0.3, 0.5, 0.8, 1, 2, 100]) {
      const paid = mean(parts.map((part) => (part < needed ? part + 1 : needed)));
      expect(paid / Math.min(needed, 1), `needed after ${needed}`).to.be.closeTo(Math.E / (Math.E - 1), 0.03);
    }
  });

  it('drains the emptiest of those whose time has come', () => {
    const [sooner, later] = ['a', 'b'].toSorted((a, b) => patience(a) - patience(b)) as [string, string];
    const since = NOW - (62_500 * (patience(sooner) + patience(later))) / 2;
    const two = [
      nodeOf('full', FOUR, on('x')),
      nodeOf(later, FOUR, on('y'), since),
      nodeOf(sooner, FOUR, on('z'), since),
    ];
    expect(consolidation(two, [], COSTS, NOW).drain).to.equal(sooner);
  });

  it('gives a node back at once that carries nothing, also where nobody is moved', () => {
    const two = [nodeOf('full', FOUR, on('x')), nodeOf('empty', FOUR, [])];
    for (const moves of [true, false]) expect(consolidation(two, [], { ...COSTS, moves }, NOW).drain).to.equal('empty');
    // the order that it was for may be given again
    const unheard = [nodeOf('full', FOUR, on('x')), { ...nodeOf('empty', FOUR, []), isUp: false }];
    expect(consolidation(unheard, [], COSTS, NOW).drain).to.equal(undefined);
  });

  it('keeps a node whose workers fit nowhere else', () => {
    const tight = [nodeOf('one', FOUR, on('a', 'b', 'c')), nodeOf('two', FOUR, on('d', 'e'), 0)];
    expect(consolidation(tight, [], COSTS, NOW)).to.deep.equal({ spare: new Map(), why: 'Every node is needed.' });
  });

  it('waits for a job that ends before another worker would be as far, and for no other', () => {
    const busy = (endsIn: number) => [
      nodeOf('one', FOUR, on('a')),
      nodeOf('two', FOUR, [{ ...worker('b', 0.5), endsIn }], 0),
    ];
    expect(consolidation(busy(10_000), [], COSTS, NOW).drain).to.equal(undefined);
    expect(consolidation(busy(10_000), [], COSTS, NOW).why).to.contain('b is about to end');
    expect(consolidation(busy(10_001), [], COSTS, NOW).drain).to.equal('two');
  });

  it('never drains a second node, and keeps the spread over pools', () => {
    expect(consolidation(nodes(0), ['other'], COSTS, NOW).drain).to.equal(undefined);
    const any = { ...worker('b'), market: 'interruptible' as const };
    const spread = [nodeOf('a', offerOf(4, 1, 'a'), [{ ...any, id: 'a' }]), nodeOf('b', offerOf(4, 1, 'b'), [any], 0)];
    expect(consolidation(spread, [], COSTS, NOW).drain).to.equal(undefined);
    expect(consolidation(spread, [], { ...COSTS, pools: 1 }, NOW).drain).to.equal('b');
  });

  it('drains only what fits elsewhere and has cost its move, keeps pools, and forgets who is needed again', () => {
    const state = fc.tuple(
      someWorkers(10),
      fc.array(fc.nat(400_000), { minLength: 10, maxLength: 10 }),
      fc.integer({ min: 1, max: 4 }),
    );
    fc.assert(
      fc.property(state, ([workers, since, pools]) => {
        const { bought } = placement(workers, [], OFFERS);
        const full: NodeState[] = bought.map(({ offer, workers: ids }, i) =>
          nodeOf(
            `n${i}`,
            offer,
            workers.filter(({ id }) => ids.includes(id)),
            since[i % since.length],
          ),
        );
        // some have left since
        const states = full.map((node, i) => ({
          ...node,
          workers: node.workers.filter((_, k) => (since[i] ?? 0) % (k + 2) === 0),
        }));
        const costs = { ...COSTS, pools };
        const { drain, spare } = consolidation(states, [], costs, 400_000);
        for (const [id, at] of spare) expect(at).to.equal(states.find((node) => node.id === id)?.spareSince);
        const node = states.find(({ id }) => id === drain);
        if (node === undefined) return;
        const others = states.filter(({ id }) => id !== drain);
        const moved = placement(node.workers, others, []);
        expect(moved.homeless).to.deep.equal([]);
        for (const one of node.workers) {
          const target = others.find(({ id }) => id === moved.placed.get(one.id)) ?? expect.fail('no place');
          expect(isKind(one, target.offer) && fitsIn(one.size, roomOf(target))).to.equal(true);
        }
        const paid = (400_000 - (node.spareSince ?? 400_000)) * node.offer.price;
        if (node.workers.length > 0) expect(paid).to.be.at.least(movingCost(node, costs) * patience(node.id));
        const poolsOf = (all: readonly NodeState[]) =>
          new Set(
            all
              .filter((one) => one.offer.market === 'interruptible' && one.workers.length > 0)
              .map((one) => one.offer.pool),
          ).size;
        expect(poolsOf(others)).to.be.at.least(Math.min(poolsOf(states), pools));
      }),
    );
  });
});
