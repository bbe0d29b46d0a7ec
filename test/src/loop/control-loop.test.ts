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

  it('sees a VM that is up as soon as its provider may be asked', async () => {
    const world = new World();
    Object.assign(world.provider, { bootMs: 1_300, lookEvery: 200 });
    const loop = world.loop();
    await loop.start();
    await world.clock.advance(1_300);
    expect([...world.gateway.serving.keys()]).to.deep.equal([]);
    await world.clock.advance(200);
    expect([...world.gateway.serving.keys()]).to.deep.equal(['vm-1']);
    await loop.stop();
  });
});
