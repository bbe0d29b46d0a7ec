// `perVm: auto` on HAProxy: how many requests it sends to a VM at once, found as the built-in plane finds it, out of what its log
// says of each answer. Requests whose answer has begun wait for their clients and not for the VM: they come on top.
import { newLimit, observeAnswer, type LimitState } from '../core/concurrency-limit.ts';
import type { GatewayDeps } from '../core/contract.ts';
import type { ServerStat } from './runtime.ts';
import type { HaproxyRequest } from './text/log.ts';

interface Vm {
  readonly found: LimitState;
  /** Requests there whose clients take their answers. */
  taking: number;
  /** So many more seem to be without an answer than are: those that ended without a word, and (less) that broke off in it. */
  gone: number;
  /** What HAProxy was told. */
  told: number;
}

export class HaproxyLimits {
  readonly #command: (text: string) => Promise<string>;
  readonly #now: GatewayDeps['now'];
  readonly #vms = new Map<string, Vm>();

  constructor(command: (text: string) => Promise<string>, now: GatewayDeps['now']) {
    this.#command = command;
    this.#now = now;
  }

  /** `limit`: what HAProxy has for it already. */
  begin(id: string, limit?: number): void {
    const found = newLimit(this.#now());
    if (limit !== undefined) found.limit = limit;
    this.#vms.set(id, { found, taking: 0, gone: 0, told: found.limit });
  }

  delete(id: string): void {
    this.#vms.delete(id);
  }

  answered({ vm: id = '', vmMs, atVm }: HaproxyRequest): void {
    const vm = this.#vms.get(id);
    if (vm === undefined) return;
    observeAnswer(vm.found, vmMs, atVm - vm.taking, this.#now());
    this.#tell(id, vm, vm.found.limit + vm.taking);
  }

  /** What HAProxy says of its servers now. Returns whether it should be asked again soon. */
  look(stats: readonly ServerStat[]): boolean {
    let grows = false;
    for (const { name, inFlight, open } of stats) {
      const vm = this.#vms.get(name);
      if (vm === undefined) continue;
      vm.gone = Math.max(open - inFlight, Math.min(open, vm.gone));
      const taking = inFlight - (open - vm.gone);
      const more = Math.max(0, taking - vm.taking);
      vm.taking = taking;
      grows ||= more > 0 && inFlight >= vm.told;
      // as many may come again before the next look
      this.#tell(name, vm, vm.found.limit + taking + more);
    }
    return grows;
  }

  #tell(id: string, vm: Vm, limit: number): void {
    if (limit === vm.told) return;
    vm.told = limit;
    // where there is no HAProxy the next one begins anew
    this.#command(`set maxconn server vms/${id} ${limit}`).catch(() => {});
  }
}
