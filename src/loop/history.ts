// The manager's one history: the last periods with what was seen, decided and done in each. Page, API, metrics and
// tests read it. How far it goes back depends on the size of the fleet, so that memory stays bounded.
import { limitsAt } from '../decide/calendar.ts';
import type { Threshold } from '../decide/common/definition.ts';
import type { ElasticityParameters } from '../decide/parameters.ts';
import { policies } from '../decide/policies/index.ts';
import type { DecisionRecord, Limits, StepOutcome } from '../model.ts';

/** What a period was held against, by the settings of its time. */
export interface Bounds extends Limits {
  /** Empty for a policy without any. */
  readonly thresholds: readonly Threshold[];
}

/** The journal keeps the settings once, not the bounds with each period. */
export interface BoundRecord extends DecisionRecord {
  readonly bounds?: Bounds;
}

export function bound(record: DecisionRecord, parameters: ElasticityParameters): BoundRecord {
  const { min, max } = limitsAt(parameters, record.at);
  return { ...record, bounds: { min, max, thresholds: policies[parameters.policy].thresholds(parameters) } };
}

/** A day of periods of 10 s. */
const MOST_PERIODS = 8_640;
/** VMs of all periods together: 200 periods of 1,000 VMs. */
const MOST_VMS = 200_000;

export class History {
  readonly #mostVms: number;
  #records: BoundRecord[] = [];
  #vms = 0;

  constructor(past: readonly BoundRecord[], mostVms = MOST_VMS) {
    this.#mostVms = mostVms;
    for (const record of past) this.add(record);
  }

  get last(): BoundRecord | undefined {
    return this.#records.at(-1);
  }

  /** Newest first. */
  newest(limit: number): readonly BoundRecord[] {
    return this.#records.slice(-limit).reverse();
  }

  add(record: BoundRecord): void {
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
