// What a span comes to: actions, VM-minutes, money, minutes saturated, turns.
import type { Market } from '../fleet/offers.ts';
import type { Action, Decision, Millis, Observation } from '../model.ts';
import { mean } from '../predict/index.ts';

export interface Totals {
  /** VMs that decisions allocated and released. */
  readonly allocated: number;
  readonly released: number;
  /** Periods whose decision changed the fleet. */
  readonly actions: number;
  readonly vmMinutes: number;
  /** In the provider's currency; absent where the journal knows no prices. */
  readonly cost?: number;
  /** In which the mean CPU of those that served was above the bound. */
  readonly saturatedMinutes: number;
  /** An allocation soon after a release, or the other way round. */
  readonly turns: number;
}

/** What turns back within this time flaps. */
const TURN_MS = 300_000;

export class PreviewTally {
  #totals = { allocated: 0, released: 0, actions: 0, vmMinutes: 0, saturatedMinutes: 0, turns: 0 };
  #cost = 0;
  #isPriced = false;
  #last: { readonly at: Millis; readonly action: Action } | undefined;

  get totals(): Totals {
    return { ...this.#totals, ...(this.#isPriced && { cost: this.#cost }) };
  }

  add(
    { at, vms }: Observation,
    { action, count }: Decision,
    { span, prices, above }: { readonly span: Millis; readonly prices: Market | undefined; readonly above: number },
  ): void {
    const totals = this.#totals;
    totals.vmMinutes += (vms.length * span) / 60_000;
    const cpu = mean(vms.flatMap(({ vm, cpu: [newest] }) => (vm.state === 'ready' ? (newest ?? []) : [])));
    if (cpu !== undefined && cpu > above) totals.saturatedMinutes += span / 60_000;
    const usual = prices?.offers[0];
    if (usual !== undefined) {
      this.#isPriced = true;
      for (const { vm } of vms) this.#cost += ((vm.offer ?? usual).price * span) / 3_600_000;
    }
    if (action === 'hold') return;
    totals.actions += 1;
    totals[action === 'allocate' ? 'allocated' : 'released'] += count;
    if (this.#last !== undefined && this.#last.action !== action && at - this.#last.at <= TURN_MS) totals.turns += 1;
    this.#last = { at, action };
  }
}
