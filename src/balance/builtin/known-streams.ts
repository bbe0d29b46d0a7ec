// WebSockets of clients that have to be known: one lasts no longer than what its client showed for it.
import type { Access, AccessRequest } from '../../access/access.ts';

const LOOKED_AT_MS = 1_000;

export class KnownStreams {
  readonly #access: Access;
  /** By what cuts them. */
  readonly #open = new Map<() => void, AccessRequest>();
  #lookedAt = -Infinity;

  constructor(access: Access) {
    this.#access = access;
  }

  add(cut: () => void, request: AccessRequest): void {
    this.#open.set(cut, request);
  }

  delete(cut: () => void): void {
    this.#open.delete(cut);
  }

  /** Called every now and then: keys and tokens expire. */
  keepUp(now: number): void {
    if (now - this.#lookedAt < LOOKED_AT_MS) return;
    this.#lookedAt = now;
    this.endUnknown();
  }

  endUnknown(): void {
    for (const [cut, request] of this.#open)
      void this.#access.isStillKnown(request).then((isKnown) => (isKnown ? undefined : cut()));
  }
}
