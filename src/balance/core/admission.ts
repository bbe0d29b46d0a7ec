// Which request goes to which VM, and when: the pool, the queue and the selector together. Knows no HTTP.
import type { Millis } from '../../model.ts';
import { AdmissionQueue } from './admission-queue.ts';
import type { Place, Ticket } from './admission-queue.ts';
import { ClientShares } from './clients.ts';
import type { Asker } from './clients.ts';
import { newLimit, observeAnswer } from './concurrency-limit.ts';
import type { LimitState } from './concurrency-limit.ts';
import { KeptPlaces } from './kept-places.ts';
import type { GatewayOptions } from './options.ts';
import type { Candidate, Selector } from './selectors/selector.ts';
import { canTake, isEmpty, isServing, VmPool } from './vm-pool.ts';
import type { PoolVm } from './vm-pool.ts';

/** A request, as far as admission knows it. */
export interface Guest<H> extends Asker {
  /** Its class, 0 the most important. */
  readonly level: number;
  readonly arrivedAt: Millis;
  readonly deadline: Millis;
  /** The VM that failed it: another is preferred. */
  avoid: string | undefined;
  ticket: Ticket<Guest<H>> | undefined;
  /** Its body goes to the VM as it comes. */
  readonly isUpload?: boolean;
  /** It got a VM: its slot is taken until `leave`. */
  place(vm: PoolVm<H>): void;
  /** It waited in vain. */
  turnAway(cause: 'queue-full' | 'all-out' | 'deadline' | 'closed'): void;
}

/** What a VM's answer said about the VM. */
export interface Answer {
  /** Undefined: that tells nothing of the VM. */
  readonly responseMs: number | undefined;
  readonly error: boolean;
}

export interface AdmissionDeps {
  readonly now: () => Millis;
  readonly random: () => number;
  readonly selector: Selector;
}

/**
 * Where every VM has been out for so long (the database is down, say), waiting leads to nothing. While there is no VM at all one is
 * on its way, and requests wait for it.
 */
const ALL_OUT_MS = 5_000;
/** How many are kept is looked at so often. */
const LOOK_AT_KEPT_MS = 100;
/** How long places are kept at the same VMs, where others are as fast: whose answers take at most so many times as long. */
const KEPT_HERE_MS = 5_000;
const AS_FAST = 1.5;

export class Admission<H> {
  readonly pool: VmPool<H>;
  readonly queue: AdmissionQueue<Guest<H>>;
  readonly #options: GatewayOptions;
  readonly #deps: AdmissionDeps;
  readonly #shares: ClientShares;
  readonly #limits = new WeakMap<PoolVm<H>, LimitState>();
  readonly #uploads = new WeakSet<Guest<H>>();
  /** By class: what is kept from it for those before it. */
  readonly #kept: KeptPlaces[];
  #keptNow: readonly number[] = [];
  #keptAt: Millis = -Infinity;
  /** Requests at the VMs, by class. */
  readonly #atVms: number[];
  #turn = 0;
  #now: Millis = 0;

  constructor(options: GatewayOptions, deps: AdmissionDeps) {
    this.#options = options;
    this.#deps = deps;
    this.pool = new VmPool(options.health);
    this.#shares = new ClientShares(options.limits.clientShare);
    const { capacity, promoteAfterMs, classes } = options.queue;
    this.#kept = classes.map(() => new KeptPlaces(deps.now()));
    this.#atVms = classes.map(() => 0);
    this.queue = new AdmissionQueue({ levels: classes.length, capacity, promoteAfterMs });
  }

  add(id: string, address: PoolVm<H>['address'], handle: H): PoolVm<H> {
    const now = this.#deps.now();
    const state = newLimit(now);
    const { perVm } = this.#options;
    const vm = this.pool.add(id, address, handle, perVm === 'auto' ? state.limit : perVm, now);
    if (perVm === 'auto') this.#limits.set(vm, state);
    this.serveQueue();
    return vm;
  }

