// Tenants take turns in a process that does one thing at a time: what captures for one of them lets the others' requests in every few
// milliseconds, and has a part of the time while they ask. (Long documents give way to whoever asks besides: give-way.ts. That goes by the
// CPU that others leave; this by the time in which nothing else can be done, which a disk may take as well.)

interface Time {
  /** ms of some clock. */
  readonly now: () => number;
  /** ms for which this process has not been idle. */
  readonly active: () => number;
  /** 0: until all that waits has had its turn once. */
  readonly sleep: (ms: number) => Promise<unknown>;
}

/**
 * A tenant is there for so long after a request: who asks more seldom meets what captures between two of its pieces, and a quota that is used
 * up. (A gateway sends most of a tenant's questions to the VM that does nothing else: the others are asked now and then.)
 */
const REMEMBERED_MS = 10_000;
/** What another tenant's request waits for, about. */
const AT_ONCE_MS = 1;
/** Of what was done since the last rest, so much is rested for: others did some of it. */
const MOST_MS = 8;
/** What is read and written at once: what takes about as long while others ask; else a statement's rows, which cost no more than all of a document. */
const WHILE_OTHERS_ASK = { bytes: 8 * 1024, events: 32 };
const ELSE = { bytes: 32 * 1024, events: 128 };

/** One tenant's. */
export interface Turn {
  /** Of a document that is received, or read again. */
  bytes(document: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array>;
  /** Of what is written. */
  batches<T>(all: readonly T[]): AsyncGenerator<readonly T[]>;
  /** Between pieces of any other work. */
  pause(): Promise<void>;
}

export class TenantTurns {
  /** Of a core's time. */
  readonly #share: number;
  readonly #time: Time;
  readonly #askedAt = new Map<string | undefined, number>();
  #activeBefore = 0;
  /** When somebody began to work after a rest. */
  #begun = -Infinity;
  /** When all that was done so far has been rested for. */
  #restedAt = -Infinity;

  /**
   * `share`: the part (above 0, to 1) of what this process may use that all captures together may have while other tenants ask; `cores`:
   * what it may use, of one.
   */
  constructor(share: number, cores: number, time: Time) {
    this.#share = share * cores;
    this.#time = time;
  }

  /** To be called for each request that is no document; undefined is whoever belongs to no tenant. */
  asked(tenant: string | undefined): void {
    this.#askedAt.set(tenant, this.#time.now());
  }

  of(tenant: string | undefined): Turn {
    const size = (what: 'bytes' | 'events') => (this.#othersAsk(tenant) ? WHILE_OTHERS_ASK : ELSE)[what];
    const pause = () => this.#pause(tenant);
    return {
      pause,
      async *bytes(document) {
        for await (const piece of document) {
          for (let from = 0; from < piece.length;) {
            const to = from + size('bytes');
            yield piece.subarray(from, to);
            from = to;
            await pause();
          }
        }
      },
      async *batches(all) {
        for (let from = 0; from < all.length;) {
          const to = from + size('events');
          yield all.slice(from, to);
          from = to;
          await pause();
        }
      },
    };
  }

  #othersAsk(tenant: string | undefined): boolean {
    const since = this.#time.now() - REMEMBERED_MS;
    for (const [asking, at] of this.#askedAt) if (asking !== tenant && at >= since) return true;
    return false;
  }

  async #pause(tenant: string | undefined): Promise<void> {
    if (this.#time.now() - this.#begun < AT_ONCE_MS) return;
    await this.#time.sleep(this.#restFor(tenant));
    this.#begun = this.#time.now();
  }

  /** Example: a share of 0.25 of a whole core, and 5 ms of work since the last rest: 15 ms, after those of the others that capture. */
  #restFor(tenant: string | undefined): number {
    const now = this.#time.now();
    const active = this.#time.active();
    const took = Math.min(active - this.#activeBefore, MOST_MS);
    this.#activeBefore = active;
    if (!this.#othersAsk(tenant)) return 0;
    this.#restedAt = Math.max(now - took, this.#restedAt) + took / this.#share;
    return Math.max(0, this.#restedAt - now);
  }
}
