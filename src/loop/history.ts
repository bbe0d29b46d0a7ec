// The manager's one history: the last periods with what was seen, decided and done in each. Page, API, metrics and
// tests read it. How far it goes back depends on the size of the fleet, so that memory stays bounded.
import type { DecisionRecord, StepOutcome } from '../model.ts';

/** A day of periods of 10 s. */
const MOST_PERIODS = 8_640;
/** VMs of all periods together: 200 periods of 1,000 VMs. */
const MOST_VMS = 200_000;

export class History {
  readonly #mostVms: number;
  #records: DecisionRecord[] = [];
  #vms = 0;

  constructor(past: readonly DecisionRecord[] = [], mostVms = MOST_VMS) {
    this.#mostVms = mostVms;
    for (const record of past) this.add(record);
  }

  get last(): DecisionRecord | undefined {
    return this.#records.at(-1);
  }

  /** Newest first. */
  newest(limit: number): readonly DecisionRecord[] {
    return this.#records.slice(-limit).reverse();
  }

  add(record: DecisionRecord): void {
    this.#records.push(record);
    this.#vms += record.observation.vms.length;
    while (this.#records.length > MOST_PERIODS || (this.#vms > this.#mostVms && this.#records.length > 1))
      this.#vms -= this.#records.shift()?.observation.vms.length ?? 0;
  }

  /** A step of that period's decision has ended. */
  addOutcome(period: number, outcome: StepOutcome): void {
    const at = this.#records.findLastIndex((record) => record.period === period);
    const record = this.#records[at];
    if (record !== undefined) this.#records[at] = { ...record, outcome: [...record.outcome, outcome] };
  }
}