  /** Places the request at once, lets it wait, or turns it (or a less important one) away. */
  enter(guest: Guest<H>, now: Millis): void {
    this.#shares.seen(guest, now);
    if (this.queue.size === 0 && this.#shares.mayTake(guest, this.pool.slots())) {
      const vm = this.#choose(guest, now);
      if (vm !== undefined) return this.#seat(guest, vm);
    }
    const { ticket, displaced } = this.queue.offer(guest, this.#placeOf(guest));
    guest.ticket = ticket;
    displaced?.item.turnAway('queue-full');
    if (ticket === undefined) return guest.turnAway('queue-full');
    this.#count(now);
    this.serveQueue();
  }

  /** A request that a VM failed: it was admitted before, so it keeps its place and is not bounded again. */
  enterAgain(guest: Guest<H>): void {
    guest.ticket = this.queue.putBack(guest, this.#placeOf(guest));
    this.serveQueue();
  }

  /** The client of a waiting request has gone. */
  withdraw(guest: Guest<H>): void {
    if (guest.ticket !== undefined) this.queue.remove(guest.ticket);
  }

  /** It is the client's turn, and it takes its time: meanwhile another may have the slot. */
  rest(guest: Guest<H>, vm: PoolVm<H>): void {
    this.#giveSlot(guest, vm);
    vm.resting++;
    if (this.queue.size > 0) this.serveQueue();
  }

  /** The client has gone on: the VM works for it again, although it may have to take one more than its limit for a while. */
  goOn(guest: Guest<H>, vm: PoolVm<H>): void {
    vm.resting--;
    this.#takeSlot(guest, vm);
  }

  /** A request has ended at its VM; with an answer, or (undefined) without. Returns whether that took the VM out. */
  leave(guest: Guest<H>, vm: PoolVm<H>, answer: Answer | undefined, now: Millis): boolean {
    let tookOut = false;
    if (answer !== undefined) {
      const state = this.#limits.get(vm);
      if (state !== undefined && answer.responseMs !== undefined) {
        observeAnswer(state, answer.responseMs, vm.inFlight, now);
        vm.limit = state.limit;
        vm.ownMs = state.own === undefined ? 0 : Math.exp(state.own.log);
        vm.worksOn = Math.max(1, Math.round(state.worksOn));
      }
      tookOut = this.pool.answered(vm, answer.responseMs, answer.error, now);
    }
    this.#giveSlot(guest, vm);
    this.#count(now);
    if (this.queue.size > 0) this.serveQueue();
    if (vm.draining && isEmpty(vm)) vm.onEmpty?.();
    return tookOut;
  }

  /** An upgraded connection has ended. */
  endTunnel(vm: PoolVm<H>, tunnel: () => void): void {
    vm.tunnels.delete(tunnel);
    if (vm.draining && isEmpty(vm)) vm.onEmpty?.();
  }

  /** Places as many waiting requests as there is room for. To be called when room may have appeared. */
  serveQueue(): void {
    if (this.queue.size === 0) return;
    const now = this.#deps.now();
    for (;;) {
      const byLevel = this.#atVms.map((_, level) => (this.queue.sizeOf(level) > 0 ? this.#roomFor(level, now) : []));
      if (byLevel.every((vms) => vms.length === 0)) return;
      const slots = this.pool.slots();
      const placeable = (one: Guest<H>) =>
        this.#shares.mayTake(one, slots) && (byLevel[one.level] ?? []).some((vm) => this.#allowed(one, vm));
      const guest = this.queue.take(now, placeable);
      if (guest === undefined) return;
      const vm = this.#choose(guest, now);
      // `take` saw a VM for it, and nothing ran in between
      if (vm !== undefined) this.#seat(guest, vm);
    }
  }

  /** Turns away those that waited too long, and all while there is nobody to wait for. To be called now and then. */
  expire(now: Millis): void {
    this.#shares.forget(now);
    for (const guest of this.queue.expire(now)) guest.turnAway('deadline');
    if (this.pool.allOutSince(now - ALL_OUT_MS))
      for (const guest of this.queue.expire(Infinity)) guest.turnAway('all-out');
  }

  /** Turns all waiting requests away. */
  turnAllAway(): void {
    for (const guest of this.queue.expire(Infinity)) guest.turnAway('closed');
  }

  #seat(guest: Guest<H>, vm: PoolVm<H>): void {
    guest.ticket = undefined;
    this.#takeSlot(guest, vm);
    this.#count(this.#deps.now());
    guest.place(vm);
  }

  #takeSlot(guest: Guest<H>, vm: PoolVm<H>): void {
    vm.inFlight++;
    vm.byClass[guest.level] = (vm.byClass[guest.level] ?? 0) + 1;
    this.#atVms[guest.level] = (this.#atVms[guest.level] ?? 0) + 1;
    if (guest.isUpload === true) {
      vm.uploads++;
      this.#uploads.add(guest);
    }
    this.#shares.took(guest);
  }

  #giveSlot(guest: Guest<H>, vm: PoolVm<H>): void {
    vm.inFlight--;
    vm.byClass[guest.level] = (vm.byClass[guest.level] ?? 0) - 1;
    this.#atVms[guest.level] = (this.#atVms[guest.level] ?? 0) - 1;
    if (this.#uploads.delete(guest)) vm.uploads--;
    this.#shares.gave(guest);
  }

