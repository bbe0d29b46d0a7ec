import { expect } from 'chai';
import { NO_TRAFFIC, World } from '../../helpers/world.ts';

describe('a restarted manager', () => {
  let world: World;
  beforeEach(() => {
    world = new World();
  });

  it('takes its healthy VMs back and allocates none', async () => {
    const first = world.loop({ min: 2 });
    await first.start();
    await world.clock.advance(5_000);
    await first.stop();
    world.gateway.serving.clear();
    const second = world.loop({ min: 2 });
    await second.start();
    await world.clock.advance(1_000);
    expect(world.gateway.serving.size).to.equal(2);
    expect(world.provider.made).to.have.length(2);
    await second.stop();
  });

  it('goes on predicting where it stopped, instead of from zero, so that a restart releases nothing', async () => {
    world.cpu = () => 60;
    const first = world.loop({ min: 1 });
    world.provider.appear('vm-a', { mark: 'a' });
    world.provider.appear('vm-b', { mark: 'b' });
    await first.start();
    await world.clock.advance(60_000);
    world.cpu = () => 38;
    await world.clock.advance(240_000);
    await first.stop();
    const before = first.state();
    await world.clock.advance(15_000);
    const second = world.loop({ min: 1 });
    await second.start();
    await world.clock.advance(60_000);
    const after = second.state();
    expect(before.last?.forecast.lp).to.be.within(37, 40);
    expect(after.fleet).to.have.length(2);
    expect(second.records(5).map(({ decision }) => decision.action)).to.not.include('release');
    expect(after.last?.period).to.be.greaterThan(before.period);
    await second.stop();
  });

  it('says that there may be a second one for the group, where VMs come up that it has not ordered', async () => {
    const loop = world.loop({ min: 1 });
    await loop.start();
    await world.clock.advance(5_000);
    world.provider.bootMs = 1e9;
    world.provider.appear('vm-x', { mark: 'of-another', state: 'pending' });
    await world.clock.advance(5_000);
    expect(world.provider.calls).to.include('release vm-x');
    expect(loop.state().problems.join()).to.include('VM vm-x').and.include('a second manager runs for this group');
    expect(world.gateway.serving.size).to.equal(1);
    await loop.stop();
  });

  it('goes on learning where it stopped', async () => {
    const memoryOf = (reason = ''): number => Number(/([\d.]+) h of memory/.exec(reason)?.[1]);
    world.traffic = () => ({ ...NO_TRAFFIC, arrivalRate: 30, throughput: 30, responseTime: 50 });
    const first = world.loop({ policy: 'adaptive', min: 1 });
    await first.start();
    await world.clock.advance(1_800_000);
    await first.stop();
    const second = world.loop({ policy: 'adaptive', min: 1 });
    await second.start();
    await world.clock.advance(1_800_000);
    await second.stop();
    expect(memoryOf(second.state().last?.decision.reason)).to.be.closeTo(1, 0.11);
  });

  it('takes healthy VMs back even when its state is lost', async () => {
    world.provider.appear('vm-a', { mark: 'a' });
    const loop = world.loop();
    await loop.start();
    await world.clock.advance(2_000);
    expect([...world.gateway.serving.keys()]).to.deep.equal(['vm-a']);
    expect(world.provider.made).to.deep.equal([]);
    await loop.stop();
  });

  it('releases what nothing explains and was never ready', async () => {
    world.provider.bootMs = 1e9;
    world.provider.appear('booting', { mark: 'b', state: 'pending' });
    world.provider.appear('deaf', { mark: 'd' });
    world.isReady = (vm) => vm !== 'deaf';
    const loop = world.loop();
    await loop.start();
    await world.clock.advance(30_000);
    expect(world.provider.calls).to.include.members(['release booting', 'release deaf']);
    expect(world.provider.vms.has('booting')).to.equal(false);
    expect(world.provider.vms.has('deaf')).to.equal(false);
    await loop.stop();
  });

  it('waits for a VM that still boots in its order, and makes no second one', async () => {
    world.provider.bootMs = 20_000;
    const first = world.loop();
    await first.start();
    await world.clock.advance(5_000);
    await first.stop();
    const second = world.loop();
    await second.start();
    await world.clock.advance(20_000);
    expect(world.provider.made).to.have.length(1);
    expect(world.gateway.serving.size).to.equal(1);
    await second.stop();
  });

  it('forgets VMs that went while it was away, and starts at once with the minimum', async () => {
    const first = world.loop({ min: 2 });
    await first.start();
    await world.clock.advance(5_000);
    await first.stop();
    world.provider.vms.clear();
    world.gateway.serving.clear();
    const second = world.loop({ min: 1 });
    await second.start();
    await world.clock.advance(1_000);
    expect(world.gateway.serving.size).to.equal(1);
    expect(second.state().problems).to.deep.equal([]);
    const releases = world.journal.flatMap((entry) =>
      entry.kind === 'step' && entry.outcome.step === 'release' ? [entry.outcome.message] : [],
    );
    expect(releases).to.deep.equal(['It was gone already.', 'It was gone already.']);
    await second.stop();
  });

  it('counts no VM as pending that was accepted and released before it was ever listed', async () => {
    world.provider.bootMs = 20_000;
    const first = world.loop();
    await first.start();
    await first.settled();
    await first.stop();
    expect(world.saved?.entries[0]).to.include({ phase: 'booting', id: 'vm-1' }).and.not.to.have.property('seen');
    world.provider.vms.clear(); // Ctrl-C releases them
    const second = world.loop();
    await second.start();
    await world.clock.advance(2_000);
    expect(
      second
        .state()
        .fleet.filter(({ state }) => state === 'pending')
        .map(({ id }) => id),
    ).to.deep.equal(['vm-2']);
    await world.clock.advance(22_000);
    expect([...world.gateway.serving.keys()]).to.deep.equal(['vm-2']);
    await second.stop();
  });

  it('plans nothing before the provider has answered', async () => {
    world.provider.appear('vm-a', { mark: 'a' });
    world.provider.moods.list = 'errors';
    const loop = world.loop();
    await loop.start();
    await world.clock.advance(60_000);
    expect(world.provider.calls).to.deep.equal([]);
    expect(loop.records(1)).to.deep.equal([]);
    expect(loop.state().problems.join()).to.contain('does not list its VMs');
    world.provider.moods.list = 'works';
    await world.clock.advance(3_000);
    expect([...world.gateway.serving.keys()]).to.deep.equal(['vm-a']);
    expect(world.provider.made).to.deep.equal([]);
    await loop.stop();
  });

  it('acts on nothing while its state can not be saved, and says so', async () => {
    const deps = world.deps();
    const { createControlLoop } = await import('../../../src/loop/control-loop.ts');
    const store = {
      load: () => Promise.resolve(undefined),
      save: () => Promise.reject(new Error('The disk is full.')),
    };
    const loop = createControlLoop({ ...deps, store });
    await loop.start();
    await world.clock.advance(30_000);
    expect(world.provider.calls).to.deep.equal([]);
    expect(loop.state().problems.join()).to.contain('The disk is full.');
    await loop.stop();
  });

  it('goes on when a hook of ours fails', async () => {
    let fails = true;
    const { createControlLoop } = await import('../../../src/loop/control-loop.ts');
    const loop = createControlLoop({
      ...world.deps(),
      onPeriod: () => {
        if (fails) throw new Error('The hook is broken.');
      },
      onOutcome: () => {
        throw new Error('Another one, too.');
      },
    });
    await loop.start();
    await world.clock.advance(35_000);
    expect(loop.state().problems.join()).to.contain('The hook is broken.');
    fails = false;
    await world.clock.advance(15_000);
    expect(loop.state().problems).to.deep.equal(['The last report of a step failed: Another one, too.']);
    expect(loop.state().period).to.be.at.least(4);
    await loop.stop();
  });
});
