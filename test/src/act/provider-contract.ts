// What every provider promises (src/act/provider.ts), as one suite: the local one, OpenNebula's and the simulated one
// run it against their own kind of cloud.
import { expect } from 'chai';
import type { Offer } from '../../../src/model.ts';
import type { ProvidedVm, Provider } from '../../../src/act/provider.ts';
import { until } from '../../helpers/until.ts';

export interface ProviderUnderTest {
  readonly provider: Provider;
  /** A second manager on the same cloud and group, after the first one's death; it finds what the first allocated. */
  readonly successor?: () => Promise<Provider>;
  /** The provider's idea of now, where it is not the machine's. */
  readonly now?: () => number;
  /** True: a running VM gets a monitoring reading within seconds. The port makes readings optional. */
  readonly monitors?: boolean;
  /** How the test moves the cloud's market: it has at least two pools of interruptible VMs. */
  readonly market?: MarketUnderTest;
  /** Ends everything the provider started. */
  readonly stop: () => Promise<void>;
}

export interface MarketUnderTest {
  /** The pool has no room for another one. */
  fill(offer: Offer): Promise<void>;
  setPrice(offer: Offer, price: number): Promise<void>;
  /** The VM will be taken then; undefined: the notice is withdrawn. */
  giveNotice(vm: string, at: number | undefined): Promise<void>;
  /** Without notice. */
  take(vm: string): Promise<void>;
}

