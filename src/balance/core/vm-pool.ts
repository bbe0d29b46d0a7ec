// What the gateway knows of its VMs, and the one predicate that says whether a VM can take a request.
import type { Address, Millis } from '../../model.ts';

export interface PoolOptions {
  /** A VM that is new or was out gets its full share only after this long. */
  readonly slowStartMs: number;
  /** 5xx answers are counted over this long ... */
  readonly errorWindowMs: number;
  /** ... and take a VM out when there are at least this many ... */
  readonly errorsAtLeast: number;
  /** ... making up this share of its answers (0 to 1). */
  readonly errorShare: number;
}

/** One VM. `H` is what the data path reaches it by. */
export interface PoolVm<H> {
  readonly id: string;
  readonly address: Address;
  readonly handle: H;
  draining: boolean;
  /** Why it takes no requests although it should; undefined: it is well. */
  out: string | undefined;
  /** Since when it is in or out. */
  since: Millis;
  /** Requests at it now, and how many it takes at once. */
  inFlight: number;
  limit: number;
  /** So many of them it works on; the others wait in it. */
  worksOn: number;
  /** What a request takes there by itself, as far as that was found; else 0. */
  ownMs: number;
  /** Requests at it by class: its places in the fields of `inFlight`. */
  readonly byClass: number[];
  /** Those of them whose bodies went there as they came. */
  uploads: number;
  /** Requests at it that wait for their clients, to send or to take: they are not counted above. */
  resting: number;
  /** Upgraded connections, each by what cuts it: at the VM, but in no request's way. */
  readonly tunnels: Set<() => void>;
  /** Response time in ms that jumps to each peak and decays (peak EWMA); 0: nothing measured. */
  peak: number;
  peakAt: Millis;
  /** That of its last answer. */
  lastMs: number;
  /** Load in per cent as the manager last reported it. */
  load: number | undefined;
  lastAnswerAt: Millis;
  /** Its last answer, a probe's included. */
  lastSignAt: Millis;
  errors: number;
  answers: number;
  windowSince: Millis;
  /** Called when a draining VM has nothing left to do. */
  onEmpty: (() => void) | undefined;
}

/** THE predicate: whether this VM can take one more request. */
export function canTake(vm: PoolVm<unknown>): boolean {
  return isServing(vm) && vm.inFlight < vm.limit;
}

/** Whether requests may go to this VM at all, now or when it has room. */
export function isServing(vm: PoolVm<unknown>): boolean {
  return !vm.draining && vm.out === undefined;
}

/** Whether nothing is at this VM any more. */
export function isEmpty(vm: PoolVm<unknown>): boolean {
  return vm.inFlight + vm.resting + vm.tunnels.size === 0;
}

/** A VM's name goes into header fields and into HAProxy's commands, and its address there, too, whoever says it. */
export function checkVm(id: string, { host, port }: Address): void {
  if (!/^[\w.:-]+$/.test(id)) throw new Error(`"${id}" cannot be the name of a VM: letters, digits and ._:- only.`);
  if (!/^[\w.:%-]+$/.test(host) || !(Number.isInteger(port) && port > 0 && port < 65_536))
    throw new Error(`"${host}", port ${port}, cannot be the address of VM ${id}.`);
}

/** A VM's share of the traffic: 0.1 when it comes (back), 1 after slow start. Example: 3 s of 10 s → 0.3. */
export function shareOf(vm: PoolVm<unknown>, now: Millis, slowStartMs: number): number {
  const age = now - vm.since;
  return age >= slowStartMs ? 1 : Math.max(0.1, age / slowStartMs);
}

const PEAK_DECAY_MS = 10_000;

export class VmPool<H> {
  readonly #options: PoolOptions;
  readonly #vms = new Map<string, PoolVm<H>>();

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  add(id: string, address: Address, handle: H, limit: number, now: Millis): PoolVm<H> {
    const vm: PoolVm<H> = {
      id,
      address,
      handle,
      draining: false,
      out: undefined,
      since: now,
      inFlight: 0,
      uploads: 0,
      limit,
      worksOn: limit,
      ownMs: 0,
      byClass: [],
      resting: 0,
      tunnels: new Set(),
      peak: 0,
      peakAt: now,
      lastMs: Infinity,
      load: undefined,
      lastAnswerAt: now,
      lastSignAt: now,
      errors: 0,
      answers: 0,
      windowSince: now,
      onEmpty: undefined,
    };
    this.#vms.set(id, vm);
    return vm;
  }

