// Readiness probes: find VMs that are not ready while nobody asks them anything, and those that are well again.
import type { BuiltInVm, Core } from './core.ts';
import { APART, ApartSearch } from '../core/shared-trouble.ts';
import { isServing } from '../core/vm-pool.ts';

export class HealthCheck {
  readonly #core: Core;
  readonly #failures = new WeakMap<BuiltInVm, number>();
  readonly #underWay = new WeakSet<BuiltInVm>();
  readonly #timer: NodeJS.Timeout;
  readonly #apart: ApartSearch;

  constructor(core: Core) {
    this.#core = core;
    this.#apart = new ApartSearch(core.options.health.intervalMs, core.deps.now);
    this.#timer = setInterval(() => this.#round(), core.options.health.intervalMs);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** A VM that answered a request since the last round is alive; it isn't bothered with a probe. */
  #round(): void {
    const { admission, deps, options } = this.#core;
    const now = deps.now();
    for (const vm of admission.pool.all()) {
      const answered = vm.out === undefined && now - vm.lastAnswerAt < options.health.intervalMs;
      if (!answered && !this.#underWay.has(vm)) void this.#check(vm);
    }
  }

  /** A request found it in trouble: whether that is so is not left to the next round. */
  checkNow(vm: BuiltInVm): void {
    if (!this.#underWay.has(vm)) void this.#check(vm);
  }

  async #check(vm: BuiltInVm): Promise<void> {
    const { admission, deps, options, vmFailed } = this.#core;
    const { path, timeoutMs, fall } = options.health;
    this.#underWay.add(vm);
    const askedAt = deps.now();
    const trouble = await vm.handle.probe(path, timeoutMs);
    this.#underWay.delete(vm);
    if (admission.pool.get(vm.id) !== vm) return;
    // it answered a request meanwhile, so it is busy rather than ill
    if (trouble !== undefined && vm.lastAnswerAt > askedAt) return;
    if (trouble === undefined) {
      this.#failures.delete(vm);
      vm.lastSignAt = deps.now();
      if (vm.out === undefined) return;
      deps.log.info({ vm: vm.id, was: vm.out }, 'VM answers again');
      admission.pool.takeBack(vm, deps.now());
      admission.serveQueue();
      return;
    }
    const failures = (this.#failures.get(vm) ?? 0) + 1;
    this.#failures.set(vm, failures);
    if (failures < fall || vm.out !== undefined) return;
    if (trouble.isShared) void this.tellApart();
    else vmFailed(vm, 'broken', trouble.why);
  }

  /** A VM says that what all share is away: a VM that alone lacks it gets no requests until it has it again. */
  async tellApart(): Promise<void> {
    const { admission, options, vmFailed } = this.#core;
    const { path, timeoutMs } = options.health;
    const asked = admission.pool.all().filter(isServing);
    for (const vm of await this.#apart.among(asked, ({ handle }) => handle.probe(path, timeoutMs)))
      if (admission.pool.get(vm.id) === vm && isServing(vm)) vmFailed(vm, 'broken', APART);
  }
}
