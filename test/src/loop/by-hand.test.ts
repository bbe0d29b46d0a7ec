import { expect } from 'chai';
import type { Deed } from '../../../src/act/by-hand.ts';
import type { ControlLoop } from '../../../src/loop/control-loop.ts';
import { handSentences } from '../../../src/loop/by-hand.ts';
import { World } from '../../helpers/world.ts';

describe('by hand', () => {
  let world: World;
  beforeEach(() => {
    world = new World();
    world.cpu = () => 50;
  });
  const serving = () => [...world.gateway.serving.keys()].sort();
  const refusalOf = (loop: ControlLoop, deed: Deed) =>
    loop.byHand(deed, 'ada').then(
      () => 'taken',
      (error: Error) => error.message,
    );

  async function running(vms: readonly string[], settings: Parameters<World['loop']>[0] = {}): Promise<ControlLoop> {
    for (const id of vms) world.provider.appear(id, { mark: id.replace('vm-', '') });
    const loop = world.loop(settings);
    await loop.start();
    await world.clock.advance(2_000);
    return loop;
  }

  it('adds VMs up to max, and says what to raise beyond it', async () => {
    const loop = await running(['vm-a'], { max: 3 });
    expect(await refusalOf(loop, { what: 'add', count: 3 })).to.equal(
      'There is 1 VM and max is 3: raise max first, for instance mmeliot set max=4.',
    );
    await loop.byHand({ what: 'add', count: 2 }, 'ada');
    await world.clock.advance(5_000);
    expect(serving()).to.have.length(3);
    expect(await refusalOf(loop, { what: 'add', count: 1 })).to.include('There are 3 VMs and max is 3');
    await loop.stop();
  });

  it('drains a VM: its requests end, it goes back, and the minimum is kept up', async () => {
    const loop = await running(['vm-a', 'vm-b'], { min: 2 });
    await loop.byHand({ what: 'drain', vm: 'vm-a' }, 'ada');
    await world.clock.advance(10_000);
    expect(world.provider.vms.has('vm-a')).to.equal(false);
    expect(world.gateway.calls).to.include('drain vm-a');
    expect(serving()).to.have.length(2).and.include('vm-b');
    await loop.stop();
  });

  it('takes back an order that is not fulfilled, and a VM that boots', async () => {
    const loop = await running(['vm-a']);
    world.provider.bootMs = 1e9;
    await loop.byHand({ what: 'add', count: 1 }, 'ada');
    await world.clock.advance(2_000);
    const booting = loop.state().fleet.find(({ state }) => state === 'pending')?.id ?? '';
    await loop.byHand({ what: 'drain', vm: booting }, 'ada');
    await world.clock.advance(2_000);
    expect([...world.provider.vms.keys()]).to.deep.equal(['vm-a']);
    await loop.stop();
  });

  it('replaces a VM: the new one serves before the old one leaves, also at max', async () => {
    const loop = await running(['vm-a'], { max: 1 });
    await loop.byHand({ what: 'replace', vm: 'vm-a' }, 'ada');
    expect(await refusalOf(loop, { what: 'replace', vm: 'vm-a' })).to.equal('VM vm-a is being replaced already.');
    const served: number[] = [];
    for (let second = 0; second < 10; second++) {
      await world.clock.advance(1_000);
      served.push(serving().length);
    }
    expect(Math.min(...served), 'never without a VM').to.be.at.least(1);
    expect(world.provider.vms.has('vm-a')).to.equal(false);
    expect(serving()).to.have.length(1);
    await loop.stop();
  });

  it('is refused in one sentence where it cannot be, and changes nothing then', async () => {
    const loop = await running(['vm-a', 'vm-b'], { dryRun: true });
    const before = [...world.journal];
    expect(await refusalOf(loop, { what: 'drain', vm: 'no' })).to.equal('There is no VM no in this group.');
    for (const deed of [
      { what: 'drain', vm: 'vm-a' },
      { what: 'replace', vm: 'vm-a' },
      { what: 'add', count: 1 },
    ] as const)
      expect(await refusalOf(loop, deed)).to.include('This is a dry run');
    await loop.setParameters({ dryRun: false }, 'ada');
    await world.clock.advance(10_000);
    await loop.byHand({ what: 'keep', vm: 'vm-a' }, 'ada');
    expect(await refusalOf(loop, { what: 'drain', vm: 'vm-a' })).to.include('give it back first');
    await loop.byHand({ what: 'drain', vm: 'vm-b' }, 'ada');
    expect(await refusalOf(loop, { what: 'drain', vm: 'vm-b' })).to.equal('VM vm-b is on its way out already.');
    expect(world.journal.slice(before.length).filter(({ kind }) => kind === 'hand')).to.have.length(2);
    await loop.stop();
  });

  it('stands in the journal, in the explanation for a while, and is remembered over a restart', async () => {
    const loop = await running(['vm-a', 'vm-b']);
    await loop.byHand({ what: 'drain', vm: 'vm-a' }, 'ada');
    loop.acknowledge('disk', 'bob');
    await loop.stop();
    const again = world.loop();
    const { byHand, at } = again.state();
    expect(byHand.map(({ who, deed }) => [who, deed.what])).to.deep.equal([
      ['bob', 'acknowledge'],
      ['ada', 'drain'],
    ]);
    expect(handSentences(byHand, at + 120_000)).to.deep.equal(['By hand, 2 min ago: ada drained vm-a.']);
    expect(handSentences(byHand, at + 700_000)).to.deep.equal([]);
  });

  it('paused, nothing is added or released, but what fails is replaced and the minimum kept up', async () => {
    world.cpu = () => 95;
    const loop = await running(['vm-a'], { paused: true });
    await world.clock.advance(60_000);
    const [record] = loop.records(1);
    expect(record?.decision).to.include({ action: 'hold' });
    expect(record?.decision.guard).to.include({ name: 'paused', was: 'allocate' });
    expect(serving()).to.deep.equal(['vm-a']);
    world.provider.vms.delete('vm-a');
    world.isReady = (vm) => world.provider.vms.has(vm);
    await world.clock.advance(60_000);
    expect(serving()).to.have.length(1);
    await loop.setParameters({ paused: false }, 'ada');
    await world.clock.advance(60_000);
    expect(serving().length).to.be.above(1);
    await loop.stop();
  });
});
