// Which VMs HAProxy keeps requests from until a probe succeeds. By itself it takes one out for connections that are refused and
// checks that fail; this adds what the built-in plane sees besides (the list is in src/balance/README.md), out of what HAProxy
// says of its requests and servers.
import type { GatewayDeps } from '../core/contract.ts';
import type { GatewayOptions } from '../core/options.ts';
import { byTls } from '../core/options.ts';
import { APART, ApartSearch, type Trouble, UNAVAILABLE_STATUS } from '../core/shared-trouble.ts';
import { isServing, VmPool, type PoolVm } from '../core/vm-pool.ts';
import { VmConnections } from '../builtin/vm-connections.ts';
import type { Address } from '../../model.ts';
import { backendOf, type ServerStat } from './runtime.ts';
import type { Blame, HaproxyRequest } from './text/log.ts';

interface Seen {
  /** The fewest requests that were seen neither answered nor explained. */
  least: number;
  /** So many were gone for certain when it was looked at last. */
  gone: number;
  /** It answered since the last look. */
  answered: boolean;
  /** HAProxy is being told, and what it says of this VM may be older. */
  telling: boolean;
  /** HAProxy has had it as up: it begins as one that is not checked yet. */
  wasUp: boolean;
  /** It alone lacks what all share: when it was last asked whether it has it again. HAProxy's checks don't see that. */
  apartAskedAt: number | undefined;
}

type Vm = PoolVm<Seen>;

/** What it does. */
export interface Hands {
  /** To HAProxy. */
  readonly command: (text: string) => Promise<string>;
  /** Why a VM is not ready; undefined: it is. */
  readonly probe: (address: Address) => Promise<Trouble | undefined>;
}

const WHY = {
  broken: 'it broke off before its answer had ended',
  nonsense: 'its answer was no HTTP',
} as const;

export class HaproxyHealth {
  readonly #deps: Pick<GatewayDeps, 'now' | 'log'>;
  readonly #hands: Hands;
  readonly #intervalMs: number;
  readonly #pool: VmPool<Seen>;
  readonly #apart: ApartSearch;
  /** Requests that ended without a word at any VM, as HAProxy said at the last look and the one before it. */
  #unanswered: readonly [number, number] | undefined;

  constructor(options: GatewayOptions['health'], deps: Pick<GatewayDeps, 'now' | 'log'>, hands: Hands) {
    this.#deps = deps;
    this.#hands = hands;
    this.#intervalMs = options.intervalMs;
    this.#pool = new VmPool(options);
    this.#apart = new ApartSearch(options.intervalMs, deps.now);
  }

  add(id: string, address: Address): void {
    const seen = {
      least: Infinity,
      gone: -Infinity,
      answered: false,
      telling: false,
      wasUp: false,
      apartAskedAt: undefined,
    };
    this.#pool.add(id, address, seen, 0, this.#deps.now());
  }

  drain(id: string): void {
    const vm = this.#pool.get(id);
    if (vm !== undefined) vm.draining = true;
  }

  delete(id: string): void {
    this.#pool.delete(id);
  }

  /** Another HAProxy counts from 0. */
  startAnew(): void {
    this.#unanswered = [0, 0];
    for (const vm of this.#pool.all()) {
      vm.handle.least = Infinity;
      vm.handle.gone = -Infinity;
      vm.handle.apartAskedAt = undefined;
    }
  }

  /** Why it gets no requests; undefined: it gets some, as far as is known. */
  whyOut(id: string): string | undefined {
    return this.#pool.get(id)?.out;
  }

