// How long, and how slowly, a client may take its turn: to send what it announced, or to take what it asked for.
import type { Millis } from '../../model.ts';

export interface Patience {
  /** A client that moves nothing for so long is given up. */
  readonly idleMs: Millis;
  /** Over as long it must have moved this many bytes a second. */
  readonly bytesPerSecond: number;
}

/** Below this many bytes a second a VM is not kept busy by the transfer: its slot may go to another. */
const RESTS_BELOW = 65_536;

/** `ours`: the client is not what is waited for. */
export type Pace = 'ours' | 'quick' | 'slow' | 'too-slow';

export class ClientTurn {
  readonly #patience: Patience;
  #at: Millis | undefined;
  #moved = 0;
  #movedAt: Millis = 0;
  /** Its turn in this window, and what it moved in it. */
  #windowMs = 0;
  #windowBytes = 0;

  constructor(patience: Patience) {
    this.#patience = patience;
  }

  /**
   * To be asked every now and then. `moved`: bytes so far; `itsTurn`: nobody but the client keeps it from moving on.
   * Example: 30 s of its turn in which 300 bytes came, at least 1 KB a second wanted: too slow.
   */
  look(moved: number, itsTurn: boolean, now: Millis): Pace {
    const elapsed = now - (this.#at ?? now);
    const bytes = moved - this.#moved;
    const first = this.#at === undefined;
    this.#at = now;
    this.#moved = moved;
    if (first || !itsTurn || bytes > 0) this.#movedAt = now;
    if (first || !itsTurn) {
      this.#windowMs = 0;
      this.#windowBytes = 0;
      return 'ours';
    }
    this.#windowMs += elapsed;
    this.#windowBytes += bytes;
    const { idleMs, bytesPerSecond } = this.#patience;
    if (now - this.#movedAt >= idleMs) return 'too-slow';
    if (this.#windowMs >= idleMs) {
      if (this.#windowBytes * 1000 < bytesPerSecond * this.#windowMs) return 'too-slow';
      this.#windowMs = 0;
      this.#windowBytes = 0;
    }
    return bytes * 1000 < RESTS_BELOW * elapsed ? 'slow' : 'quick';
  }
}
