import { expect } from 'chai';
import type { ControlLoop } from '../../../src/loop/control-loop.ts';
import type { ToyMarket } from '../../../src/act/toy-market.ts';
import { packedOn } from '../../helpers/packed.ts';
import { toyOffer } from '../../helpers/toy-market.ts';
import { World } from '../../helpers/world.ts';

const node = { size: { name: 'node', vcpu: 2 } };
const marketOf = (a: number, b: number): ToyMarket => ({
  offers: [
    toyOffer('z', 'on-demand', 0.2, node),
    toyOffer('a', 'interruptible', a, node),
    toyOffer('b', 'interruptible', b, node),
  ],
});
const PARAMETERS = { min: 4, max: 4, spotShare: 100, drainDeadline: 30_000, bootDeadline: 120_000 };

/** Four workers on two nodes of the cheaper one of two pools, which becomes the dearer one. */
describe('workers on nodes of a pool that has become dear', () => {
  let world: World;
  let packed: ReturnType<typeof packedOn>;
  let loop: ControlLoop;

  beforeEach(async () => {
    world = new World();
    world.provider.market = marketOf(0.02, 0.08);
    world.provider.bootMs = 30_000;
    packed = packedOn(world.provider, () => world.clock.now());
    loop = world.loopOn(packed.provider, PARAMETERS);
    world.isReady = (vm) => packed.nodes.isReady(vm);
    await loop.start();
    await world.clock.advance(120_000);
    expect(nodes()).to.deep.equal(['a', 'a']);
    expect(world.gateway.serving.size).to.equal(4);
  });
  afterEach(() => loop.stop());

  const nodes = () => [...world.provider.vms.values()].map(({ offer }) => offer?.pool).sort();
  const minutes = (n: number) => world.clock.advance(n * 60_000);

  it('move a node at a time, so that it is given back, and the fleet is never smaller', async () => {
    world.provider.market = marketOf(0.12, 0.04);
    let fewest = 4;
    let most = 2;
    for (let i = 0; i < 60; i++) {
      await minutes(1);
      fewest = Math.min(fewest, world.gateway.serving.size);
      most = Math.max(most, world.provider.vms.size);
    }
    expect(nodes()).to.deep.equal(['b', 'b']);
    expect([fewest, most]).to.deep.equal([4, 3]);
    expect(world.provider.made, 'two nodes in all').to.have.length(4);
    expect(world.gateway.serving.size).to.equal(4);
    expect(loop.state().problems).to.deep.equal([]);
  });

  it('stay where the cheaper pool has no room for a node', async () => {
    const [z, a, b] = marketOf(0.12, 0.04).offers;
    if (!z || !a || !b) throw new Error('no offers');
    world.provider.market = { offers: [z, a, { ...b, room: 0 }] };
    await minutes(60);
    expect(nodes()).to.deep.equal(['a', 'a']);
    expect(world.gateway.serving.size).to.equal(4);
  });
});
