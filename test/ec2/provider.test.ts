// What goes wrong at EC2, and what the provider makes of it.
import { expect } from 'chai';
import type { ProvidedVm, Provider } from '../../src/act/provider.ts';
import type { MmeliotError } from '../../src/errors.ts';
import type { Offer } from '../../src/model.ts';
import { until } from '../helpers/until.ts';
import { KEY, logIn, openCloud, type TestCloud } from './emulated.ts';

const refused = (work: Promise<unknown>): Promise<MmeliotError> =>
  work.then(
    () => expect.fail('it worked'),
    (error: unknown) => error as MmeliotError,
  );

describe('EC2 provider', function () {
  this.timeout(60_000);
  let cloud: TestCloud;
  let provider: Provider;
  beforeEach(async () => {
    cloud = await openCloud();
    provider = cloud.provider();
  });
  afterEach(() => cloud.stop());

  const find = async (id: string): Promise<ProvidedVm | undefined> =>
    (await provider.list()).find((vm) => vm.id === id);
  const running = (id: string) =>
    until(`${id} runs`, async () => (await find(id))?.state === 'running' && (await find(id)));
  const gone = (id: string) => until(`${id} is gone`, async () => (await find(id)) === undefined);
  const spot = async (): Promise<Offer> =>
    (await provider.offers()).find(({ market }) => market === 'interruptible') ??
    expect.fail('nothing is interruptible');
  const instances = () => [...cloud.emulator.cloud.instances.values()];

  it('offers each type in each zone on demand and interruptible, with size and price', async () => {
    cloud.emulator.cloud.market.set('us-east-1b/c3.xlarge', 0.0321);
    const offers = await cloud.provider({ types: ['m3.medium', 'c3.xlarge'] }).offers();
    expect(offers).to.have.length(2 * 3 * 2);
    expect(offers.find(({ id }) => id === 'us-east-1b/c3.xlarge/interruptible')).to.deep.equal({
      id: 'us-east-1b/c3.xlarge/interruptible',
      size: { name: 'c3.xlarge', vcpu: 4, memoryBytes: 7.5 * 2 ** 30, architecture: 'x86_64' },
      market: 'interruptible',
      pool: 'us-east-1b/c3.xlarge',
      price: 0.0321,
    });
    expect(offers[0]).to.include({ market: 'on-demand', price: 0.067 });
  });

  it('does not offer a pool whose price is none', async () => {
    for (const [zone, price] of [
      ['a', 0],
      ['b', NaN],
      ['e', -1],
    ] as const)
      cloud.emulator.cloud.market.set(`us-east-1${zone}/m3.medium`, price);
    cloud.emulator.cloud.market.set('us-east-1b/c3.xlarge', 0.0321);
    const offers = await cloud.provider({ types: ['m3.medium', 'c3.xlarge'] }).offers();
    const pools = offers.filter(({ market }) => market === 'interruptible').map(({ pool }) => pool);
    expect(pools.toSorted()).to.deep.equal(['a', 'b', 'e'].map((zone) => `us-east-1${zone}/c3.xlarge`));
  });

  it('takes on-demand prices from the operator’s table, and asks for one that is missing', async () => {
    const [first] = await cloud.provider({ prices: new Map([['m3.medium', 0.08]]) }).offers();
    expect(first?.price).to.equal(0.08);
    const error = await refused(cloud.provider({ prices: new Map() }).offers());
    expect(error.message).to.equal(
      'What does m3.medium cost an hour on demand? Say it in the table that ec2.prices names.',
    );
  });

  it('remembers what Describe does not show yet: it is listed once, found by its mark, and released when that is possible', async () => {
    await cloud.emulator.setFaults({ invisibleMs: 60_000 });
    const id = await provider.allocate({ mark: 'unseen' });
    expect(await provider.allocate({ mark: 'unseen' })).to.equal(id);
    expect((await provider.list()).map((vm) => [vm.id, vm.mark, vm.state])).to.deep.equal([[id, 'unseen', 'pending']]);
    await provider.release(id);
    expect((await find(id))?.state).to.equal('releasing');
    await cloud.emulator.setFaults({ invisibleMs: 0 });
    await gone(id);
    await until('it is terminated', () => instances()[0]?.state === 'terminated');
  });

  it('makes no second VM when an answer was lost, also where Describe lags and another manager asks again', async () => {
    await cloud.emulator.setFaults({ lostAnswer: true, invisibleMs: 60_000 });
    const error = await refused(cloud.provider({ timeoutMs: 500 }).allocate({ mark: 'lost' }));
    expect(error.code).to.equal('PROVIDER_FAILED');
    await cloud.emulator.setFaults({ lostAnswer: false });
    const id = await cloud.provider().allocate({ mark: 'lost' });
    expect(instances().map((instance) => instance.id)).to.deep.equal([id]);
  });

  it('fails the younger of two VMs with one mark where the token is not honoured', async () => {
    await cloud.emulator.setFaults({ noClientToken: true, invisibleMs: 60_000 });
    const older = await provider.allocate({ mark: 'twice' });
    await new Promise((resolve) => setTimeout(resolve, 5)); // launch times are by the millisecond
    const younger = await cloud.provider().allocate({ mark: 'twice' });
    await cloud.emulator.setFaults({ invisibleMs: 0 });
    await until('both are shown', async () => (await provider.list()).length === 2);
    expect((await find(younger))?.note).to.equal('An older VM has the same mark, twice.');
    expect((await find(younger))?.state).to.equal('failed');
    expect(await provider.allocate({ mark: 'twice' })).to.equal(older);
  });

  it('shares an account with another manager: each sees its own group, also under the same mark', async () => {
    const other = cloud.provider({ group: 'demo-2' });
    const [own, its] = [await provider.allocate({ mark: 'x' }), await other.allocate({ mark: 'x' })];
    expect(own).not.to.equal(its);
    for (const [who, id] of [
      [provider, own],
      [other, its],
    ] as const)
      expect((await who.list()).map((vm) => vm.id)).to.deep.equal([id]);
  });

  it('asks on where it is throttled', async () => {
    await provider.list(); // the SDK is loaded
    await cloud.emulator.setFaults({ callsPerSecond: 4 });
    const before = cloud.calls.length;
    await Promise.all([1, 2, 3, 4, 5, 6].map(() => provider.list()));
    expect(cloud.calls.length - before).to.be.greaterThan(6);
  });

  it('tells of a notice by the spot request two minutes ahead, and of a VM that was taken', async () => {
    const { id } = await running(await provider.allocate({ mark: 'spot', offer: await spot(), maxPrice: 0.05 }));
    const [instance] = instances();
    expect(instance?.spot?.maxPrice).to.equal(0.05);
    cloud.emulator.cloud.market.set('us-east-1a/m3.medium', 0.06);
    const noticed = await until('a notice', async () => (await find(id))?.interruptAt);
    expect(noticed).to.equal(instance?.noticeAt);
    const taken = await until('it is taken', async () => {
      const vm = await find(id);
      return vm?.state === 'failed' && vm;
    });
    expect(taken.note).to.equal('EC2 has taken it back (Spot instance termination).');
    expect(cloud.room.killed).to.deep.equal([id]);
    await provider.release(id);
    await gone(id);
  });

  it('tells once that a VM was taken, though Describe shows it for an hour, and to no successor', async () => {
    let ahead = 0;
    provider = cloud.provider({}, () => Date.now() + ahead);
    const id = await provider.allocate({ mark: 'spot', offer: await spot() });
    await running(id);
    const [instance] = instances();
    if (instance !== undefined) cloud.emulator.cloud.take(instance);
    await until('it is taken', async () => (await find(id))?.state === 'failed');
    await until('it has ended', () => instance?.state === 'terminated');
    expect((await provider.list()).map((vm) => vm.state)).to.deep.equal(['failed']);
    expect(await cloud.provider().list(), 'a successor').to.deep.equal([]);
    await provider.release(id);
    for (ahead = 0; ahead < 600_000; ahead += 50_000) expect(await provider.list()).to.deep.equal([]);
  });

  it('tells of a notice while Describe does not know another spot request yet', async () => {
    const { id } = await running(await provider.allocate({ mark: 'old', offer: await spot() }));
    await cloud.emulator.setFaults({ invisibleMs: 1e9 });
    await provider.allocate({ mark: 'new', offer: await spot() });
    for (const instance of instances()) if (instance.id === id) Object.assign(instance, { launchedAt: 0 });
    const [first] = instances();
    if (first !== undefined) cloud.emulator.cloud.interrupt(first);
    expect(await until('a notice', async () => (await find(id))?.interruptAt)).to.equal(first?.noticeAt);
  });

  it('takes no price for one that is none', async () => {
    const { market } = cloud.emulator.cloud;
    market.set('us-east-1a/m3.medium', NaN);
    expect((await provider.offers()).map(({ price }) => price).every((price) => price >= 0)).to.equal(true);
  });

  it('says why a VM did not come up, until it is given back', async () => {
    await cloud.emulator.setFaults({ bootFailure: true });
    const id = await provider.allocate({ mark: 'broken' });
    const failed = await until('it failed', async () => {
      const vm = await find(id);
      return vm?.state === 'failed' && vm;
    });
    expect(failed.note).to.equal('It ended by itself (The root volume could not be attached.).');
    await provider.release(id);
    await gone(id);
  });

  it('tells a VM who it is by its user data, whatever is in it', async () => {
    const odd = { MMELIOT_SECRET: `it's $HOME "x" \\ \`id\` é`, MMELIOT_EPCIS: '{"a":1}\nEND-OF-ENVIRONMENT\n' };
    await running(await cloud.provider({ environment: odd }).allocate({ mark: 'told' }));
    const [vm] = await provider.list();
    const answer = await fetch(`http://${vm?.address?.host}:${vm?.address?.port}/`);
    const told = { ...odd, MMELIOT_GROUP: 'demo', MMELIOT_LISTEN: '[::]:8080' };
    expect(await answer.json()).to.deep.include(told);
  });

  it('tells a VM its role, where the group has roles, and what is for it alone', async () => {
    const environment = { MMELIOT_NODE: 'of this one' };
    await running(await cloud.provider().allocate({ mark: 'work-1', role: 'work', environment }));
    const [vm] = await provider.list();
    const answer = await fetch(`http://${vm?.address?.host}:${vm?.address?.port}/`);
    expect(await answer.json()).to.deep.include({ MMELIOT_ROLE: 'work', ...environment });
  });

  it('refuses user data that AWS would not take', () => {
    expect(() => cloud.provider({ setup: '#'.repeat(16_384) })).to.throw(/AWS allows 16384: let ec2.setup fetch/);
  });

  for (const [what, options, words] of [
    ['the template', { template: 'other' }, 'Check ec2.template and ec2.region.'],
    ['a subnet', { subnets: ['subnet-0fffffffffffffff1'] }, 'Check ec2.subnets and ec2.region.'],
    ['one of its types', { types: ['m3.medium', 'm3.huge'] }, 'Check ec2.types and ec2.region: '],
  ] as const)
    it(`says so where ${what} is not there`, async () => {
      const error = await refused(cloud.provider(options).allocate({ mark: 'x' }));
      expect(error.message).to.include(words);
      expect(error.code).to.equal('PROVIDER_REFUSED');
    });

  it('has no room, and says what to set, for a type that the image is not for: the mix asks for another one', async () => {
    const arm = cloud.provider({ types: ['t4g.medium'] });
    const error = await refused(arm.allocate({ mark: 'x' }));
    expect(error.code).to.equal('NO_CAPACITY');
    expect(error.message).to.match(/^Set fleet.architecture to that of the launch template's image, /);
    expect(await arm.list()).to.deep.equal([]);
  });

  it('says what an account needs that has never had a spot instance', async () => {
    await cloud.emulator.setFaults({ noSpotRole: true });
    const error = await refused(provider.allocate({ mark: 'x', offer: await spot() }));
    expect(error.message).to.match(/^The account has never had a spot instance: aws iam create-service-linked-role /);
    expect(error.code, 'another pool, or on demand, is asked').to.equal('NO_CAPACITY');
    await provider.allocate({ mark: 'x' });
  });

  it('says nothing of a spot pool where the login is wrong or has expired', async () => {
    const offer = await spot();
    for (const fault of ['loginExpired', 'authLost'] as const) {
      await cloud.emulator.setFaults({ [fault]: true });
      expect((await refused(provider.allocate({ mark: 'x', offer }))).code).to.equal('PROVIDER_REFUSED');
      await cloud.emulator.setFaults({ [fault]: false });
    }
    await provider.allocate({ mark: 'x', offer });
    expect(instances().map(({ spot: request }) => request !== undefined)).to.deep.equal([true]);
  });

  it('says so where the login is wrong, and shows no secret', async () => {
    logIn({ ...KEY, secretAccessKey: 'wrong' });
    const error = await refused(cloud.provider().list());
    logIn(KEY);
    expect(error.message)
      .to.match(/^AWS refuses the login: check the access key/)
      .and.not.include('wrong');
    expect(error.code).to.equal('PROVIDER_REFUSED');
  });

  it('says so where temporary credentials have run out, and goes on when others are there', async () => {
    await cloud.emulator.setFaults({ loginExpired: true });
    const error = await refused(provider.list());
    expect(error.message).to.match(/^AWS takes the login or the request for expired: renew temporary credentials/);
    expect(error.code).to.equal('PROVIDER_REFUSED');
    await cloud.emulator.setFaults({ loginExpired: false });
    expect(await provider.list()).to.deep.equal([]);
  });

  it('says so where it is throttled for long', async () => {
    await cloud.emulator.setFaults({ callsPerSecond: 0.01 });
    const error = await refused(provider.list());
    expect(error.message).to.equal(
      'AWS takes no more calls just now, and is asked again. (DescribeInstances: Request limit exceeded.)',
    );
    expect(error.code).to.equal('PROVIDER_FAILED');
  });

  for (const [hours, where] of [
    [3, 'behind'],
    [-3, 'ahead of'],
  ] as const)
    it(`works with a clock that is hours ${where} AWS's`, async () => {
      await cloud.emulator.setFaults({ clockMs: hours * 3_600_000 });
      expect(await provider.list()).to.deep.equal([]);
      expect(cloud.calls, 'the first request was refused before its action was looked at').to.have.length(1);
    });

  it('asks no more once it is closed, also not again', async () => {
    await cloud.emulator.setFaults({ hang: true });
    const hanging = cloud.provider({ timeoutMs: 60_000 });
    const list = refused(hanging.list());
    await hanging.close();
    expect((await list).message).to.match(/^EC2, DescribeInstances: .*abort/i);
    await cloud.emulator.setFaults({ hang: false });
  });

  it('says so where EC2 is away, answers half, or hangs', async () => {
    await cloud.emulator.setFaults({ away: true });
    const away = await refused(provider.list());
    expect(away.message).to.match(/^EC2 can't be reached \(DescribeInstances: /);
    await cloud.emulator.setFaults({ away: false, truncated: true });
    expect((await refused(provider.list())).code).to.equal('PROVIDER_FAILED');
    await cloud.emulator.setFaults({ truncated: false, hang: true });
    const hanging = cloud.provider({ timeoutMs: 50 });
    for (const work of [() => hanging.list(), () => hanging.offers(), () => hanging.allocate({ mark: 'a' })])
      expect((await refused(work())).message).to.match(/^EC2 can't be reached \(Describe\w+: /);
    await cloud.emulator.setFaults({ hang: false });
    expect(await provider.list()).to.deep.equal([]);
  });
});
