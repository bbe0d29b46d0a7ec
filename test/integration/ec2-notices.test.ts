// The real control loop and the real gateway with the EC2 provider on an emulated EC2, whose notices come at the worst moments.
import { expect } from 'chai';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { poolOf, type Instance } from '../../ec2/emulator/cloud.ts';
import type { Ec2Provider } from '../../ec2/provider.ts';
import type { Gateway } from '../../src/balance/core/contract.ts';
import { DEFAULT_PARAMETERS } from '../../src/decide/parameters.ts';
import { createControlLoop, type ControlLoop } from '../../src/loop/control-loop.ts';
import { openCloud, type TestCloud } from '../ec2/emulated.ts';
import { AskingClients } from '../helpers/asking-clients.ts';
import { Bench } from '../helpers/gateway.ts';
import { LoopParts } from '../helpers/loop-parts.ts';
import { until } from '../helpers/until.ts';

const NEEDED = 3;
const NOTICE_MS = 6_000;

describe('a notice from EC2', function () {
  this.timeout(90_000);
  const bench = new Bench();
  let cloud: TestCloud;
  let provider: Ec2Provider;
  let gateway: Gateway;
  let loop: ControlLoop;
  let clients: AskingClients;
  const parts = new LoopParts();

  const start = async () => {
    loop = createControlLoop({
      ...parts.forNext(),
      ...{ provider, gateway },
      parameters: {
        ...{ ...DEFAULT_PARAMETERS, min: NEEDED, max: 8, period: 1_000, drainDeadline: 3_000 },
        ...{ spotShare: 100, poolRest: 500, bootDeadline: 30_000 },
      },
    });
    await loop.start();
  };

  before(async () => {
    cloud = await openCloud({ noticeMs: NOTICE_MS, bootMs: 100 });
    provider = cloud.provider();
    gateway = await bench.gateway();
    await start();
    await settled();
    clients = new AskingClients(`http://127.0.0.1:${gateway.address.port}/`, 4);
  });
  afterEach(async () => {
    await cloud.emulator.setFaults({ noCapacity: '', slowBootMs: 0 });
    await settled();
    expect(clients.lost).to.deep.equal([]);
  });
  after(async () => {
    await clients.stop();
    await loop.stop();
    await loop.settled();
    await cloud.stop();
    await bench.close();
  });

  const fleet = () => loop.state().fleet;
  const vm = (id: string) => fleet().find((each) => each.id === id);
  const named = (id: string): Instance => cloud.emulator.cloud.instances.get(id) ?? expect.fail(`there is no ${id}`);
  const ready = (): readonly Instance[] =>
    fleet().flatMap(({ id, state, interruptAt }) =>
      state === 'ready' && interruptAt === undefined ? [named(id)] : [],
    );
  const first = (): Instance => ready()[0] ?? expect.fail('nobody is ready');
  const settled = (...gone: readonly Instance[]) =>
    until(`${NEEDED} interruptible VMs serve`, () => {
      const isCalm = fleet().every(
        (each) => each.state === 'ready' && !each.relieves && !each.interruptAt && !each.inPlaceOf,
      );
      const isCheap = fleet().every(({ offer }) => offer?.market === 'interruptible');
      return isCalm && isCheap && fleet().length === NEEDED && gone.every(({ id }) => vm(id) === undefined);
    });
  const known = ({ id }: Instance) => until(`the notice for ${id} is known`, () => vm(id)?.interruptAt);
  const standIn = ({ id }: Instance) =>
    until(`a stand-in for ${id}`, () => fleet().find(({ inPlaceOf }) => inPlaceOf === id));
  const interrupt = (instance: Instance, ms = NOTICE_MS) =>
    cloud.emulator.cloud.interrupt(instance, undefined, Date.now() + ms);
  const withdraw = (instance: Instance) => cloud.emulator.cloud.withdraw(instance);

  it('that comes twice, the second time for sooner, has one stand-in and one successor', async () => {
    const [taken, before] = [first(), parts.ordered];
    interrupt(taken, 20_000);
    const at = await known(taken);
    withdraw(taken);
    interrupt(taken, 3_000);
    await until(
      'the sooner one is known',
      () => (vm(taken.id)?.interruptAt ?? 0) < at - 10_000 || vm(taken.id) === undefined,
    );
    await settled(taken);
    expect(parts.ordered - before).to.equal(2);
  });

  it('that is withdrawn and soon given again has one stand-in and one successor', async () => {
    await cloud.emulator.setFaults({ slowBootMs: 4_000 });
    const [taken, before] = [first(), parts.ordered];
    interrupt(taken, 20_000);
    await known(taken);
    withdraw(taken);
    await sleep(1_500); // the list tells of it no more
    interrupt(taken, 12_000);
    await settled(taken);
    expect(parts.ordered - before).to.equal(2);
  });

  it('that is withdrawn for good ends both, and given again later has new ones', async () => {
    await cloud.emulator.setFaults({ slowBootMs: 60_000 });
    const taken = first();
    interrupt(taken, 60_000);
    await known(taken);
    withdraw(taken);
    await settled();
    expect(vm(taken.id)?.state).to.equal('ready');
    await cloud.emulator.setFaults({ slowBootMs: 0 });
    interrupt(taken);
    await known(taken);
    await settled(taken);
  });

  it('may be for a VM that boots', async () => {
    await cloud.emulator.setFaults({ slowBootMs: 2_000 });
    const lost = first();
    const others = new Set(fleet().map(({ id }) => id));
    cloud.emulator.cloud.take(lost);
    const { id } = await until('a VM boots', () =>
      fleet().find((each) => !others.has(each.id) && cloud.emulator.cloud.instances.has(each.id)),
    );
    interrupt(named(id), 1_000);
    await known(named(id));
    await settled(lost, named(id));
  });

  it('may be for a VM that drains, whose requests end', async () => {
    const url = `http://127.0.0.1:${gateway.address.port}/?late=4000`;
    const slow = Array.from({ length: 4 * NEEDED }, () => request(url).then(({ statusCode }) => statusCode));
    const inFlight = () => gateway.fleet().reduce((sum, each) => sum + each.inFlight, 0);
    await until('they are at the VMs', () => inFlight() >= slow.length);
    const taken = first();
    await loop.byHand({ what: 'drain', vm: taken.id }, 'Ada');
    expect(vm(taken.id)?.state).to.equal('draining');
    interrupt(taken, 12_000);
    expect(new Set(await Promise.all(slow))).to.deep.equal(new Set([200]));
    await settled(taken);
  });

  it('may be for the stand-in itself, where there was no room on demand', async () => {
    await cloud.emulator.setFaults({ noCapacity: '*/on-demand', slowBootMs: 3_000 });
    const taken = first();
    interrupt(taken);
    await standIn(taken);
    const other = await until('the stand-in is an instance', () => {
      const { id = '' } = fleet().find(({ inPlaceOf }) => inPlaceOf === taken.id) ?? {};
      return cloud.emulator.cloud.instances.get(id);
    });
    expect(other.spot).not.to.equal(undefined);
    interrupt(other);
    await settled(taken, other);
  });

  it('may be for the stand-in when it serves already', async () => {
    await cloud.emulator.setFaults({ noCapacity: '*/on-demand' });
    const taken = first();
    interrupt(taken);
    const { id } = await standIn(taken);
    const other = await until('it serves, or was relieved', () =>
      vm(id)?.state === 'ready' ? named(id) : vm(id) === undefined && 'relieved',
    );
    if (typeof other === 'object') interrupt(other, 4_000);
    await settled(taken);
  });

  it('may be for two pools within a second', async () => {
    const pools = Map.groupBy(ready(), poolOf);
    const [one = [], other = []] = [...pools.values()];
    expect(pools.size).to.be.at.least(2);
    for (const instance of one) interrupt(instance);
    await sleep(500);
    for (const instance of other) interrupt(instance);
    await settled(...one, ...other);
  });

  it('outlives a manager that ends between notice and end', async () => {
    const [taken, before] = [first(), parts.ordered];
    interrupt(taken);
    await standIn(taken);
    await loop.stop();
    await loop.settled();
    await start();
    await settled(taken);
    expect(parts.ordered - before).to.equal(2);
  });

  it('may have been heard by one manager and run out before the next', async () => {
    await cloud.emulator.setFaults({ slowBootMs: 3_000 });
    const taken = first();
    interrupt(taken, 2_000);
    await standIn(taken);
    await loop.stop();
    await loop.settled();
    await until('it is taken', () => taken.state === 'terminated');
    await start();
    await settled(taken);
  });

  it('of a VM that a person keeps has no stand-in, and it stays until it is given back', async () => {
    const taken = first();
    await loop.byHand({ what: 'keep', vm: taken.id }, 'Ada');
    await until(
      'it is kept, and another one serves',
      () => vm(taken.id)?.state === 'kept' && ready().length === NEEDED,
    );
    const before = parts.ordered;
    interrupt(taken, 1_500);
    await until('it is taken', () => taken.state === 'terminated');
    const note = await until(
      'it is told',
      () => /[.]$/.test(vm(taken.id)?.note ?? '') && /kept, /.test(vm(taken.id)?.note ?? '') && vm(taken.id)?.note,
    );
    expect(note).to.match(/^It is kept, /);
    expect(parts.ordered).to.equal(before);
    await loop.byHand({ what: 'release', vm: taken.id }, 'Ada');
    await settled(taken);
    expect(parts.ordered).to.equal(before);
  });
});
