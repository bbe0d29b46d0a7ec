import { expect } from 'chai';
import { summarize } from '../../../src/loop/evaluate.ts';
import { NO_TRAFFIC, World } from '../../helpers/world.ts';

describe('signals for policies', () => {
  it('say how long a VM took to boot, also after a restart of the manager', async () => {
    const world = new World();
    world.provider.bootMs = 20_000;
    const loop = world.loop();
    await loop.start();
    await world.clock.advance(30_000);
    const [vm] = loop.state().fleet;
    expect(vm?.state).to.equal('ready');
    expect(vm?.bootTime).to.be.within(20_000, 22_000);
    await loop.stop();
    const successor = world.loop();
    await successor.start();
    await world.clock.advance(5_000);
    expect(successor.state().fleet[0]?.bootTime).to.equal(vm?.bootTime);
    await successor.stop();
  });

  it('have the throughput, the response time and the arrivals of the period', async () => {
    const world = new World();
    const traffic = { ...NO_TRAFFIC, throughput: 7, responseTime: 80, arrivals: [6, 8] };
    world.traffic = () => traffic;
    const loop = world.loop();
    await loop.start();
    await world.clock.advance(12_000);
    const { last } = loop.state();
    if (last === undefined) throw new Error('no period was recorded');
    expect(summarize(last.observation, last.forecast)).to.include({
      throughput: 7,
      responseTime: 80,
      arrivals: traffic.arrivals,
    });
    await loop.stop();
  });

  it('reach back as far as the policy looks', async () => {
    for (const [policy, periods] of [
      ['mmeliot', 20],
      ['adaptive', 39],
    ] as const) {
      const world = new World();
      const loop = world.loop({ policy, period: 60_000 });
      await loop.start();
      await world.clock.advance(40 * 60_000);
      // a change of settings begins with what policies remember
      await loop.setParameters({ high: 75 }, 'eva');
      await world.clock.advance(60_000);
      const head = world.journal.findLast((entry) => entry.kind === 'settings');
      expect(head?.history).to.have.length(periods + 1);
      await loop.stop();
    }
  });
});
