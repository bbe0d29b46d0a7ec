import { expect } from 'chai';
import { MmeliotError } from '../../../src/errors.ts';
import { createControlLoop, type ControlLoop } from '../../../src/loop/control-loop.ts';
import { replay } from '../../../src/loop/replay.ts';
import { toyOffer, TWO_POOLS } from '../../helpers/toy-market.ts';
import { World } from '../../helpers/world.ts';

/** Two interruptible VMs of two pools, and the decisions hold. */
const PARAMETERS = { min: 2, max: 4, spotShare: 100, drainDeadline: 30_000, bootDeadline: 120_000 };
const BOOT_MS = 40_000;
const NOTICE_MS = 120_000;

describe('a notice that a VM will be taken', () => {
  let world: World;
  let loop: ControlLoop;
  let outcomes: string[];

  beforeEach(async () => {
    world = new World();
    world.provider.market = TWO_POOLS;
    outcomes = [];
    const onOutcome = ({ message = '' }: { readonly message?: string }) => void outcomes.push(message);
    loop = createControlLoop({ ...world.deps(PARAMETERS), onOutcome });
    await loop.start();
    await world.clock.advance(30_000);
    expect(pools()).to.deep.equal(['a/interruptible', 'b/interruptible']);
    world.provider.bootMs = BOOT_MS;
  });
  afterEach(() => loop.stop());

  const serving = () => [...world.gateway.serving.keys()];
  const pools = () => serving().map((id) => world.provider.vms.get(id)?.offer?.id ?? '');
  const notify = (...ids: string[]) => {
    const at = world.clock.now() + NOTICE_MS;
    world.provider.market = { ...world.provider.market, notices: Object.fromEntries(ids.map((id) => [id, at])) };
  };
  const taken = () => {
    for (const [id, at] of Object.entries(world.provider.market.notices ?? {}))
      if (at <= world.clock.now()) world.provider.vms.delete(id);
  };
  const made = () => [...world.provider.vms.values()].map(({ id, offer }) => `${id} ${offer?.id}`);

  it('orders a stand-in on demand and a successor from another pool at once, and the VM serves until one does', async () => {
    notify('vm-1');
    await world.clock.advance(1_000);
    expect(made().slice(2)).to.deep.equal(['vm-3 a/on-demand', 'vm-4 b/interruptible']);
    expect(serving()).to.deep.equal(['vm-1', 'vm-2']);
    await world.clock.advance(BOOT_MS - 2_000);
    expect(serving()).to.deep.equal(['vm-1', 'vm-2']);
    await world.clock.advance(10_000);
    expect(pools()).to.deep.equal(['b/interruptible', 'b/interruptible']);
    await world.clock.advance(30_000);
    expect([...world.provider.vms.keys()]).to.deep.equal(['vm-2', 'vm-4']);
    expect(loop.state().problems).to.deep.equal([]);
  });

  it('hears it from the VM as well as from the provider', async () => {
    await loop.stop();
    const heard = new Map<string, number>();
    loop = createControlLoop({ ...world.deps(PARAMETERS), notices: () => heard });
    await loop.start();
    await world.clock.advance(3_000);
    heard.set('vm-2', world.clock.now() + NOTICE_MS);
    loop.hurry(); // without waiting for the next pass
    await world.clock.advance(0);
    expect(made().slice(2)).to.deep.equal(['vm-3 a/on-demand', 'vm-4 a/interruptible']);
  });

  it('stands when only the VM had heard it, and the next manager has not heard the VM yet', async () => {
    await loop.stop();
    const heard = new Map<string, number | undefined>();
    const start = async () => {
      loop = createControlLoop({ ...world.deps(PARAMETERS), notices: () => heard });
      await loop.start();
    };
    await start();
    await world.clock.advance(3_000);
    const at = world.clock.now() + NOTICE_MS;
    heard.set('vm-2', at).set('vm-1', undefined);
    await world.clock.advance(5_000);
    await loop.stop();
    heard.clear();
    await start();
    await world.clock.advance(3_000);
    expect([...world.provider.vms.keys()]).to.deep.equal(['vm-1', 'vm-2', 'vm-3', 'vm-4']);
    heard.set('vm-2', undefined);
    await world.clock.advance(15_000);
    expect([...world.provider.vms.keys()], 'withdrawn').to.deep.equal(['vm-1', 'vm-2']);
  });

  for (const [what, lie] of [
    ['could not be asked for notices', () => world.provider.change('vm-1', { noticeUnknown: true })],
    ['left it out of a list', () => world.provider.vms.delete('vm-1')],
  ] as const)
    it(`stands when the cloud ${what}`, async () => {
      notify('vm-1');
      await world.clock.advance(5_000);
      const vm = world.provider.vms.get('vm-1');
      world.provider.market = { ...world.provider.market, notices: {} };
      lie();
      await world.clock.advance(2_000);
      expect([...world.provider.vms.keys()]).to.include.members(['vm-2', 'vm-3', 'vm-4']);
      if (vm !== undefined) world.provider.vms.set('vm-1', { ...vm, noticeUnknown: true });
      await world.clock.advance(NOTICE_MS);
      expect(world.provider.calls).to.include('release vm-1');
      expect(pools()).to.have.length(2);
    });

  for (const mood of ['errors', 'hangs'] as const)
    it(`lets the VM go in time when the provider ${mood} from then on`, async () => {
      world.provider.bootMs = 1e9;
      notify('vm-1');
      await world.clock.advance(2_000);
      world.provider.moods.list = mood;
      await world.clock.advance(NOTICE_MS - 20_000);
      expect(serving()).to.deep.equal(['vm-2']);
      world.provider.moods.list = 'works';
      await world.clock.advance(10_000); // what hangs is given up
    });

  it('ends the requests of a stand-in that was just being admitted when its successor serves', async () => {
    const add = world.gateway.add.bind(world.gateway);
    const { promise, resolve } = Promise.withResolvers<void>();
    world.gateway.add = async (id, address) => {
      await add(id, address); // requests go to it from now on
      if (id === 'vm-3') await promise;
    };
    notify('vm-1');
    await world.clock.advance(BOOT_MS + 5_000);
    expect(serving()).to.deep.equal(['vm-2', 'vm-3', 'vm-4']);
    resolve();
    await world.clock.advance(5_000);
    expect(serving()).to.deep.equal(['vm-2', 'vm-4']);
    expect(world.gateway.calls.filter((call) => call.endsWith('vm-3'))).to.deep.equal([
      'add vm-3',
      'drain vm-3',
      'remove vm-3',
    ]);
  });

  it('counts the place once: policy and bounds see as many VMs as before', async () => {
    notify('vm-1', 'vm-2');
    await world.clock.advance(5_000);
    expect(world.provider.vms.size).to.equal(4);
    await world.clock.advance(100_000);
    const sizes = loop.records(20).map(({ forecast, observation, decision }) => ({
      ...{ action: decision.action, n: observation.vms.length, lp: forecast.lp !== undefined },
    }));
    expect(sizes.filter(({ action }) => action !== 'hold')).to.deep.equal([]);
    expect(world.provider.made).to.have.length(4);
  });

  it('leaves both stand-ins on demand while no pool may be asked, and comes back when one may, one at a time', async () => {
    notify('vm-1', 'vm-2');
    await world.clock.advance(NOTICE_MS + 1_000);
    taken();
    await world.clock.advance(20_000);
    expect(pools()).to.deep.equal(['a/on-demand', 'a/on-demand']);
    await world.clock.advance(300_000);
    expect(pools()).to.deep.equal(['a/on-demand', 'a/on-demand']);
    await world.clock.advance(600_000);
    expect(pools().toSorted()).to.deep.equal(['a/interruptible', 'b/interruptible']);
    expect(world.provider.vms.size).to.equal(2);
  });

  it('does not come back in quiet hours', async () => {
    notify('vm-1', 'vm-2');
    await loop.setParameters({ quietHours: '00:00-23:59' }, 'a test');
    await world.clock.advance(NOTICE_MS + 1_000);
    taken();
    await world.clock.advance(900_000);
    expect(pools()).to.deep.equal(['a/on-demand', 'a/on-demand']);
  });

  it('stands in the journal with what was on offer, so that a replay buys the same, or what other settings buy', async () => {
    world.cpu = () => 95;
    await world.clock.advance(40_000);
    const bought = world.journal.flatMap((entry) =>
      entry.kind === 'period' ? (entry.record.decision.purchases ?? []) : [],
    );
    expect(bought.map(({ offer }) => offer.id)).to.include('a/interruptible');
    expect(replay(world.journal).every(({ same }) => same)).to.equal(true);
    const otherwise = replay(world.journal, { spotShare: 0 }).filter((period) => period.otherwise);
    expect(otherwise[0]?.replayed.purchases?.[0]?.offer.id).to.equal('a/on-demand');
  });

  it('gives up stand-in and successor when it is withdrawn, and the VM stays', async () => {
    notify('vm-1');
    await world.clock.advance(10_000);
    world.provider.market = { ...world.provider.market, notices: {} };
    await world.clock.advance(60_000);
    expect(serving()).to.deep.equal(['vm-1', 'vm-2']);
    expect([...world.provider.vms.keys()]).to.deep.equal(['vm-1', 'vm-2']);
  });

  it('makes one stand-in where the cloud tells of it in every second answer only', async () => {
    for (let second = 0; second < 30; second++) {
      if (second % 2 === 0) notify('vm-1');
      else world.provider.market = { ...world.provider.market, notices: {} };
      await world.clock.advance(1_000);
    }
    notify('vm-1');
    expect(world.provider.made).to.have.length(4);
    await world.clock.advance(BOOT_MS);
    expect(pools()).to.deep.equal(['b/interruptible', 'b/interruptible']);
  });

  it('lets the VM go at the last moment that its requests can end in, when nobody serves in its place yet', async () => {
    world.provider.bootMs = 1e9;
    notify('vm-1');
    await world.clock.advance(NOTICE_MS - 33_000);
    expect(serving()).to.include('vm-1');
    await world.clock.advance(3_000);
    expect(serving()).to.deep.equal(['vm-2']);
    expect(world.provider.calls).to.include('release vm-1');
  });

  it('gives the VM less time to drain than the cloud gives', async () => {
    const deadlines: number[] = [];
    const drain = world.gateway.drain.bind(world.gateway);
    world.gateway.drain = (id: string, deadlineMs = NaN) => {
      deadlines.push(deadlineMs);
      return drain(id);
    };
    world.provider.bootMs = 1e9;
    const at = world.clock.now() + 10_000;
    world.provider.market = { ...TWO_POOLS, notices: { 'vm-1': at } };
    await world.clock.advance(10_000);
    expect(deadlines).to.have.length(1);
    expect(deadlines[0], 'a request could outlast such a notice, so it is drained at once').to.be.within(6_000, 8_000);
  });

  it('asks the next pool when one has no room, and keeps the stand-in when none has', async () => {
    world.provider.market = {
      offers: TWO_POOLS.offers.map((offer) => (offer.market === 'interruptible' ? { ...offer, room: 1 } : offer)),
    };
    notify('vm-1');
    await world.clock.advance(BOOT_MS + 5_000);
    expect(pools().toSorted()).to.deep.equal(['a/on-demand', 'b/interruptible']);
    expect(loop.state().problems).to.deep.equal([]);
  });

  it('asks a pool on demand elsewhere when the first has none, and an interruptible one when there is no other', async () => {
    world.provider.market = {
      offers: [toyOffer('a', 'on-demand', 1, { room: 0 }), ...TWO_POOLS.offers.slice(1)],
    };
    notify('vm-1');
    await world.clock.advance(BOOT_MS + 5_000);
    expect(pools()).to.deep.equal(['b/interruptible', 'b/interruptible']);
    await world.clock.advance(60_000);
    // whom it stood in for is gone, and nobody relieves it: it is a VM as others are
    expect(loop.state().fleet.filter(({ inPlaceOf }) => inPlaceOf !== undefined)).to.deep.equal([]);
  });

  it('leaves nobody who stands in for one that is gone, where all are to be on demand from then on', async () => {
    notify('vm-1', 'vm-2');
    await loop.setParameters({ spotShare: 0 }, 'a test');
    await world.clock.advance(NOTICE_MS + 60_000);
    expect(pools()).to.deep.equal(['a/on-demand', 'a/on-demand']);
    expect(loop.state().fleet.filter(({ inPlaceOf }) => inPlaceOf !== undefined)).to.deep.equal([]);
  });

  it('has VMs on demand where interruptible ones are refused, and says so', async () => {
    const allocate = world.provider.allocate.bind(world.provider);
    world.provider.allocate = (request) =>
      request.offer?.market === 'interruptible'
        ? Promise.reject(new MmeliotError('NO_CAPACITY', 'The account has no right to them.'))
        : allocate(request);
    world.provider.change('vm-1', { state: 'failed', note: 'taken' });
    world.provider.change('vm-2', { state: 'failed', note: 'taken' });
    await world.clock.advance(BOOT_MS + 5_000);
    expect(pools()).to.deep.equal(['a/on-demand', 'a/on-demand']);
    expect(outcomes).to.include('The account has no right to them.');
    const refusals = outcomes.filter((message) => message.includes('no right')).length;
    await world.clock.advance(300_000);
    expect(outcomes.filter((message) => message.includes('no right')).length - refusals, 'left in peace').to.equal(0);
  });

  it('leaves no pool in peace since a login had expired: when it is renewed, the same pools are asked', async () => {
    const allocate = world.provider.allocate.bind(world.provider);
    let expired = true;
    world.provider.allocate = (request) =>
      expired ? Promise.reject(new MmeliotError('PROVIDER_REFUSED', 'The login has expired.')) : allocate(request);
    world.provider.change('vm-1', { state: 'failed', note: 'killed' });
    await world.clock.advance(BOOT_MS + 5_000);
    expect(loop.state().obstacles.refused).to.equal(true);
    expired = false;
    await world.clock.advance(60_000 + BOOT_MS);
    expect(pools().map((pool) => pool.replace(/.*\//, ''))).to.deep.equal(['interruptible', 'interruptible']);
  });

  it('is seen through by the next manager when the first is killed in the middle, and nothing is made twice', async () => {
    notify('vm-1');
    await world.clock.advance(2_000);
    await loop.stop();
    loop = world.loop(PARAMETERS);
    await loop.start();
    await world.clock.advance(BOOT_MS + 40_000);
    expect(pools()).to.deep.equal(['b/interruptible', 'b/interruptible']);
    expect([...world.provider.vms.keys()]).to.deep.equal(['vm-2', 'vm-4']);
    expect(world.provider.made).to.have.length(4);
  });

  it('may have run out while no manager was there: the next one replaces what is gone', async () => {
    notify('vm-1');
    await loop.stop();
    await world.clock.advance(NOTICE_MS + 1_000);
    taken();
    world.provider.market = TWO_POOLS;
    loop = world.loop(PARAMETERS);
    await loop.start();
    await world.clock.advance(BOOT_MS + 40_000);
    expect(pools().toSorted()).to.deep.equal(['a/interruptible', 'b/interruptible']);
    expect(world.provider.made).to.have.length(3);
  });

  it('never brings the VMs that take requests below what was there, stands-ins in time', async () => {
    notify('vm-1');
    for (let second = 0; second < 100; second++) {
      await world.clock.advance(1_000);
      expect(serving().length).to.be.at.least(2);
    }
  });

  it('is billed at the most that is paid for a VM, while its pool costs more', async () => {
    const [onDemand, a, b] = TWO_POOLS.offers;
    if (!onDemand || !a || !b) throw new Error('no offers');
    world.provider.market = { offers: [onDemand, { ...a, price: 500 }, b] };
    await world.clock.advance(2_000);
    expect(loop.state().bill.prices).to.deep.equal({ 'vm-1': 1, 'vm-2': 0.2 });
    expect(loop.state().bill.rate).to.be.closeTo(1.2, 1e-9);
  });

  it('is not needed: a VM taken without one has a successor at once, from another pool', async () => {
    world.provider.change('vm-1', { state: 'failed', note: 'taken' });
    await world.clock.advance(2_000);
    expect(made()).to.include('vm-3 b/interruptible');
    expect(world.provider.made).to.have.length(3);
  });
});
