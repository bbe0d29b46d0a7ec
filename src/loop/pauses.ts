// Sleeps that can all be ended at once. Each has a signal of its own: a signal that lives as long as the loop would
// collect a listener for every sleep.
import type { Millis } from '../model.ts';
import type { Clock } from './clock.ts';

export class Pauses {
  readonly #clock: Clock;
  readonly #current = new Set<AbortController>();
  #over = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** No pause any more: all end, and none begins. */
  get over(): boolean {
    return this.#over;
  }

  async pause(ms: Millis): Promise<void> {
    if (this.#over) return;
    const controller = new AbortController();
    this.#current.add(controller);
    await this.#clock.sleep(ms, controller.signal);
    this.#current.delete(controller);
  }

  end(): void {
    this.#over = true;
    this.cut();
  }

  /** Those under way end now. */
  cut(): void {
    for (const controller of this.#current) controller.abort('cut');
  }
}
