import { expect } from 'chai';
import { World } from '../../helpers/world.ts';

describe('reconciliation', () => {
  let world: World;
  beforeEach(() => {
    world = new World();
  });
  const serving = () => [...world.gateway.serving.keys()];

  it('adds a VM to the gateway only when it runs and answers its readiness check', async () => {
    world.provider.bootMs = 5_000;
    let answers = false;
    world.isReady = () => answers;
    const loop = world.loop();
    await loop.start();
    await world.clock.advance(20_000);
    expect(serving()).to.deep.equal([]);
    expect(loop.state().fleet.map((vm) => vm.state)).to.deep.equal(['pending']);
    answers = true;
    await world.clock.advance(1_000);
    expect(serving()).to.deep.equal(['vm-1']);
    await world.clock.advance(10_000);
    expect(loop.state().fleet[0]?.bootTime).to.be.within(20_000, 21_500);
    await loop.stop();
  });

  it('tells the gateway first, lets requests finish, then releases', async () => {
    const loop = world.loop({ min: 1, max: 2 });
    world.provider.appear('old-1', { mark: 'm1' });
    world.provider.appear('old-2', { mark: 'm2' });
    let finish: (clean: boolean) => void = () => undefined;
    world.gateway.drained = () => new Promise((resolve) => (finish = resolve));
    world.cpu = () => 5;
    await loop.start();
    await world.clock.advance(40_000);
    expect(serving()).to.have.length(1);
    expect(world.provider.vms.size).to.equal(2);
    expect(loop.state().fleet.map((vm) => vm.state)).to.include('draining');
    finish(true);
    await world.clock.advance(2_000);
    expect(world.provider.vms.size).to.equal(1);
    const gone = world.gateway.calls.find((call) => call.startsWith('drain'))?.slice('drain '.length) ?? '';
    expect(world.gateway.calls.slice(-2)).to.deep.equal([`drain ${gone}`, `remove ${gone}`]);
    expect(world.provider.calls).to.deep.equal([`release ${gone}`]);
    await loop.stop();
  });

  it('replaces a crashed VM at once, without waiting for a decision', async () => {
    const loop = world.loop();
    await loop.start();
    await world.clock.advance(3_000);
    world.provider.change('vm-1', { state: 'failed', note: 'killed' });
    await world.clock.advance(2_000);
    expect(serving()).to.deep.equal(['vm-2']);
    expect([...world.provider.vms.keys()]).to.deep.equal(['vm-2']);
    expect(loop.state().period).to.equal(0);
    await loop.stop();
  });

  it('replaces a vanished VM when it does not answer either', async () => {
    const loop = world.loop();
    await loop.start();
    await world.clock.advance(3_000);
    world.provider.vms.delete('vm-1');
    await world.clock.advance(3_000);
    expect(serving()).to.deep.equal(['vm-2']);
    await loop.stop();
  });

  it('keeps a VM that answers although the provider does not list it, and says so', async () => {
    const loop = world.loop();
    await loop.start();
    await world.clock.advance(3_000);
    world.isReady = () => true;
    const [vm] = [...world.provider.vms.values()];
    world.provider.vms.clear();
    await world.clock.advance(20_000);
    expect(serving()).to.deep.equal(['vm-1']);
    expect(loop.state().problems.join()).to.contain('does not list it');
    if (vm !== undefined) world.provider.vms.set(vm.id, vm);
    await world.clock.advance(7_000);
    expect(loop.state().problems).to.deep.equal([]);
    expect(world.provider.made).to.have.length(1);
    await loop.stop();
  });

  it('takes a VM that has the number of an earlier one for another, as after a front end was restored', async () => {
    const loop = world.loop();
    await loop.start();
    await world.clock.advance(3_000);
    world.isReady = () => true;
    const address = { host: '127.0.0.1', port: 20_000 };
    world.provider.allocate = ({ mark }) => {
      world.provider.appear('vm-1', { mark, address });
      return Promise.resolve('vm-1');
    };
    world.provider.vms.clear();
    world.cpu = () => 90; // the one that is forgotten serves on, and another one is ordered
    await world.clock.advance(60_000);
    expect(serving()).to.deep.equal(['vm-1']);
    expect(world.gateway.serving.get('vm-1')).to.deep.equal(address);
    expect(loop.state().fleet.map(({ id, state }) => `${id} ${state}`)).to.deep.equal(['vm-1 ready']);
    expect(loop.state().problems.join()).to.contain('the cloud has forgotten it, and gave its number to another');
    expect(world.provider.calls.filter((call) => call.startsWith('release'))).to.deep.equal([]);
    await loop.stop();
  });

  it('forgets a VM that leaves when its number is that of another', async () => {
    const loop = world.loop();
    await loop.start();
    await world.clock.advance(3_000);
    world.provider.moods.release = 'errors';
    world.provider.change('vm-1', { state: 'failed' });
    await world.clock.advance(3_000);
    expect(serving()).to.deep.equal(['vm-2']);
    world.provider.appear('vm-1', { mark: 'mark-7' });
    world.provider.calls.length = 0;
    world.provider.moods.release = 'works';
    await world.clock.advance(120_000);
    expect(loop.state().fleet.map(({ id, state }) => `${id} ${state}`)).to.include('vm-1 ready');
    expect(world.provider.calls).to.deep.equal([]);
    await loop.stop();
  });

  it('sends no requests to an address at which another VM is said to be already', async () => {
    const loop = world.loop({ bootDeadline: 30_000 });
    await loop.start();
    await world.clock.advance(3_000);
    const { address } = world.provider.vms.get('vm-1') ?? {};
    world.provider.bootMs = 0;
    const allocate = world.provider.allocate.bind(world.provider);
    world.provider.allocate = async (request) => {
      const id = await allocate(request);
      if (address !== undefined) world.provider.change(id, { address });
      return id;
    };
    world.cpu = () => 90;
    await world.clock.advance(30_000);
    expect(serving()).to.deep.equal(['vm-1']);
    expect(loop.state().problems.join()).to.contain(
      'is said to be at 127.0.0.1:10000, as VM vm-1 is, which was there before',
    );
    await world.clock.advance(30_000);
    expect(world.provider.calls).to.include('release vm-2');
    expect(serving()).to.deep.equal(['vm-1']);
    await loop.stop();
  });

  it('replaces a VM whose agent is silent and which does not answer', async () => {
    const loop = world.loop();
    await loop.start();
    await world.clock.advance(30_000);
    world.cpu = (vm) => (vm === 'vm-1' ? undefined : 50);
    world.isReady = (vm) => vm !== 'vm-1';
    await world.clock.advance(90_000);
    expect(serving()).to.deep.equal(['vm-2']);
    expect([...world.provider.vms.keys()]).to.deep.equal(['vm-2']);
    await loop.stop();
  });

  it('keeps a VM whose agent is silent as long as it answers', async () => {
    world.cpu = () => undefined;
    const loop = world.loop();
    await loop.start();
    await world.clock.advance(300_000);
    expect(serving()).to.deep.equal(['vm-1']);
    const { last } = loop.state();
    expect(last?.observation.vms[0]?.source).to.equal('none');
    expect(last?.forecast.vms[0]?.dark).to.equal(true);
    await loop.stop();
  });

  it('gives a VM up that is not ready by the boot deadline, tries again ever slower, and says why', async () => {
    world.isReady = () => false;
    const loop = world.loop({ bootDeadline: 60_000 });
    await loop.start();
    await world.clock.advance(600_000);
    expect(world.provider.made.length).to.be.within(7, 10);
    expect(world.provider.vms.size).to.be.at.most(1);
    const failure = world.journal.find((entry) => entry.kind === 'step' && entry.outcome.step === 'failed');
    expect(failure).to.have.nested.property(
      'outcome.message',
      'It runs but did not answer its readiness check within its boot deadline of 60 s.',
    );
    world.isReady = () => true;
    await world.clock.advance(300_000);
    expect(serving()).to.have.length(1);
    await loop.stop();
  });

  it('gives up a place above the minimum after six VMs in a row', async () => {
    const loop = world.loop({ bootDeadline: 10_000, policy: 'eliot' });
    await loop.start();
    await world.clock.advance(30_000);
    world.cpu = () => 100;
    world.isReady = (vm) => vm === 'vm-1';
    await world.clock.advance(35_000);
    world.cpu = () => 50;
    await world.clock.advance(600_000);
    const made = world.provider.made.length;
    expect(loop.state().problems.join()).to.contain('no other is tried in its place');
    expect(made).to.be.within(6, 8);
    expect(serving()).to.deep.equal(['vm-1']);
    await world.clock.advance(600_000);
    expect(world.provider.made).to.have.length(made);
    await loop.stop();
  });

  it('begins the boot deadline when a host has the VM, and then says where it got stuck', async () => {
    world.provider.bootMs = 10_000_000;
    const loop = world.loop({ bootDeadline: 60_000 });
    await loop.start();
    world.provider.change('vm-1', { waiting: true, stage: 'PENDING' });
    await world.clock.advance(300_000);
    expect(world.provider.made).to.have.length(1);
    world.provider.change('vm-1', { waiting: undefined, stage: 'BOOT' });
    await world.clock.advance(55_000);
    expect(world.provider.made).to.have.length(1);
    await world.clock.advance(10_000);
    expect(world.provider.made).to.have.length(2);
    expect(loop.state().problems.join()).to.contain('did not come up within its boot deadline of');
    await loop.stop();
  });

  it('replaces a VM above the minimum that somebody else shuts down, after its requests have ended', async () => {
    const loop = world.loop({ min: 1, max: 2 });
    world.provider.appear('old-1', { mark: 'm1' });
    world.provider.appear('old-2', { mark: 'm2' });
    await loop.start();
    await world.clock.advance(3_000);
    world.provider.change('old-2', { state: 'releasing' });
    await world.clock.advance(3_000);
    expect(world.gateway.calls).to.include('drain old-2');
    expect(serving()).to.deep.equal(['old-1', 'vm-1']);
    expect(loop.state().problems).to.deep.equal([]);
    await loop.stop();
  });

  it('tries once a minute what only a person can put right', async () => {
    world.provider.moods.allocate = 'refuses';
    const loop = world.loop();
    await loop.start();
    await world.clock.advance(300_000);
    expect(world.provider.calls.length).to.be.within(5, 6);
    expect(loop.state().problems.join()).to.contain('The template has no CPU.');
    expect(loop.state().obstacles.refused).to.equal(true);
    world.provider.moods.allocate = 'works';
    await world.clock.advance(62_000);
    expect(serving()).to.have.length(1);
    expect(loop.state().obstacles).to.deep.equal({ putOff: [] });
    await loop.stop();
  });

  it('leaves foreign VMs alone and tells the operator', async () => {
    world.provider.appear('stranger');
    const loop = world.loop();
    await loop.start();
    await world.clock.advance(60_000);
    expect(world.provider.vms.has('stranger')).to.equal(true);
    expect(serving()).to.deep.equal(['vm-1']);
    expect(loop.state().problems).to.have.length(1);
    expect(loop.state().problems[0]).to.contain('VM stranger').and.to.contain('left alone');
    await loop.stop();
  });

  it('changes nothing in a dry run, but records what it would have done', async () => {
    world.provider.appear('vm-a', { mark: 'a' });
    world.cpu = () => 95;
    const loop = world.loop({ dryRun: true, min: 1 });
    await loop.start();
    await world.clock.advance(60_000);
    expect(world.provider.calls).to.deep.equal([]);
    expect(serving()).to.deep.equal(['vm-a']);
    expect(loop.records(10).map(({ decision }) => decision.action)).to.include('allocate');
    await loop.stop();
  });

  it('records why an allocation was not ordered', async () => {
    world.provider.moods.allocate = 'full';
    world.provider.appear('vm-a', { mark: 'a' });
    world.cpu = () => 95;
    const loop = world.loop();
    await loop.start();
    await world.clock.advance(60_000);
    const messages = loop.records(10).flatMap(({ outcome }) => outcome.map(({ message }) => message));
    expect(messages).to.include.members([
      'No host has room.',
      'Nothing new is ordered, since an earlier order is still being tried: No host has room.',
    ]);
    await loop.stop();
  });
});

