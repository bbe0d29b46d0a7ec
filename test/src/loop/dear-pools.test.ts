import { expect } from 'chai';
import type { ControlLoop } from '../../../src/loop/control-loop.ts';
import type { ToyMarket } from '../../../src/act/toy-market.ts';
import { reliefSentences } from '../../../src/loop/costs.ts';
import { toyOffer } from '../../helpers/toy-market.ts';
import { World } from '../../helpers/world.ts';

const PARAMETERS = { min: 3, max: 4, spotShare: 100, spreadPremium: 100, drainDeadline: 30_000, bootDeadline: 120_000 };
const BOOT_MS = 30_000;

const marketOf = (a: number, b: number): ToyMarket => ({
  offers: [toyOffer('z', 'on-demand', 0.1), toyOffer('a', 'interruptible', a), toyOffer('b', 'interruptible', b)],
});

/** Three VMs, of which two are in the cheaper one of two pools, which becomes the dearer one. */
describe('a pool that has become dear', () => {
  let world: World;
  let loop: ControlLoop;

  const begin = async (more: object = {}) => {
    world = new World();
    world.provider.market = marketOf(0.01, 0.02);
    world.provider.bootMs = BOOT_MS;
    loop = world.loop({ ...PARAMETERS, ...more });
    await loop.start();
    await world.clock.advance(120_000);
    expect(pools()).to.deep.equal(['a', 'a', 'b']);
  };
  afterEach(() => loop.stop());

  const pools = () =>
    [...world.gateway.serving.keys()].map((id) => world.provider.vms.get(id)?.offer?.pool ?? '').sort();
  const minutes = (n: number) => world.clock.advance(n * 60_000);

  it('is left by one VM at a time, successor first, and what remains is spread as it is bought', async () => {
    await begin();
    world.provider.market = marketOf(0.06, 0.02);
    // 0.04 an hour are what a boot and a drain of a minute cost on demand after 2.5 minutes
    await minutes(2);
    expect(world.provider.vms.size).to.equal(3);
    await world.clock.advance(75_000);
    expect(world.provider.vms.size).to.equal(4);
    expect(pools()).to.deep.equal(['a', 'a', 'b']);
    const { fleet, bill } = loop.state();
    expect(reliefSentences(fleet, bill)).to.deep.equal([
      'vm-4 (b/interruptible at 0.02 an hour) takes the place of vm-1 (a/interruptible at 0.06 an hour) when it serves.',
    ]);
    expect(fleet.find(({ id }) => id === 'vm-4')?.note).to.equal(
      'Successor of vm-1: a/interruptible costs 0.06 an hour by now, b/interruptible 0.02.',
    );
    await minutes(20);
    expect(pools()).to.deep.equal(['a', 'b', 'b']);
    const drained = world.gateway.calls.indexOf('drain vm-1');
    expect(world.gateway.calls.indexOf('add vm-4')).to.be.within(0, drained);
    await minutes(60);
    expect(world.provider.made).to.have.length(4);
  });

  it('is not left for a price that comes and goes', async () => {
    await begin();
    for (let i = 0; i < 30; i++) {
      world.provider.market = marketOf(0.06, 0.02);
      await world.clock.advance(90_000);
      world.provider.market = marketOf(0.01, 0.02);
      await world.clock.advance(90_000);
    }
    expect(world.provider.made).to.have.length(3);
  });

  it('is left by all where it costs too much to be there for the sake of the spread', async () => {
    await begin();
    await loop.setParameters({ spreadPremium: 10 }, 'Ada');
    world.provider.market = marketOf(0.06, 0.02);
    await minutes(60);
    expect(pools()).to.deep.equal(['b', 'b', 'b']);
    expect(world.provider.made).to.have.length(5);
  });

  it('is left by all who are on a machine, or by nobody: with one of them it costs as much', async () => {
    await begin();
    for (const vm of ['vm-1', 'vm-3']) world.provider.change(vm, { node: 'node-1' });
    world.provider.change('vm-2', { node: 'node-2' });
    expect(pools()).to.deep.equal(['a', 'a', 'b']);
    world.provider.market = marketOf(0.06, 0.02);
    await minutes(30);
    expect(world.provider.made, 'the spread keeps one of them').to.have.length(3);
    await loop.setParameters({ spreadPremium: 10, protected: ['vm-3'] }, 'Ada');
    await minutes(30);
    expect(world.provider.made, 'a protected one keeps the machine').to.have.length(3);
    await loop.setParameters({ protected: [] }, 'Ada');
    await world.clock.advance(20_000);
    expect(world.provider.vms.size, 'both at once').to.equal(5);
    await minutes(10);
    expect(pools()).to.deep.equal(['b', 'b', 'b']);
    expect(world.provider.made).to.have.length(5);
  });

  it('says in the journal why each of its VMs leaves, and why another one comes', async () => {
    await begin();
    world.provider.market = marketOf(0.06, 0.02);
    await minutes(20);
    const said = world.journal.flatMap((entry) =>
      entry.kind === 'step' && entry.period === undefined
        ? [`${entry.outcome.step} ${entry.outcome.vm}: ${entry.outcome.message}`]
        : [],
    );
    expect(said).to.include.members([
      'allocate vm-1: The fleet has a minimum of 3.',
      'allocate vm-4: Successor of vm-1: a/interruptible costs 0.06 an hour by now, b/interruptible 0.02.',
      'drain vm-1: vm-4 has relieved it.',
    ]);
  });

  it('is not left in quiet hours, by who is protected, or in a dry run', async () => {
    await begin({ quietHours: '00:00-24:00' });
    world.provider.market = marketOf(0.06, 0.02);
    await minutes(30);
    expect(world.provider.made).to.have.length(3);
    await loop.stop();
    await begin({ protected: ['vm-1', 'vm-2', 'vm-3'] });
    world.provider.market = marketOf(0.06, 0.02);
    await minutes(30);
    expect(world.provider.made).to.have.length(3);
    await loop.stop();
    await begin();
    await loop.setParameters({ dryRun: true }, 'Ada');
    world.provider.market = marketOf(0.06, 0.02);
    await minutes(30);
    expect(world.provider.made).to.have.length(3);
  });

  it('keeps its VMs where the cheaper pool has no room, and loses them when it has', async () => {
    await begin();
    const [z, a, b] = marketOf(0.06, 0.02).offers;
    if (!z || !a || !b) throw new Error('no offers');
    world.provider.market = { offers: [z, a, { ...b, room: 1 }] };
    await minutes(30);
    expect(world.provider.vms.size).to.equal(3);
    expect(pools()).to.deep.equal(['a', 'a', 'b']);
    expect(loop.state().problems).to.deep.equal([]);
    world.provider.market = { offers: [z, a, b] };
    await minutes(30);
    expect(pools()).to.deep.equal(['a', 'b', 'b']);
  });

  it('has been dear as long for the next manager', async () => {
    await begin();
    world.provider.market = marketOf(0.06, 0.02);
    await minutes(2);
    await loop.stop();
    loop = world.loop(PARAMETERS);
    await loop.start();
    await world.clock.advance(75_000);
    expect(world.provider.vms.size).to.equal(4);
  });
});
