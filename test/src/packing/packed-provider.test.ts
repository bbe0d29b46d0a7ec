import { expect } from 'chai';
import type { ProvidedVm, Provider } from '../../../src/act/provider.ts';
import { onlyOffer } from '../../../src/act/provider.ts';
import { patience } from '../../../src/packing/consolidation.ts';
import { PackedProvider, type PackedOptions } from '../../../src/packing/packed-provider.ts';
import { MmeliotError } from '../../../src/errors.ts';
import type { NodeDoor, Order } from '../../../src/packing/orders.ts';
import { createChance } from '../../../src/simulate/chance.ts';
import { SimulatedCloud } from '../../../src/simulate/simulated-cloud.ts';
import { FakeProvider } from '../../helpers/fake-provider.ts';
import { answering, memoryStore, PACKED_COSTS, packedOn } from '../../helpers/packed.ts';
import { until } from '../../helpers/until.ts';
import { movedByHand, toyOffer } from '../../helpers/toy-market.ts';
import { providerContract } from '../act/provider-contract.ts';

const [begin, BOOT_MS] = [1_700_000_000_000, 60_000];

providerContract(
  'packed',
  async () => {
    // virtual time that passes a little with every look
    let now = begin;
    const settings = { bootMs: 1, bootSpread: 0.1, bootFailures: 0, meanLifeMs: Infinity, releaseMs: 0 };
    const cloud = new SimulatedCloud(settings, createChance(1), () => now++);
    const { provider, options } = packedOn(cloud, () => now++);
    const node = async (worker: string) => (await provider.list()).find(({ id }) => id === worker)?.node ?? '';
    const hand = movedByHand(
      (next) => (cloud.market = next),
      (id) => {
        cloud.take(id);
        cloud.takeCrashed();
      },
    );
    // what is done to a pool is done to its nodes
    const market = {
      fill: (offer: { pool: string }) => hand.fill(toyOffer(offer.pool, 'interruptible', 1)),
      setPrice: (offer: { pool: string }, price: number) =>
        hand.setPrice(toyOffer(offer.pool, 'interruptible', 1), price),
      giveNotice: async (vm: string, at: number | undefined) => hand.giveNotice(await node(vm), at),
      take: async (vm: string) => hand.take(await node(vm)),
    };
    const successor = () => Promise.resolve(new PackedProvider(options));
    return { provider, successor, now: () => now, market, stop: () => Promise.resolve() };
  },
  { hasMarket: true },
);