  /** A request has ended. */
  ended({ vm: id = '', blames, lost, isOfAllVms }: HaproxyRequest): void {
    const vm = this.#pool.get(id);
    if (vm === undefined) return;
    if (isOfAllVms) void this.#tellApart();
    if (blames === 'broken' || blames === 'nonsense') return this.#failed(vm, blames);
    if (lost !== undefined && lost !== 'error-answer' && lost !== 'repository') return;
    vm.handle.answered = true;
    if (this.#pool.answered(vm, 0, blames === 'errors', this.#deps.now())) void this.#tell(vm, 'errors');
  }

  /** What HAProxy says of its servers now. */
  look(stats: readonly ServerStat[]): void {
    const endsSilently = this.#sawSilence(stats);
    for (const stat of stats) {
      const vm = this.#pool.get(stat.name);
      if (vm === undefined || vm.draining || vm.handle.telling) continue;
      const { handle } = vm;
      if (handle.apartAskedAt !== undefined) {
        void this.#askApart(vm);
        continue;
      }
      this.#follow(vm, stat);
      if (stat.isUp && stat.check.endsWith(UNAVAILABLE_STATUS)) void this.#tellApart();
      // Where a VM broke off and it was not the first request of its client's connection, HAProxy says nothing. Of those that
      // are open no more than are in flight can be waiting; e.g. 1 was open at the least, now 3 are and 1 is in flight: one is gone.
      // So, it seems, is one whose client went while the VM was being connected to, but that is none of those that ended without a word.
      const gone = stat.open - stat.inFlight;
      const isGone = endsSilently && gone > handle.least;
      handle.least = isGone ? stat.open : Math.max(handle.gone, Math.min(handle.least, stat.open));
      handle.gone = gone;
      if (isGone) this.#failed(vm, 'broken');
      // busy rather than ill: its checks go unanswered while requests are answered
      else if (stat.isUp && stat.checkIsLate && handle.answered)
        this.#hands.command(`set server vms/${vm.id} health up`).catch(() => {});
      handle.answered = false;
    }
  }

  /** Whether a request ended without a word since the look before the last: one may be in these counts a look later than in a VM's, or before. */
  #sawSilence(stats: readonly ServerStat[]): boolean {
    const { unanswered } = backendOf(stats);
    const [last, before] = (this.#unanswered ??= [unanswered, unanswered]);
    this.#unanswered = [unanswered, last];
    return unanswered > before;
  }

  /** HAProxy takes VMs out and back by itself, too. */
  #follow(vm: Vm, { isUp, check }: ServerStat): void {
    const { now, log } = this.#deps;
    if (isUp && vm.out !== undefined) {
      log.info({ vm: vm.id, was: vm.out }, 'VM answers again');
      this.#pool.takeBack(vm, now());
    } else if (!isUp && vm.handle.wasUp && this.#pool.takeOut(vm, check, now()))
      log.warn({ vm: vm.id, failure: 'broken', why: check }, 'VM gets no requests until its probe succeeds');
    vm.handle.wasUp ||= isUp;
  }

  /** As the built-in plane's HealthCheck does. */
  async #tellApart(): Promise<void> {
    const { now, log } = this.#deps;
    const asked = this.#pool.all().filter(isServing);
    for (const vm of await this.#apart.among(asked, ({ address }) => this.#hands.probe(address))) {
      if (this.#pool.get(vm.id) !== vm || vm.draining || !this.#pool.takeOut(vm, APART, now())) continue;
      log.warn({ vm: vm.id, failure: 'broken', why: APART }, 'VM gets no requests until its probe succeeds');
      vm.handle.apartAskedAt = now();
      this.#giveNothing(vm);
    }
  }

  /** Said again each time it still lacks it: HAProxy may not have heard. */
  #giveNothing({ id }: Vm): void {
    this.#hands.command(`set server vms/${id} weight 0`).catch(() => {});
  }

  /** Whether it has again what it lacked. */
  async #askApart(vm: Vm): Promise<void> {
    const { handle } = vm;
    const { now, log } = this.#deps;
    if (now() - (handle.apartAskedAt ?? 0) < this.#intervalMs) return;
    handle.apartAskedAt = Infinity;
    const trouble = await this.#hands.probe(vm.address);
    // an HAProxy that was started meanwhile knows nothing of it
    if (handle.apartAskedAt !== Infinity) return;
    handle.apartAskedAt = now();
    if (this.#pool.get(vm.id) !== vm) return;
    if (trouble !== undefined) return this.#giveNothing(vm);
    try {
      await this.#hands.command(`set server vms/${vm.id} weight 100%`);
    } catch {
      return; // it would be called ready and get nothing: once more
    }
    log.info({ vm: vm.id, was: vm.out }, 'VM answers again');
    this.#pool.takeBack(vm, now());
    handle.apartAskedAt = undefined;
  }

  #failed(vm: Vm, failure: keyof typeof WHY): void {
    if (!vm.draining && this.#pool.takeOut(vm, WHY[failure], this.#deps.now())) void this.#tell(vm, failure);
  }

  /** HAProxy's own checks let it back; one that failed is probed at once, as it may be the last. */
  async #tell(vm: Vm, failure: Blame): Promise<void> {
    const { id, out: why, handle } = vm;
    this.#deps.log.warn({ vm: id, failure, why }, 'VM gets no requests until its probe succeeds');
    handle.telling = true;
    try {
      await this.#hands.command(`set server vms/${id} health down`);
      if (failure === 'errors' || (await this.#hands.probe(vm.address)) !== undefined) return;
      if (this.#pool.get(id) === vm && !vm.draining) await this.#hands.command(`set server vms/${id} health up`);
    } catch {
      // no HAProxy: the next one asks it anew
    } finally {
      handle.telling = false;
    }
  }
}

/** Over a connection of its own. */
export function vmProbe(options: GatewayOptions, deps: GatewayDeps): Hands['probe'] {
  const { timeouts, health } = options;
  return async (address) => {
    const vm = new VmConnections(address, timeouts, byTls(options, address) ? deps.vmTrust : undefined);
    try {
      return await vm.probe(health.path, health.timeoutMs);
    } finally {
      void vm.destroy();
    }
  };
}
