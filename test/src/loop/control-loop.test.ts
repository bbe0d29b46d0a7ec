import { expect } from 'chai';
import { World } from '../../helpers/world.ts';

describe('control loop', () => {
  it('starts with the minimum, grows under load, shrinks without, and accounts for the energy', async () => {
    const world = new World();
    const loop = world.loop({ max: 2 });
    await loop.start();
    await world.clock.advance(2_000);
    expect([...world.gateway.serving.keys()]).to.deep.equal(['vm-1']);

    world.cpu = () => 90;
    await world.clock.advance(60_000);
    expect([...world.gateway.serving.keys()]).to.deep.equal(['vm-1', 'vm-2']);

    world.cpu = () => 5;
    await world.clock.advance(120_000);
    expect(world.gateway.serving.size).to.equal(1);
    expect(world.provider.vms.size).to.equal(1);
    const state = loop.state();
    expect(state.fleet.map((vm) => vm.state)).to.deep.equal(['ready']);
    expect(state.problems).to.deep.equal([]);
    expect(state.energy).to.be.greaterThan(3).and.lessThan(6);
    const records = loop.records(100);
    const actions = records.map(({ decision }) => decision.action).reverse();
    expect(actions.filter((action) => action !== 'hold')).to.deep.equal(['allocate', 'release']);
    const allocation = records.find(({ decision }) => decision.action === 'allocate');
    expect(allocation?.outcome.map(({ step, ok }) => [step, ok])).to.deep.equal([
      ['allocate', true],
      ['admit', true],
    ]);
    await loop.stop();
  });
});
