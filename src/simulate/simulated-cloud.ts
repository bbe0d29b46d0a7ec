// A cloud on virtual time: VMs boot for a while, and may fail while they boot or later.
import { onlyOffer, type AllocationRequest, type ProvidedVm, type Provider } from '../act/provider.ts';
import { lookedAt, offersOf, sell, type ToyMarket, type ToyVm } from '../act/toy-market.ts';
import type { Millis, Offer } from '../model.ts';
import type { Chance } from './chance.ts';

export interface CloudSettings {
  /** From asking for a VM until it answers its readiness check. */
  readonly bootMs: Millis;
  /** Boot times are even in bootMs × (1 ± bootSpread). */
  readonly bootSpread: number;
  /** Share of VMs that fail while they boot. */
  readonly bootFailures: number;
  /** Mean time until a running VM crashes; Infinity: never. */
  readonly meanLifeMs: Millis;
  /** From the release of a VM until it is gone. */
  readonly releaseMs: Millis;
}

const NO_MARKET: ToyMarket = { offers: [onlyOffer('simulated')] };

interface CloudVm {
  readonly id: string;
  readonly mark: string;
  readonly createdAt: Millis;
  readonly readyAt: Millis;
  failsAt: Millis;
  readonly offer: Offer;
  readonly maxPrice?: number;
  crashed: boolean;
  /** Infinity: not released. */
  goneAt: Millis;
}

export class SimulatedCloud implements Provider {
  readonly name = 'simulated';
  readonly #settings: CloudSettings;
  readonly #chance: Chance;
  readonly #now: () => Millis;
  readonly #vms = new Map<string, CloudVm>();
  readonly #byMark = new Map<string, string>();
  #count = 0;
  #leaving = 0;
  #nextFailure: Millis = Infinity;
  #market = NO_MARKET;

  constructor(settings: CloudSettings, chance: Chance, now: () => Millis) {
    this.#settings = settings;
    this.#chance = chance;
    this.#now = now;
  }

  /** What is on offer from now on, and what will be taken. */
  set market(market: ToyMarket) {
    this.#market = market;
    this.#nextFailure = Math.min(this.#nextFailure, ...Object.values(market.notices ?? {}));
  }

  /** VMs that exist: what is paid for. */
  get size(): number {
    this.#forgetGone();
    return this.#vms.size;
  }

  /** Those that the market may take. */
  get interruptible(): readonly ToyVm[] {
    return [...this.#vms.values()].filter(({ offer, crashed }) => offer.market === 'interruptible' && !crashed);
  }

  /** What all of them cost an hour, now: nobody pays more than he said, also while he is about to be taken for it. */
  get rate(): number {
    let rate = 0;
    for (const vm of this.#vms.values())
      rate += Math.min(lookedAt(this.#market, vm).offer.price, vm.maxPrice ?? Infinity);
    return rate;
  }

  async list(): Promise<readonly ProvidedVm[]> {
    const now = this.#now();
    this.#forgetGone();
    return Array.from(this.#vms.values(), ({ id, mark, createdAt, readyAt, crashed, goneAt, offer }) => ({
      id,
      mark,
      createdAt,
      ...lookedAt(this.#market, { id, offer }),
      address: { host: id, port: 80 },
      state: goneAt < Infinity ? 'releasing' : crashed ? 'failed' : now >= readyAt ? 'running' : 'pending',
    }));
  }

  offers(): Promise<readonly Offer[]> {
    return Promise.resolve(offersOf(this.#market));
  }

  async allocate(request: AllocationRequest): Promise<string> {
    const { mark, maxPrice } = request;
    const known = this.#byMark.get(mark);
    if (known !== undefined) return known;
    const { bootMs, bootSpread, bootFailures, meanLifeMs } = this.#settings;
    const { uniform, exponential } = this.#chance;
    const offer = sell(this.#market, request, this.#vms.values());
    const id = `vm-${++this.#count}`;
    const createdAt = this.#now();
    const readyAt = createdAt + bootMs * (1 + bootSpread * (2 * uniform() - 1));
    const inBoot = uniform() < bootFailures;
    const failsAt = inBoot
      ? createdAt + (readyAt - createdAt) * uniform()
      : readyAt + lifetime(meanLifeMs, exponential);
    this.#vms.set(id, {
      id,
      mark,
      createdAt,
      readyAt,
      failsAt,
      offer,
      ...(maxPrice !== undefined && { maxPrice }),
      crashed: false,
      goneAt: Infinity,
    });
    this.#byMark.set(mark, id);
    this.#nextFailure = Math.min(this.#nextFailure, failsAt);
    return id;
  }

  async release(id: string): Promise<void> {
    const vm = this.#vms.get(id);
    if (vm === undefined || vm.goneAt < Infinity) return;
    vm.goneAt = this.#now() + this.#settings.releaseMs;
    this.#leaving++;
    this.#byMark.delete(vm.mark);
    this.#forgetGone();
  }

  #forgetGone(): void {
    if (this.#leaving === 0) return;
    const now = this.#now();
    for (const { id, goneAt } of this.#vms.values()) {
      if (goneAt > now) continue;
      this.#vms.delete(id);
      this.#leaving--;
    }
  }

  isReady(id: string): boolean {
    const vm = this.#vms.get(id);
    return vm !== undefined && !vm.crashed && vm.goneAt === Infinity && this.#now() >= vm.readyAt;
  }

  /** As a cloud takes a VM away: without a word. */
  take(id: string): void {
    const vm = this.#vms.get(id);
    if (vm !== undefined) vm.failsAt = this.#nextFailure = this.#now();
  }

  /** The VMs that have crashed since the last call. */
  takeCrashed(): readonly string[] {
    const now = this.#now();
    if (now < this.#nextFailure) return [];
    const crashed: string[] = [];
    this.#nextFailure = Infinity;
    for (const vm of this.#vms.values()) {
      if (vm.crashed || vm.goneAt < Infinity) continue;
      const failsAt = Math.min(vm.failsAt, lookedAt(this.#market, vm).interruptAt ?? Infinity);
      if (failsAt > now) this.#nextFailure = Math.min(this.#nextFailure, failsAt);
      else {
        vm.crashed = true;
        crashed.push(vm.id);
      }
    }
    return crashed;
  }
}

const lifetime = (mean: Millis, exponential: (mean: number) => number): Millis =>
  mean === Infinity ? Infinity : exponential(mean);
