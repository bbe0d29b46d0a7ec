import { expect } from 'chai';
import fc from 'fast-check';
import { carries, fitsIn, isKind, placement, roomOf, type Place } from '../../../src/packing/placement.ts';
import { GIB, nodeOf, offerOf, OFFERS, someWorkers, worker } from './nodes.ts';

const [SMALL, LARGE] = [offerOf(1, 0.1), offerOf(4, 0.35)] as const;
const workers = (count: number) => Array.from({ length: count }, (_, i) => worker(`w${i}`));
const sizesBought = (count: number) =>
  placement(workers(count), [], [SMALL, LARGE]).bought.map(({ offer }) => offer.price);

describe('placement', () => {
  it('carries the published example: 20 cores and 32 GB, of which three workers leave 10 cores and 15 GB', () => {
    const offer = offerOf(20, 1, '', 32 * GIB);
    const carried = [worker('a', 4, 7 * GIB), worker('b', 4, 6 * GIB), worker('c', 2, 4 * GIB)];
    expect(roomOf({ offer, workers: carried })).to.deep.equal({ cpu: 10, memoryBytes: 15 * GIB });
    const node = nodeOf('n', offer, carried);
    expect(placement([worker('fits', 10, 15 * GIB)], [node], [offer]).bought).to.deep.equal([]);
    expect(placement([worker('too much', 10, 16 * GIB)], [node], [offer]).bought).to.have.length(1);
  });

  it('goes by decreasing size, and to the first node that has room', () => {
    const full = nodeOf('one', LARGE, [worker('x', 3)]);
    const half = nodeOf('two', LARGE, [worker('y', 1)]);
    const { placed, bought } = placement([worker('a', 1), worker('b', 2), worker('c', 1)], [full, half], [LARGE]);
    expect([...placed]).to.deep.equal([
      ['b', 'two'],
      ['a', 'one'],
      ['c', 'two'],
    ]);
    expect(bought).to.deep.equal([]);
  });

  it('buys the size that carries what is wanted for the least', () => {
    expect(sizesBought(1)).to.deep.equal([0.1]);
    expect(sizesBought(3)).to.deep.equal([0.1, 0.1, 0.1]);
    expect(sizesBought(4)).to.deep.equal([0.35]);
    expect(sizesBought(5)).to.deep.equal([0.35, 0.1]);
  });

  it('counts ten tenths of a core as one, and memory as well as cores', () => {
    const tenths = Array.from({ length: 10 }, (_, i) => worker(`w${i}`, 0.1, 0));
    expect(placement(tenths, [], [SMALL]).bought).to.have.length(1);
    expect(placement([worker('a', 0.1, 2 * GIB), worker('b', 0.1, 1)], [], [SMALL]).bought).to.have.length(2);
    expect([carries(LARGE, { cpu: 0.5, memoryBytes: 2 * GIB }), carries(SMALL, { cpu: 0.1, memoryBytes: 0 })]).to.eql([
      4, 10,
    ]);
  });

  it('says who fits on nothing that is offered', () => {
    expect(placement([worker('giant', 9)], [], [SMALL, LARGE])).to.deep.include({ homeless: ['giant'], bought: [] });
  });

  it('never overfills a node, mixes no markets or pools, gives each worker one place, and buys only where none has room', () => {
    fc.assert(
      fc.property(someWorkers(12), someWorkers(8, 'old'), fc.nat(), (wanted, old, seed) => {
        // nodes that carry something already, one worker each
        const nodes: Place[] = old.map((one, i) => {
          const offers = OFFERS.filter(
            (offer) => isKind(one, offer) && fitsIn(one.size, roomOf({ offer, workers: [] })),
          );
          const offer = offers[(seed + i) % offers.length] ?? expect.fail('nothing fits');
          return { id: `n${i}`, offer, workers: [one] };
        });
        const { placed, bought, homeless } = placement(wanted, nodes, OFFERS);
        const all = [...placed.keys(), ...bought.flatMap((node) => node.workers), ...homeless];
        expect(all.toSorted()).to.deep.equal(wanted.map(({ id }) => id).toSorted());
        const after = nodes.map((node) => ({
          ...node,
          workers: [...node.workers, ...wanted.filter(({ id }) => placed.get(id) === node.id)],
        }));
        const fresh = bought.map(({ offer, workers: ids }) => ({
          offer,
          workers: wanted.filter(({ id }) => ids.includes(id)),
        }));
        for (const { offer, workers: there } of [...after, ...fresh]) {
          expect(fitsIn({ cpu: 0, memoryBytes: 0 }, roomOf({ offer, workers: there }))).to.equal(true);
          for (const one of there) expect(isKind(one as (typeof wanted)[number], offer)).to.equal(true);
        }
        // who got a new node fits on none of the old ones as they are now
        for (const { workers: there } of fresh)
          for (const one of there)
            for (const node of after)
              expect(isKind(one, node.offer) && fitsIn(one.size, roomOf(node)), `${one.id} on ${node.id}`).to.equal(
                false,
              );
      }),
    );
  });
});