/** `makeProvider` opens an empty cloud; each test gets its own. A cloud with a market promises more. */
export function providerContract(
  name: string,
  makeProvider: () => Promise<ProviderUnderTest>,
  { hasMarket = false } = {},
): void {
  describe(`provider contract: ${name}`, function () {
    this.timeout(60_000);
    let under: ProviderUnderTest;
    let provider: Provider;

    beforeEach(async () => {
      under = await makeProvider();
      provider = under.provider;
    });
    afterEach(() => under.stop());

    const now = (): number => under.now?.() ?? Date.now();
    const HOUR = 3_600_000; // a cloud's clock may be off, but not by that
    const find = async (id: string): Promise<ProvidedVm | undefined> =>
      (await provider.list()).find((vm) => vm.id === id);
    const running = (id: string): Promise<ProvidedVm> =>
      until(`VM ${id} runs`, async () => {
        const vm = await find(id);
        return vm?.state === 'running' ? vm : undefined;
      });
    const gone = (id: string): Promise<true> => until(`VM ${id} is gone`, async () => (await find(id)) === undefined);

    it('starts with no VM', async () => {
      expect(await provider.list()).to.deep.equal([]);
    });

    it('lists an allocated VM at once, with its mark and its time', async () => {
      const id = await provider.allocate({ mark: 'first' });
      const vm = await find(id);
      expect(vm).to.include({ id, mark: 'first' });
      expect(vm?.state).to.be.oneOf(['pending', 'running']);
      expect(vm?.createdAt).to.be.within(now() - HOUR, now() + HOUR);
    });

    it('brings a VM up, and a running VM has an address', async () => {
      const vm = await running(await provider.allocate({ mark: 'up' }));
      expect(vm.address?.host).to.be.a('string').and.not.equal('');
      expect(vm.address?.port).to.be.within(1, 65_535);
    });

    it('keeps id, mark, address and time of a VM from one list to the next', async () => {
      const before = await running(await provider.allocate({ mark: 'same' }));
      const after = await find(before.id);
      for (const key of ['id', 'mark', 'createdAt'] as const) expect(after?.[key]).to.equal(before[key]);
      expect(after?.address).to.deep.equal(before.address);
    });

    it('never makes a second VM for the same mark', async () => {
      const id = await provider.allocate({ mark: 'once' });
      expect(await provider.allocate({ mark: 'once' })).to.equal(id);
      await running(id);
      expect(await provider.allocate({ mark: 'once' })).to.equal(id);
      expect(await provider.list()).to.have.length(1);
    });

    it('never makes a second VM for the same mark asked twice at once', async () => {
      const [a, b] = await Promise.all([provider.allocate({ mark: 'twin' }), provider.allocate({ mark: 'twin' })]);
      expect(a).to.equal(b);
      expect(await provider.list()).to.have.length(1);
    });

    it('makes different VMs, at different addresses, for different marks', async () => {
      const ids = await Promise.all(['a', 'b', 'c'].map((mark) => provider.allocate({ mark })));
      expect(new Set(ids).size).to.equal(3);
      const vms = await Promise.all(ids.map(running));
      expect(vms.map((vm) => vm.mark)).to.deep.equal(['a', 'b', 'c']);
      expect(new Set(vms.map((vm) => `${vm.address?.host}:${vm.address?.port}`)).size).to.equal(3);
    });

    it('releases a running VM and leaves the others alone', async () => {
      const [leaves, stays] = await Promise.all(['leaves', 'stays'].map((mark) => provider.allocate({ mark })));
      await running(leaves ?? '');
      await running(stays ?? '');
      await provider.release(leaves ?? '');
      await gone(leaves ?? '');
      expect((await provider.list()).map((vm) => [vm.id, vm.state])).to.deep.equal([[stays, 'running']]);
    });

    it('shows a VM whose release was accepted as releasing or not at all, never as running', async () => {
      const id = await provider.allocate({ mark: 'leaving' });
      await running(id);
      await provider.release(id);
      expect((await find(id))?.state ?? 'gone').to.be.oneOf(['releasing', 'gone']);
      await gone(id);
    });

    it('releases a VM that has only just been allocated', async () => {
      const id = await provider.allocate({ mark: 'short' });
      await provider.release(id);
      await gone(id);
    });

    it('takes the release of a VM that is leaving, gone or unknown for no error', async () => {
      const id = await provider.allocate({ mark: 'twice' });
      await running(id);
      await Promise.all([provider.release(id), provider.release(id)]);
      await provider.release(id);
      await gone(id);
      await provider.release(id);
      await provider.release('999999');
      await provider.release('no-such-vm');
    });

    it('allocates anew for a new mark after a release', async () => {
      const first = await provider.allocate({ mark: 'one' });
      await running(first);
      await provider.release(first);
      await gone(first);
      const second = await provider.allocate({ mark: 'two' });
      expect(second).not.to.equal(first);
      await running(second);
    });

    it('lets a successor find, keep and release what the first manager allocated', async function () {
      const id = await provider.allocate({ mark: 'inherited' });
      const before = await running(id);
      provider = under.successor ? await under.successor() : provider;
      expect(await find(id)).to.include({ id, mark: 'inherited', state: 'running', createdAt: before.createdAt });
      expect(await provider.allocate({ mark: 'inherited' })).to.equal(id);
      await provider.release(id);
      await gone(id);
    });

    it('reports its own monitoring, if any, as per cent of the VM, with the time of the reading', async () => {
      const { id } = await running(await provider.allocate({ mark: 'watched' }));
      const reading = async () => (await find(id))?.monitoring;
      const first = under.monitors ? await until(`VM ${id} is monitored`, reading) : await reading();
      if (!under.monitors && first === undefined) return;
      expect(first?.cpu).to.be.within(0, 100);
      expect(first?.at).to.be.within(now() - HOUR, now() + HOUR);
    });

    it('offers at least one size on demand, each offer with an id of its own and a price', async () => {
      const offers = await provider.offers();
      expect(offers.map(({ market }) => market)).to.include('on-demand');
      expect(new Set(offers.map(({ id }) => id)).size).to.equal(offers.length);
      for (const { id, pool, price, size } of offers) {
        expect(id).not.to.equal('');
        expect(pool).not.to.equal('');
        expect(price, id).to.be.at.least(0);
        expect(size.vcpu, id).to.be.greaterThan(0);
      }
    });

    it('gives for each offer a VM that is what was asked for', async () => {
      for (const [i, offer] of (await provider.offers()).slice(0, 3).entries()) {
        const vm = await find(await provider.allocate({ mark: `offer-${i}`, offer }));
        expect(vm?.offer?.id ?? offer.id).to.equal(offer.id);
        expect(vm?.interruptAt).to.equal(undefined);
      }
    });

    if (hasMarket) describe('its market', marketContract);

    function marketContract(): void {
      let market: MarketUnderTest;
      let offers: readonly Offer[];
      const code = (work: Promise<unknown>): Promise<unknown> =>
        work.then(
          () => 'it worked',
          (error: unknown) => (error as { code?: unknown }).code,
        );

      beforeEach(async () => {
        market = under.market ?? expect.fail('the test has no hand on the market');
        offers = (await provider.offers()).filter((offer) => offer.market === 'interruptible');
        expect(new Set(offers.map(({ pool }) => pool)).size).to.be.at.least(2);
      });
      const one = (): Offer => offers[0] as Offer;
      const other = (): Offer => offers.find(({ pool }) => pool !== one().pool) as Offer;

      it('says NO_CAPACITY where a pool has none, makes nothing, and gives from another pool for the same mark', async () => {
        await market.fill(one());
        expect(await code(provider.allocate({ mark: 'full', offer: one() }))).to.equal('NO_CAPACITY');
        expect(await provider.list()).to.deep.equal([]);
        const vm = await find(await provider.allocate({ mark: 'full', offer: other() }));
        expect(vm).to.include({ mark: 'full' });
        expect(vm?.offer?.id).to.equal(other().id);
      });

      it('has the price of now in its offers and its list, and sells nothing above the most that is paid', async () => {
        const { id } = await running(await provider.allocate({ mark: 'priced', offer: one() }));
        const price = one().price * 2;
        await market.setPrice(one(), price);
        const now = async (): Promise<Offer | undefined> => (await provider.offers()).find((o) => o.id === one().id);
        await until('the price is known', async () => (await now())?.price === price);
        await until('the VM has it', async () => (await find(id))?.offer?.price === price);
        const tooDear = { mark: 'dear', offer: one(), maxPrice: price / 1.5 };
        expect(await code(provider.allocate(tooDear))).to.equal('NO_CAPACITY');
      });

      it('tells of a notice, and that it was withdrawn', async () => {
        const { id } = await running(await provider.allocate({ mark: 'noticed', offer: one() }));
        const at = now() + 600_000;
        await market.giveNotice(id, at);
        await until('the notice is told', async () => (await find(id))?.interruptAt === at);
        expect((await find(id))?.state).to.equal('running');
        await market.giveNotice(id, undefined);
        await until('it is withdrawn', async () => (await find(id))?.interruptAt === undefined);
        expect((await find(id))?.state).to.equal('running');
      });

      it('shows a VM that was taken without notice as failed, leaving or not at all', async () => {
        const { id } = await running(await provider.allocate({ mark: 'taken', offer: one() }));
        await market.take(id);
        await until('it runs no more', async () => (await find(id))?.state !== 'running');
        await provider.release(id);
        await gone(id);
      });
    }
  });
}
