// How long a VM has had a request, without the time in which it waited for the client.
import type { Millis } from '../../model.ts';

export class VmTime {
  #chosenAt: Millis = 0;
  #restingSince: Millis | undefined;
  #restedMs: Millis = 0;

  get chosenAt(): Millis {
    return this.#chosenAt;
  }

  get rests(): boolean {
    return this.#restingSince !== undefined;
  }

  /** A VM was chosen. */
  begin(now: Millis): void {
    this.#chosenAt = now;
    this.#restedMs = 0;
  }

  /** It is the client's turn. */
  rest(now: Millis): void {
    this.#restingSince = now;
  }

  goOn(now: Millis): void {
    this.#restedMs += now - (this.#restingSince ?? now);
    this.#restingSince = undefined;
  }

  /** Example: chosen at 0, the client's turn from 10 to 40: it took 20 at 50. */
  took(now: Millis): Millis {
    return now - this.#chosenAt - this.#restedMs - (now - (this.#restingSince ?? now));
  }
}