describe('a provider that', () => {
  let world: World;
  beforeEach(() => {
    world = new World();
  });

  for (const mood of ['errors', 'hangs'] as const)
    it(`${mood} at every call is asked again, told of, and comes back without a double`, async () => {
      world.provider.moods = { list: 'works', allocate: mood, release: mood };
      const loop = world.loop();
      await loop.start();
      await world.clock.advance(120_000);
      expect(world.provider.vms.size).to.equal(0);
      expect(loop.state().problems.join()).to.contain("A VM is wanted but can't be had");
      expect(loop.state().period).to.be.greaterThan(8);
      world.provider.moods.allocate = 'works';
      await world.clock.advance(180_000);
      expect(world.provider.made).to.have.length(1);
      expect(world.gateway.serving.size).to.equal(1);
      expect(loop.state().problems).to.deep.equal([]);
      await loop.stop();
    });

  for (const mood of ['errors', 'hangs'] as const)
    it(`${mood} when listing stops nothing that serves`, async () => {
      const loop = world.loop();
      await loop.start();
      await world.clock.advance(5_000);
      world.provider.moods.list = mood;
      await world.clock.advance(120_000);
      expect([...world.gateway.serving.keys()]).to.deep.equal(['vm-1']);
      expect(loop.state().problems.join()).to.contain('does not list its VMs');
      expect(loop.state().period).to.be.greaterThan(8);
      world.provider.moods.list = 'works';
      await world.clock.advance(20_000);
      expect(loop.state().problems).to.deep.equal([]);
      expect(world.provider.made).to.have.length(1);
      await loop.stop();
    });

  it('allocates although it answered with an error does not get a second order', async () => {
    world.provider.moods.allocate = 'errors but does it';
    const loop = world.loop();
    await loop.start();
    await world.clock.advance(60_000);
    expect(world.provider.made).to.have.length(1);
    expect(world.gateway.serving.size).to.equal(1);
    await loop.stop();
  });

  it('says yes and allocates nothing is found out at the boot deadline', async () => {
    world.provider.moods.allocate = 'says yes and does nothing';
    const loop = world.loop({ bootDeadline: 30_000 });
    await loop.start();
    await world.clock.advance(35_000);
    const failure = world.journal.find((entry) => entry.kind === 'step' && entry.outcome.step === 'failed');
    expect(failure).to.have.nested.property(
      'outcome.message',
      'The provider accepted it but did not show it within its boot deadline of 30 s.',
    );
    world.provider.moods.allocate = 'works';
    await world.clock.advance(60_000);
    expect(world.gateway.serving.size).to.equal(1);
    await loop.stop();
  });

  it('says yes and releases nothing is asked again', async () => {
    world.provider.appear('a', { mark: 'a' });
    world.provider.appear('b', { mark: 'b' });
    world.provider.moods.release = 'says yes and does nothing';
    world.cpu = () => 1;
    const loop = world.loop();
    await loop.start();
    await world.clock.advance(120_000);
    expect(world.provider.vms.size).to.equal(2);
    expect(world.gateway.serving.size).to.equal(1);
    expect(loop.state().problems.join()).to.contain('still shows the VM');
    world.provider.moods.release = 'works';
    await world.clock.advance(70_000);
    expect(world.provider.vms.size).to.equal(1);
    await loop.stop();
  });

  it('has no room is asked on, the operator is told, and the rest goes on', async () => {
    const loop = world.loop();
    await loop.start();
    await world.clock.advance(5_000);
    world.provider.moods.allocate = 'full';
    world.cpu = () => 95;
    await world.clock.advance(60_000);
    expect(loop.state().problems.join()).to.contain('No host has room');
    expect(loop.state().fleet).to.have.length(1);
    const orders = world.saved?.entries.filter((entry) => entry.phase === 'wanted');
    expect(orders).to.have.length(1);
    world.provider.moods.allocate = 'works';
    await world.clock.advance(300_000);
    expect(world.gateway.serving.size).to.equal(4);
    await loop.stop();
  });

  it('has no room is not bothered any more once the load has gone', async () => {
    const loop = world.loop();
    await loop.start();
    await world.clock.advance(5_000);
    world.cpu = () => 95;
    await world.clock.advance(60_000);
    world.provider.moods.allocate = 'full';
    const before = world.gateway.serving.size;
    await world.clock.advance(60_000);
    world.cpu = () => 1;
    await world.clock.advance(300_000);
    expect(before).to.be.greaterThan(1);
    expect(world.gateway.serving.size).to.equal(1);
    expect(world.saved?.entries.filter((entry) => entry.phase === 'wanted')).to.deep.equal([]);
    expect(loop.state().problems).to.deep.equal([]);
    await loop.stop();
  });
});
