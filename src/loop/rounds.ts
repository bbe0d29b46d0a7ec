// When the loop's rounds come: a pass of the reconciliation about every second, a period when it is due. A round that fails costs
// itself, and not the loop.
import { messageOf } from '../errors.ts';
import type { Millis } from '../model.ts';
import type { Clock } from './clock.ts';
import { Pauses } from './pauses.ts';

export const RECONCILE_EVERY_MS = 1_000;

export interface Round {
  /** What comes between two passes at present; default: a second. */
  readonly pause?: () => Millis;
  readonly reconcile: () => Promise<unknown>;
  readonly decide: () => Promise<unknown>;
}

export class Rounds {
  readonly #clock: Clock;
  readonly #pauses: Pauses;
  readonly #period: () => Millis;
  readonly #faults = new Map<string, string>();
  #nextPeriodAt: Millis;
  #running: Promise<unknown> = Promise.resolve();

  /** `period`: as it is set now. */
  constructor(clock: Clock, period: () => Millis) {
    this.#clock = clock;
    this.#pauses = new Pauses(clock);
    this.#period = period;
    this.#nextPeriodAt = clock.now();
  }

  get nextPeriodAt(): Millis {
    return this.#nextPeriodAt;
  }

  /** What the last rounds failed of, a sentence each. */
  get faults(): readonly string[] {
    return [...this.#faults.values()];
  }

  begin({ reconcile, decide, pause = () => RECONCILE_EVERY_MS }: Round): void {
    this.#nextPeriodAt = this.#clock.now() + this.#period();
    this.#running = Promise.all([this.#reconcile(reconcile, pause), this.#decide(decide)]);
  }

  /** A shorter period counts from now: who set an hour by mistake need not wait it out. */
  cut(): void {
    this.#pauses.cut();
  }

  /** Resolves when the last round is over. */
  async end(): Promise<void> {
    this.#pauses.end();
    await this.#running;
  }

  /** A fault of ours or of a hook costs one round, not the loop. */
  async survive(what: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
      this.#faults.delete(what);
    } catch (error) {
      const message = messageOf(error);
      this.#faults.set(what, `The last ${what} failed: ${message}`);
    }
  }

  async #reconcile(round: () => Promise<unknown>, pause: () => Millis): Promise<void> {
    await this.#pauses.pause(pause());
    while (!this.#pauses.over) {
      await this.survive('reconciliation', round);
      await this.#pauses.pause(pause());
    }
  }

  async #decide(round: () => Promise<unknown>): Promise<void> {
    await this.#untilDue();
    while (!this.#pauses.over) {
      await this.survive('period', round);
      // A period that came late (a suspended machine) is not made up for by a burst of them.
      const [now, period] = [this.#clock.now(), this.#period()];
      this.#nextPeriodAt = Math.min(Math.max(this.#nextPeriodAt + period, now), now + period);
      await this.#untilDue();
    }
  }

  /** At most a period from now on, also when a shorter one was set or the machine's clock was set back meanwhile. */
  async #untilDue(): Promise<void> {
    while (!this.#pauses.over) {
      const now = this.#clock.now();
      this.#nextPeriodAt = Math.min(this.#nextPeriodAt, now + this.#period());
      if (this.#nextPeriodAt <= now) return;
      await this.#pauses.pause(this.#nextPeriodAt - now);
    }
  }
}