  get(id: string): PoolVm<H> | undefined {
    return this.#vms.get(id);
  }

  delete(id: string): void {
    this.#vms.delete(id);
  }

  all(): PoolVm<H>[] {
    return [...this.#vms.values()];
  }

  /** Whether there are VMs, and every one that doesn't leave has been out since then or longer. */
  allOutSince(time: Millis): boolean {
    let out = 0;
    for (const vm of this.#vms.values()) {
      if (vm.draining) continue;
      if (vm.out === undefined || vm.since > time) return false;
      out++;
    }
    return out > 0;
  }

  /** How many requests the VMs that serve take at once. */
  slots(): number {
    let slots = 0;
    for (const vm of this.#vms.values()) if (isServing(vm)) slots += vm.limit;
    return slots;
  }

  /** How many they work on at once. */
  places(): number {
    let places = 0;
    for (const vm of this.#vms.values()) if (isServing(vm)) places += vm.worksOn;
    return places;
  }

  /** The VMs that can take a request now. */
  candidates(): PoolVm<H>[] {
    const found: PoolVm<H>[] = [];
    for (const vm of this.#vms.values()) if (canTake(vm)) found.push(vm);
    return found;
  }

  shareOf(vm: PoolVm<H>, now: Millis): number {
    return shareOf(vm, now, this.#options.slowStartMs);
  }

  /**
   * An answer came: its time counts (undefined: it says nothing of the VM), and whether it was a server error. Returns whether that
   * took the VM out. One slow answer is that of a heavy request; two after each other are a slow VM.
   */
  answered(vm: PoolVm<H>, responseMs: number | undefined, error: boolean, now: Millis): boolean {
    vm.lastAnswerAt = now;
    vm.lastSignAt = now;
    if (responseMs !== undefined) {
      vm.peak = peakAverage(vm.peak, Math.min(responseMs, vm.lastMs), now - vm.peakAt);
      vm.peakAt = now;
      vm.lastMs = responseMs;
    }
    if (now - vm.windowSince > this.#options.errorWindowMs) {
      vm.windowSince = now;
      vm.errors = 0;
      vm.answers = 0;
    }
    vm.answers++;
    if (!error) return false;
    vm.errors++;
    const { errorsAtLeast, errorShare } = this.#options;
    if (vm.errors < errorsAtLeast || vm.errors < errorShare * vm.answers) return false;
    return (
      this.#isNotTheLast(vm) && this.takeOut(vm, `${vm.errors} of its last ${vm.answers} answers were errors`, now)
    );
  }

  /** No request goes there until `takeBack`. Returns whether this changed anything. */
  takeOut(vm: PoolVm<H>, why: string, now: Millis): boolean {
    if (vm.out !== undefined) return false;
    vm.out = why;
    vm.since = now;
    return true;
  }

  takeBack(vm: PoolVm<H>, now: Millis): void {
    vm.out = undefined;
    vm.since = now;
    vm.windowSince = now;
    vm.errors = 0;
    vm.answers = 0;
  }

  /** Errors alone never take the last VM out: answers with errors are better than none. */
  #isNotTheLast(vm: PoolVm<H>): boolean {
    for (const other of this.#vms.values()) if (other !== vm && isServing(other)) return true;
    return false;
  }
}

/**
 * Peak EWMA: a slower answer counts at once, a faster one pulls the mean down as time passes.
 * Example: mean 100 ms, answer of 20 ms after 10 s: 20 + (100 − 20) × e^−1 = 49.4 ms.
 */
export function peakAverage(mean: number, value: number, elapsedMs: number): number {
  if (value >= mean) return value;
  return value + (mean - value) * Math.exp(-Math.max(0, elapsedMs) / PEAK_DECAY_MS);
}
