// Energy in VM-minutes: sum over i of i × T(i), T(i) = minutes with i VMs allocated.
// Worked: 1 min with 1 VM, 2 min with 2, 3 min with 1 → 1 + 4 + 3 = 8.
import type { Millis } from '../model.ts';

export class Energy {
  #vmMinutes = 0;
  #vms = 0;
  #at: Millis | undefined;

  /** From now on that many VMs are allocated: booting and draining ones, too, for they cost the same. */
  allocated(vms: number, now: Millis): void {
    this.#vmMinutes = this.upTo(now);
    this.#vms = vms;
    this.#at = now;
  }

  clockSet(by: Millis): void {
    if (this.#at !== undefined) this.#at += by;
  }

  upTo(now: Millis): number {
    return this.#vmMinutes + (this.#at === undefined ? 0 : (this.#vms * (now - this.#at)) / 60_000);
  }
}
