import { expect } from 'chai';
import type { ControlLoop } from '../../../src/loop/control-loop.ts';
import { World } from '../../helpers/world.ts';

const HOUR = 3_600_000;
const PARAMETERS = { min: 1, max: 2, bootDeadline: 60_000, period: 5_000 };

for (const by of [HOUR, -HOUR])
  describe(`a clock that is set ${by > 0 ? 'forward' : 'back'} by an hour while the manager runs`, () => {
    let world: World;
    let loop: ControlLoop;
    beforeEach(() => {
      world = new World();
      loop = world.loop(PARAMETERS);
    });
    afterEach(() => loop.stop());

    const serving = () => [...world.gateway.serving.keys()];

    it('keeps no VM that boots from its requests, and has none given up', async () => {
      world.isReady = () => false;
      await loop.start();
      await world.clock.advance(10_300);
      world.clock.set(by);
      await world.clock.advance(10_000);
      expect([...world.provider.vms.keys()]).to.deep.equal(['vm-1']);
      world.isReady = () => true;
      await world.clock.advance(2_000);
      expect(serving()).to.deep.equal(['vm-1']);
      const [vm] = loop.state().fleet;
      expect(vm?.bootTime).to.be.within(20_000, 23_000);
      expect(vm?.since).to.be.within(loop.state().at - 2_000, loop.state().at);
    });

    it('gives one up that never comes, when it should have', async () => {
      world.isReady = () => false;
      await loop.start();
      await world.clock.advance(10_000);
      world.clock.set(by);
      await world.clock.advance(45_000);
      expect([...world.provider.vms.keys()]).to.deep.equal(['vm-1']);
      await world.clock.advance(15_000);
      expect([...world.provider.vms.keys()]).not.to.contain('vm-1');
    });

    it('has an order that was put off tried again as soon as before', async () => {
      world.provider.moods.allocate = 'errors';
      await loop.start();
      await world.clock.advance(2_500);
      world.provider.moods.allocate = 'works';
      world.clock.set(by);
      await world.clock.advance(10_000);
      expect(serving()).to.deep.equal(['vm-1']);
    });

    it('adds no hour to what the fleet costs, and takes none away', async () => {
      await loop.start();
      await world.clock.advance(60_000);
      world.clock.set(by);
      await world.clock.advance(60_000);
      expect(loop.state().energy).to.be.within(1.9, 2.1);
      expect(loop.state().bill.cost).to.be.within(0, 0.1);
      expect(loop.state().at - loop.state().startedAt).to.equal(120_000);
    });
  });
