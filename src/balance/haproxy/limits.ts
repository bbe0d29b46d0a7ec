// `perVm: auto` on HAProxy: how many requests it sends to a VM at once, found as the built-in plane finds it, out of what its log
// says of each answer.
import { newLimit, observeAnswer, type LimitState } from '../core/concurrency-limit.ts';
import type { GatewayDeps } from '../core/contract.ts';
import type { HaproxyRequest } from './text/log.ts';

export class HaproxyLimits {
  readonly #command: (text: string) => Promise<string>;
  readonly #now: GatewayDeps['now'];
  readonly #vms = new Map<string, LimitState>();

  constructor(command: (text: string) => Promise<string>, now: GatewayDeps['now']) {
    this.#command = command;
    this.#now = now;
  }

  /** `limit`: what HAProxy has for it already. */
  begin(id: string, limit?: number): void {
    const state = newLimit(this.#now());
    if (limit !== undefined) state.limit = limit;
    this.#vms.set(id, state);
  }

  delete(id: string): void {
    this.#vms.delete(id);
  }

  answered({ vm: id = '', vmMs, atVm }: HaproxyRequest): void {
    const state = this.#vms.get(id);
    if (state === undefined) return;
    const { limit } = state;
    observeAnswer(state, vmMs, atVm, this.#now());
    // where there is no HAProxy the next one begins anew
    if (state.limit !== limit) this.#command(`set maxconn server vms/${id} ${state.limit}`).catch(() => {});
  }
}