  #placeOf(guest: Guest<H>): Place {
    const { level, arrivedAt, deadline, sender, tenant } = guest;
    return { level, arrivedAt, deadline, sender, tenant, pinned: this.#pins(guest) };
  }

  #choose(guest: Guest<H>, now: Millis): PoolVm<H> | undefined {
    let vms = this.#roomFor(guest.level, now);
    if (this.#pins(guest)) vms = vms.filter((vm) => this.#allowed(guest, vm));
    if (guest.avoid !== undefined && vms.length > 1) vms = vms.filter((vm) => vm.id !== guest.avoid);
    if (vms.length <= 1) return vms[0];
    if (this.#keepsFor(guest.level)) {
      const atOnce = vms.filter((vm) => vm.inFlight < vm.worksOn);
      if (atOnce.length > 0) vms = atOnce;
    }
    this.#now = now;
    const chance = {
      turn: this.#turn++,
      random: this.#deps.random,
      shareOf: this.#shareOf,
      isUpload: guest.isUpload === true,
    };
    return this.#deps.selector(vms, chance) as PoolVm<H>;
  }

  /** The VMs that can take one of this class now, beside what is kept for those before it. (What is pinned has nowhere else to go.) */
  #roomFor(level: number, now: Millis): PoolVm<H>[] {
    const vms = this.pool.candidates();
    const isPinned = this.#options.queue.classes[level]?.pinnedTo !== undefined;
    let kept = isPinned ? 0 : this.#keptFrom(level, now);
    if (kept === 0) return vms;
    const full = new Set<PoolVm<H>>();
    for (const vm of this.#keepers(now)) {
      if (kept <= 0) break;
      const here = Math.min(kept, vm.worksOn);
      if (ofClassFrom(vm, level) >= vm.worksOn - here) full.add(vm);
      kept -= here;
    }
    return vms.filter((vm) => !full.has(vm));
  }

  /** Where places are kept: at the fast ones in turns, as a VM that is never asked to its limit says nothing of it. */
  #keepers(now: Millis): readonly PoolVm<H>[] {
    const vms = this.pool.all().filter(isServing);
    const turn = Math.floor(now / KEPT_HERE_MS);
    if (vms.length === 1 && turn % 8 === 7) return [];
    const least = Math.min(...vms.map((vm) => vm.ownMs));
    const fast = vms.filter((vm) => vm.ownMs <= AS_FAST * least);
    const first = turn % fast.length;
    return [...fast.slice(first), ...fast.slice(0, first), ...vms.filter((vm) => vm.ownMs > AS_FAST * least)];
  }

  #keptFrom(level: number, now: Millis): number {
    if (now - this.#keptAt >= LOOK_AT_KEPT_MS) {
      this.#keptAt = now;
      const places = this.pool.places();
      this.#keptNow = this.#kept.map((one) => one.of(places, now));
    }
    return this.#keptNow[level] ?? 0;
  }

  #keepsFor(level: number): boolean {
    return (this.#keptNow[level + 1] ?? 0) > (this.#keptNow[level] ?? 0);
  }

  /** How many there are before each class, at VMs or waiting. */
  #count(now: Millis): void {
    let before = 0;
    for (const [level, kept] of this.#kept.entries()) {
      kept.counts(before, now);
      before += this.queue.sizeOf(level) + (this.#atVms[level] ?? 0);
    }
  }

  readonly #shareOf = (vm: Candidate): number => this.pool.shareOf(vm as PoolVm<H>, this.#now);

  /** Whether this VM may serve this class; a class whose VMs have all left the fleet goes anywhere. */
  #allowed(guest: Guest<H>, vm: PoolVm<H>): boolean {
    return canTake(vm) && (!this.#pins(guest) || this.#pinnedTo(guest).includes(vm.id));
  }

  #pins(guest: Guest<H>): boolean {
    return this.#pinnedTo(guest).some((id) => this.pool.get(id) !== undefined);
  }

  #pinnedTo(guest: Guest<H>): readonly string[] {
    return this.#options.queue.classes[guest.level]?.pinnedTo ?? NOWHERE;
  }
}

/** Of this class, and those behind it. */
function ofClassFrom({ byClass }: PoolVm<unknown>, level: number): number {
  let sum = 0;
  for (let at = level; at < byClass.length; at++) sum += byClass[at] ?? 0;
  return sum;
}

const NOWHERE: readonly string[] = [];