describe('packed provider', () => {
  let now: number;
  let inner: FakeProvider;
  let made: ReturnType<typeof packedOn>;
  let provider: Provider;
  const open = (more: Partial<PackedOptions> = {}): void => {
    made = packedOn(inner, () => now, { sizeOf: () => ({ cpu: 0.5, memoryBytes: 0 }), ...more });
    provider = made.provider;
  };

  beforeEach(() => {
    now = begin;
    inner = new FakeProvider(() => now);
    inner.bootMs = BOOT_MS;
    inner.market = { offers: [onlyOffer('machine')] };
    open();
  });

  const pass = async (ms: number): Promise<readonly ProvidedVm[]> => {
    now += ms;
    return provider.list();
  };
  /** The node's boot, then the worker's. */
  const up = async () => {
    await provider.list();
    await pass(BOOT_MS);
    return pass(10);
  };
  const where = async (): Promise<Record<string, string | undefined>> =>
    Object.fromEntries((await provider.list()).map(({ mark = '', node }) => [mark, node] as const));

  it('asks for a node only when none has room, and says of a worker where it is', async () => {
    await provider.allocate({ mark: 'a' });
    expect(await provider.list()).to.have.length(1);
    expect((await provider.list())[0]).to.include({ state: 'pending', waiting: true, node: 'vm-1' });
    await Promise.all(['b', 'c'].map((mark) => provider.allocate({ mark })));
    expect(await where()).to.deep.equal({ a: 'vm-1', b: 'vm-1', c: 'vm-2' });
    expect(inner.made).to.have.length(2);
    expect((await up()).map(({ state }) => state)).to.deep.equal(['running', 'running', 'running']);
    const ports = (await provider.list()).map(({ address }) => address?.port);
    expect(new Set(ports).size).to.equal(3);
  });

  it('goes on after a restart with what it had ordered, waiting or running', async () => {
    await provider.allocate({ mark: 'a' });
    await up();
    await Promise.all(['b', 'c'].map((mark) => provider.allocate({ mark })));
    const before = await where();
    provider = new PackedProvider(made.options);
    expect(await where()).to.deep.equal(before);
    expect((await up()).map(({ state }) => state)).to.deep.equal(['running', 'running', 'running']);
    expect(inner.made).to.have.length(2);
  });

  it('asks after a restart for the node that it was killed over before it had asked for it', async () => {
    const allocate = inner.allocate.bind(inner);
    inner.allocate = () => new Promise(() => {}); // killed
    void provider.allocate({ mark: 'a' });
    await until('it is kept', async () => (await made.options.store.load())?.workers.has('a'));
    inner.allocate = allocate;
    provider = new PackedProvider(made.options);
    await up();
    expect((await pass(10)).map(({ mark, state }) => [mark, state])).to.deep.equal([['a', 'running']]);
    expect(inner.made).to.have.length(1);
  });

  it('takes in what its nodes report where all that was kept is lost, with a key of its own again', async () => {
    await Promise.all(['a', 'b'].map((mark) => provider.allocate({ mark })));
    const before = (await up()).map(({ id, mark, node, state, address }) => ({ id, mark, node, state, address }));
    const keys: Order[] = [];
    const door = answering((node, order) => (keys.push(order), made.nodes.ask(node, order)));
    provider = new PackedProvider({ ...made.options, door, store: memoryStore() });
    expect(
      (await provider.list()).map(({ id, mark, node, state, address }) => ({ id, mark, node, state, address })),
    ).to.eql(before);
    expect(keys.filter(({ what }) => what === 'rekey').map((order) => 'mark' in order && order.mark)).to.eql([
      'a',
      'b',
    ]);
    await provider.list();
    expect(keys.filter(({ what }) => what === 'rekey')).to.have.length(2);
  });

  it('keeps a node that nobody knows of any more until it has said what it carries', async () => {
    await Promise.all(['a', 'b'].map((mark) => provider.allocate({ mark })));
    await up();
    let isSilent = true;
    const door = answering((node, order) =>
      isSilent ? Promise.reject(new Error('hangs')) : made.nodes.ask(node, order),
    );
    provider = new PackedProvider({ ...made.options, door, store: memoryStore() });
    for (let i = 0; i < 3; i++) await pass(60_000);
    expect([...inner.vms.keys()]).to.deep.equal(['vm-1']);
    isSilent = false;
    await pass(1_000);
    expect((await provider.list()).map(({ mark, state }) => [mark, state])).to.deep.equal([
      ['a', 'running'],
      ['b', 'running'],
    ]);
  });

  it('fails the workers of a node that is lost, has failed or never comes up, and gives that back', async () => {
    await Promise.all(['a', 'b', 'c'].map((mark) => provider.allocate({ mark })));
    await up();
    inner.vms.delete('vm-1');
    expect((await pass(1_000)).map(({ mark, state, note }) => [mark, state, note])).to.deep.equal([
      ['a', 'failed', 'its node vm-1 is gone'],
      ['b', 'failed', 'its node vm-1 is gone'],
      ['c', 'running', undefined],
    ]);
    for (const { id } of await provider.list()) await provider.release(id);
    await pass(1_000);
    expect(await pass(61_000)).to.deep.equal([]);
    await pass(1_000);
    expect([...inner.vms.keys()]).to.deep.equal([]);

    inner.bootMs = Infinity;
    await Promise.all(['d', 'e', 'f'].map((mark) => provider.allocate({ mark })));
    expect(new Set((await pass(300_000)).map(({ state }) => state))).to.deep.equal(new Set(['pending']));
    const [late] = await pass(1_000);
    expect(late).to.include({ state: 'failed' });
    expect(late?.note).to.contain('did not answer within 300 s');
    expect(inner.calls.filter((call) => call.startsWith('release'))).not.to.deep.equal([]);
  });

  it('has its door forget a node that is gone', async () => {
    const forgotten: string[] = [];
    const door: NodeDoor = {
      ask: (node, order) => made.nodes.ask(node, order),
      forget: (mark) => void forgotten.push(mark),
    };
    open({ door });
    const id = await provider.allocate({ mark: 'a' });
    await up();
    await provider.release(id);
    for (let looks = 0; (await inner.list()).length > 0; looks++) {
      expect(forgotten).to.deep.equal([]);
      expect(looks).to.be.lessThan(100);
      await pass(60_000);
    }
    await pass(1_000);
    await pass(1_000);
    expect(forgotten).to.deep.equal(inner.made);
  });

  it('starts nothing twice when an order is answered twice, or its answer is lost', async () => {
    let lost = 0;
    const door = answering(async (node, order) => {
      const report = await made.nodes.ask(node, order);
      if (order.what !== 'start' || ++lost > 2) return report;
      throw new Error('The answer is lost.');
    });
    open({ door });
    const nodes = made.nodes;
    await provider.allocate({ mark: 'a' });
    await up();
    await pass(10);
    expect((await provider.list()).map(({ state }) => state)).to.deep.equal(['running']);
    expect(nodes.lose([...made.provider.state.nodes.keys()][0] ?? '')).to.have.length(1);
  });

  it('puts nobody on a node that is silent, and lets those serve that are there', async () => {
    let silent = false;
    const door = answering((node, order) =>
      silent ? Promise.reject(new Error('hangs')) : made.nodes.ask(node, order),
    );
    open({ door });
    await provider.allocate({ mark: 'a' });
    await up();
    silent = true;
    expect((await pass(1_000)).map(({ state }) => state)).to.deep.equal(['running']);
    await provider.allocate({ mark: 'b' });
    expect(new Set(Object.values(await where())).size).to.equal(2);
    await pass(600_000);
    expect(inner.vms.has('vm-1')).to.equal(true);
    await provider.release((await provider.list()).find(({ mark }) => mark === 'a')?.id ?? '');
    await pass(600_000);
    expect(inner.vms.has('vm-1')).to.equal(false);
  });

  it('fails a worker that its node cannot start, with the reason, and puts others elsewhere until a minute has passed', async () => {
    let isFull = false;
    const refusal = new MmeliotError('PROVIDER_FAILED', 'its disk is full.');
    const door = answering((node, order) =>
      isFull && order.what === 'start' ? Promise.reject(refusal) : made.nodes.ask(node, order),
    );
    open({ door, costs: () => ({ ...PACKED_COSTS, moves: false }) });
    const told = () => Array.from(made.provider.state.nodes.values(), (node) => made.provider.trouble(node));
    await provider.allocate({ mark: 'a' });
    await up();
    isFull = true;
    await provider.allocate({ mark: 'b' });
    await provider.list();
    const failed = (await provider.list()).find(({ mark }) => mark === 'b');
    expect(failed).to.include({ state: 'failed', note: 'its node vm-1 could not start it: its disk is full.' });
    expect(told()).to.deep.equal(['could not start a VM: its disk is full.']);
    await provider.release(failed?.id ?? '');
    isFull = false;
    await provider.allocate({ mark: 'c' });
    await pass(1_000);
    expect(await where()).to.deep.equal({ a: 'vm-1', c: 'vm-2' });
    await pass(61_000);
    expect(told()).to.deep.equal([undefined, undefined]);
    await provider.allocate({ mark: 'd' });
    await pass(1_000);
    expect(await where()).to.deep.equal({ a: 'vm-1', c: 'vm-2', d: 'vm-1' });
  });

  it('says why a node that answers is of no use: with its workers that wait, and when it is given back', async () => {
    const refusal = new MmeliotError('PROVIDER_REFUSED', 'compare the clocks.');
    open({ door: answering(() => Promise.reject(refusal)) });
    await provider.allocate({ mark: 'a' });
    await provider.list();
    expect((await pass(BOOT_MS))[0]).to.include({ state: 'pending', note: 'compare the clocks.' });
    const told = () => Array.from(made.provider.state.nodes.values(), (node) => made.provider.trouble(node));
    expect(told()).to.deep.equal(['compare the clocks.']);
    const [late] = await pass(300_000);
    expect(late).to.include({
      state: 'failed',
      note: 'its node vm-1 did not answer within 300 s: compare the clocks.',
    });
    // of one that boots it is nothing to say that it does not answer yet
    open({ door: answering(() => Promise.reject(new Error('connect ECONNREFUSED'))) });
    await provider.allocate({ mark: 'b' });
    await provider.list();
    await pass(BOOT_MS);
    expect(told()).to.deep.equal([undefined]);
  });

  it('makes no second node where the answer to the first order was lost, and none where there is no capacity', async () => {
    inner.moods.allocate = 'errors but does it';
    const failed = await provider.allocate({ mark: 'a' }).then(
      () => 'no',
      () => 'yes',
    );
    inner.moods.allocate = 'works';
    await pass(1_000); // that node is there, and nobody on it
    await provider.allocate({ mark: 'a' });
    expect([failed, inner.made.length]).to.deep.equal(['yes', 1]);
    inner.moods.allocate = 'full';
    await Promise.all(['b', 'c'].map((mark) => provider.allocate({ mark }).catch(() => undefined)));
    expect(Object.keys(await where())).to.deep.equal(['a', 'b']);
  });

  it('says what is wrong where no node carries such a worker', async () => {
    open({ sizeOf: () => ({ cpu: 2, memoryBytes: 0 }) });
    const error = await provider.allocate({ mark: 'a' }).catch((e: unknown) => e as Error & { code?: string });
    expect(error).to.include({ code: 'PROVIDER_REFUSED' });
    expect(await provider.list()).to.deep.equal([]);
    expect(inner.made).to.deep.equal([]);
  });

  it('leaves VMs from before there was packing as they are', async () => {
    await inner.allocate({ mark: 'old' });
    await provider.allocate({ mark: 'new' });
    expect((await provider.list()).map(({ id, node }) => [id, node])).to.deep.equal([
      ['vm-1', undefined],
      ['w-new', 'vm-2'],
    ]);
    await provider.release('vm-1');
    expect(Object.keys(await where())).to.deep.equal(['new']);
  });

  it('drains the emptiest node when that has cost its part of what a move does, asks for others in place, and gives it back', async () => {
    await Promise.all(['a', 'b', 'c'].map((mark) => provider.allocate({ mark })));
    await up();
    const id = (mark: string) => made.provider.state.workers.get(mark)?.id ?? '';
    await provider.release(id('a'));
    await pass(1_000); // b and c would fit on one node from now on
    const part = Math.min(...[...made.provider.state.nodes.keys()].map(patience));
    await pass(61_000 * part);
    expect(made.moved).to.deep.equal([]);
    await pass(3_000 * part);
    const [mark, other] = made.moved[0] === id('b') ? ['b', 'c'] : ['c', 'b'];
    expect(made.moved).to.deep.equal([id(mark)]);
    await provider.allocate({ mark: 'd' });
    await pass(1_000);
    const { [other]: stays = '', ...rest } = await where();
    expect(rest).to.deep.equal({ [mark]: mark === 'b' ? 'vm-1' : 'vm-2', d: stays });
    await provider.release(id(mark));
    await pass(1_000);
    await pass(1_000);
    expect([...inner.vms.keys()]).to.deep.equal([stays]);
  });

  it('drains nobody and gives nothing back while nothing is decided, and not for ever where somebody stays', async () => {
    let isHeld = true;
    open({ isHeld: () => isHeld });
    await Promise.all(['a', 'b', 'c'].map((mark) => provider.allocate({ mark })));
    await up();
    const id = (mark: string) => made.provider.state.workers.get(mark)?.id ?? '';
    await provider.release(id('a'));
    for (let i = 0; i < 4; i++) await pass(60_000);
    expect([made.moved, inner.vms.size, made.provider.why]).to.deep.equal([
      [],
      2,
      'The nodes stay as they are while nothing is decided.',
    ]);
    isHeld = false;
    const draining = () => [...made.provider.state.nodes.values()].some((node) => node.draining !== undefined);
    await pass(1_000);
    await pass(70_000);
    const [moved = ''] = made.moved;
    expect([made.moved, draining()]).to.deep.equal([[moved], true]);
    expect(moved).to.be.oneOf([id('b'), id('c')]);
    await pass(601_000); // then another may be tried
    expect(made.moved.filter((worker) => worker === moved)).to.deep.equal([moved]);
    await provider.release(moved);
    for (let i = 0; i < 12; i++) await pass(70_000); // that one stays as well
    expect(inner.vms.size).to.equal(1);
  });

  it('goes on with the same node, and asks for its move again, where the manager restarts while it is drained', async () => {
    await Promise.all(['a', 'b', 'c'].map((mark) => provider.allocate({ mark })));
    await up();
    await provider.release(made.provider.state.workers.get('a')?.id ?? '');
    await pass(1_000);
    await pass(64_000);
    const [moved = ''] = made.moved;
    const drained = [...made.provider.state.nodes.values()].find(({ draining }) => draining !== undefined);
    expect([made.moved.length, drained === undefined]).to.deep.equal([1, false]);
    provider = new PackedProvider(made.options);
    for (let i = 0; i < 3; i++) await pass(70_000);
    expect(new Set(made.moved), 'of no second node').to.deep.equal(new Set([moved]));
    expect(made.moved.length).to.be.greaterThan(1);
    await provider.release(moved);
    await pass(1_000);
    await pass(1_000);
    expect([...inner.vms.keys()]).not.to.include(drained?.id);
    expect(inner.vms.size).to.equal(1);
  });

  it('drains no more when the room is needed after all', async () => {
    await Promise.all(['a', 'b', 'c'].map((mark) => provider.allocate({ mark })));
    await up();
    await provider.release(made.provider.state.workers.get('a')?.id ?? '');
    await pass(1_000);
    await pass(64_000);
    expect([...made.provider.state.nodes.values()].some(({ draining }) => draining !== undefined)).to.equal(true);
    await Promise.all(['d', 'e'].map((mark) => provider.allocate({ mark })));
    expect([...made.provider.state.nodes.values()].some(({ draining }) => draining !== undefined)).to.equal(false);
    expect(inner.made).to.have.length(2);
  });
});
