// A cloud in memory, honest by default, that can be told to fail, hang, lie and refuse.
import { onlyOffer, type AllocationRequest, type ProvidedVm, type Provider } from '../../src/act/provider.ts';
import { lookedAt, offersOf, sell, type ToyMarket } from '../../src/act/toy-market.ts';
import { MmeliotError } from '../../src/errors.ts';
import type { Millis, Offer } from '../../src/model.ts';

export type Mood =
  'works' | 'errors' | 'hangs' | 'full' | 'refuses' | 'says yes and does nothing' | 'errors but does it';

export class FakeProvider implements Provider {
  readonly name = 'fake';
  readonly vms = new Map<string, ProvidedVm>();
  readonly calls: string[] = [];
  /** VMs that were made, by mark: more than one for a mark would be a double allocation. */
  made: string[] = [];
  bootMs = 0;
  lookEvery = 1_000;
  market: ToyMarket = { offers: [onlyOffer('fake')] };
  moods: { list: Mood; allocate: Mood; release: Mood } = { list: 'works', allocate: 'works', release: 'works' };
  readonly #now: () => Millis;
  #counter = 0;
  #addresses = 0;
  /** VMs that nobody was told of: their allocation ended with an error, and no list has named them since. */
  readonly #unseen = new Set<string>();

  constructor(now: () => Millis) {
    this.#now = now;
  }

  async list(): Promise<readonly ProvidedVm[]> {
    await act(this.moods.list);
    this.#unseen.clear();
    return [...this.vms.values()].map((known) => {
      const vm =
        known.offer === undefined ? known : { ...known, ...lookedAt(this.market, { ...known, offer: known.offer }) };
      const running = vm.state === 'pending' && this.#now() - vm.createdAt >= this.bootMs;
      return running ? { ...vm, state: 'running' } : vm;
    });
  }

  offers(): Promise<readonly Offer[]> {
    return Promise.resolve(offersOf(this.market));
  }

  async allocate(request: AllocationRequest): Promise<string> {
    const { mark } = request;
    this.calls.push(`allocate ${mark}`);
    const mood = this.moods.allocate;
    if (mood === 'says yes and does nothing') return `lie-${++this.#counter}`;
    if (mood !== 'errors but does it') await act(mood);
    const known = [...this.vms.values()].find((vm) => vm.mark === mark);
    const id = known?.id ?? `vm-${++this.#counter}`;
    if (known === undefined) {
      const there = [...this.vms.values()].flatMap(({ id, offer }) => (offer === undefined ? [] : [{ id, offer }]));
      const offer = sell(this.market, request, there);
      this.made.push(mark);
      this.vms.set(id, { ...this.#vm(id, mark), offer });
    }
    if (mood === 'errors but does it') {
      if (known === undefined) this.#unseen.add(id);
      await act('errors');
    }
    return id;
  }

  async release(id: string): Promise<void> {
    this.calls.push(`release ${id}`);
    if (this.moods.release === 'says yes and does nothing') return;
    await act(this.moods.release);
    this.vms.delete(id);
  }

  /** A VM that appears without being asked for. */
  appear(id: string, vm: Partial<ProvidedVm> = {}): void {
    this.vms.set(id, { ...this.#vm(id), state: 'running', ...vm });
  }

  /** A VM that goes by itself. Where nobody knew of it, the same mark may well be asked for again. */
  vanish(id: string): void {
    const mark = this.vms.get(id)?.mark;
    this.vms.delete(id);
    if (this.#unseen.delete(id)) this.made = this.made.filter((one) => one !== mark);
  }

  change(id: string, change: Partial<ProvidedVm>): void {
    const vm = this.vms.get(id);
    if (vm !== undefined) this.vms.set(id, { ...vm, ...change });
  }

  #vm(id: string, mark?: string): ProvidedVm {
    const address = { host: '127.0.0.1', port: 10_000 + this.#addresses++ };
    return { id, state: 'pending', address, createdAt: this.#now(), ...(mark === undefined ? {} : { mark }) };
  }
}

async function act(mood: Mood): Promise<void> {
  if (mood === 'errors') throw new MmeliotError('PROVIDER_FAILED', 'The cloud is on fire.');
  if (mood === 'full') throw new MmeliotError('NO_CAPACITY', 'No host has room.');
  if (mood === 'refuses') throw new MmeliotError('PROVIDER_REFUSED', 'The template has no CPU.');
  if (mood === 'hangs') await new Promise(() => undefined);
}
