import { expect } from 'chai';
import { World } from '../../helpers/world.ts';

describe('a VM that a person keeps', () => {
  let world: World;
  beforeEach(() => {
    world = new World();
    world.cpu = () => 50;
  });
  const serving = () => [...world.gateway.serving.keys()];
  const stateOf = (loop: ReturnType<World['loop']>, id: string) => loop.state().fleet.find((vm) => vm.id === id)?.state;
  const refusalOf = (work: Promise<void>) =>
    work.then(
      () => 'taken',
      (error: Error) => error.message,
    );

  async function twoVms(settings: Parameters<World['loop']>[0] = {}) {
    world.provider.appear('vm-a', { mark: 'a' });
    world.provider.appear('vm-b', { mark: 'b' });
    const loop = world.loop(settings);
    await loop.start();
    await world.clock.advance(2_000);
    return loop;
  }

  it('ends its requests, leaves the gateway, and is neither counted, nor replaced, nor released, however long it takes', async () => {
    const loop = await twoVms();
    await loop.byHand({ what: 'keep', vm: 'vm-a' }, 'ada');
    await world.clock.advance(3_600_000);
    expect(serving()).to.deep.equal(['vm-b']);
    expect(world.gateway.calls.slice(-2)).to.deep.equal(['drain vm-a', 'remove vm-a']);
    expect(stateOf(loop, 'vm-a')).to.equal('kept');
    expect(loop.state().fleet.find(({ id }) => id === 'vm-a')?.note).to.equal('Kept by ada.');
    expect(world.provider.made, 'no other one was made in its place').to.deep.equal([]);
    expect(world.provider.calls).to.deep.equal([]);
    expect(loop.records(1)[0]?.decision.comparisons).to.not.deep.include({ what: 'VMs', value: 2 });
    await loop.byHand({ what: 'release', vm: 'vm-a' }, 'ada');
    await world.clock.advance(3_000);
    expect([...world.provider.vms.keys()]).to.deep.equal(['vm-b']);
    expect(stateOf(loop, 'vm-a')).to.equal(undefined);
    await loop.stop();
  });

  it('does not count for the minimum, which another one fills', async () => {
    const loop = await twoVms({ min: 2 });
    await loop.byHand({ what: 'keep', vm: 'vm-b' }, 'ada');
    await world.clock.advance(10_000);
    expect(world.provider.made).to.have.length(1);
    expect(serving()).to.have.length(2);
    expect(loop.state().fleet).to.have.length(3);
    await loop.stop();
  });

  it('stays kept over a restart, and the gateway is told once more', async () => {
    const first = await twoVms();
    await first.byHand({ what: 'keep', vm: 'vm-a' }, 'ada');
    await world.clock.advance(2_000);
    await first.stop();
    world.gateway.calls.length = 0;
    const second = world.loop();
    await second.start();
    await world.clock.advance(600_000);
    expect(stateOf(second, 'vm-a')).to.equal('kept');
    expect(serving()).to.deep.equal(['vm-b']);
    expect(world.gateway.calls.filter((call) => call.endsWith('vm-a'))).to.deep.equal(['remove vm-a']);
    expect([...second.kept()]).to.deep.equal(['vm-a']);
    await second.stop();
  });

  it('is kept, too, while it is on its way out by a decision, or does not come up', async () => {
    world.provider.bootMs = 1e9;
    const loop = world.loop({ bootDeadline: 60_000 });
    await loop.start();
    await world.clock.advance(2_000);
    await loop.byHand({ what: 'keep', vm: 'vm-1' }, 'ada');
    await world.clock.advance(300_000);
    expect(stateOf(loop, 'vm-1')).to.equal('kept');
    expect(world.provider.vms.has('vm-1')).to.equal(true);
    await loop.stop();
  });

  it('may be given back before its requests have ended', async () => {
    const loop = await twoVms();
    let finish: (clean: boolean) => void = () => undefined;
    world.gateway.drained = () => new Promise((resolve) => (finish = resolve));
    await loop.byHand({ what: 'keep', vm: 'vm-a' }, 'ada');
    await world.clock.advance(1_000);
    expect(stateOf(loop, 'vm-a')).to.equal('draining');
    await loop.byHand({ what: 'release', vm: 'vm-a' }, 'ada');
    finish(true);
    await world.clock.advance(2_000);
    expect([...world.provider.vms.keys()]).to.deep.equal(['vm-b']);
    await loop.stop();
  });

  it('crashed or gone, is said to be, and stays in the list until it is given back', async () => {
    const loop = await twoVms();
    await loop.byHand({ what: 'keep', vm: 'vm-a' }, 'ada');
    await world.clock.advance(2_000);
    world.provider.change('vm-a', { state: 'failed', note: 'its guest ended' });
    await world.clock.advance(2_000);
    expect(loop.state().problems.join()).to.contain('It is kept, and failed (its guest ended).');
    world.provider.vms.delete('vm-a');
    await world.clock.advance(2_000);
    expect(loop.state().problems.join()).to.contain('the provider lists it no more');
    await loop.byHand({ what: 'release', vm: 'vm-a' }, 'ada');
    await world.clock.advance(2_000);
    expect(loop.state().fleet.map(({ id }) => id)).to.deep.equal(['vm-b']);
    expect(loop.state().problems).to.deep.equal([]);
    await loop.stop();
  });

  it('is refused in one sentence where it cannot be', async () => {
    const loop = await twoVms({ dryRun: true });
    expect(await refusalOf(loop.byHand({ what: 'keep', vm: 'vm-x' }, 'ada'))).to.equal(
      'There is no VM vm-x in this group.',
    );
    expect(await refusalOf(loop.byHand({ what: 'release', vm: 'vm-a' }, 'ada'))).to.contain('VM vm-a is not kept');
    await loop.byHand({ what: 'keep', vm: 'vm-a' }, 'ada');
    expect(await refusalOf(loop.byHand({ what: 'keep', vm: 'vm-a' }, 'bob'))).to.equal('VM vm-a is kept already.');
    await world.clock.advance(2_000);
    expect(serving(), 'a dry run keeps what a person asks for').to.deep.equal(['vm-b']);
    expect(await refusalOf(loop.byHand({ what: 'release', vm: 'vm-a' }, 'ada'))).to.contain('This is a dry run');
    await loop.stop();
  });
});
