// Long documents give way: while others ask, they have a part of what this process may use and others leave, and rest for the remainder.
// And whatever the process was busy with: they wait while it has used nearly all that it may, or it would stand still, for all who ask.

interface Time {
  /** ms of some clock. */
  readonly now: () => number;
  /** ms of a core that this process used. */
  readonly used: () => number;
  /** 0: until all that waits has had its turn once. */
  readonly sleep: (ms: number) => Promise<unknown>;
}

/** Others count as there for so long after one has asked. */
const REMEMBERED_MS = 10_000;
/** However busy the process: a piece is stored each time this has passed. */
const LONGEST_REST_MS = 60;
/** The same of a short one, which somebody may be waiting for. */
const LONGEST_SHORT_REST_MS = 10;
/** What a document may be without being long; several that are received at once, the less of it, the more they are: two a quarter each, four a sixteenth. */
export const SHORT_BYTES = 1_000_000;
/** However many they are. */
const SHORT_AT_LEAST = 64 * 1024;
/**
 * What is taken at once while others ask: as much as half a millisecond of a core is enough for, however little of a core there is, since a
 * rest costs a fifth of one. 4 KB are while the code is new to this process.
 */
const TOGETHER_MS = 0.5;
const TOGETHER_BYTES = { first: 4 * 1024, most: 64 * 1024 };
/** How busy others keep the process is told by the last rests, of about so long together. */
const SEEN_MS = 500;
/** Of what the process may use: what is used beyond is made up for before a document goes on. A collection of garbage has what is left. */
const FULL = 0.9;
/** What was not used lately may be used beyond that at once, and what is made up for is not longer ago: ms of all that may be used. */
const SAVED_MS = 50;
const MADE_UP_MS = 200;

export class GiveWay {
  readonly #share: number;
  readonly #time: Time;
  readonly #cores: number;
  #askedAt = -Infinity;
  /** Documents of more than the least. */
  #received = 0;
  /** Long documents of which a piece is being stored. */
  #working = 0;
  #usedBefore: number;
  #together = TOGETHER_BYTES.first;
  /** Used meanwhile, and not rested for yet. What others used of it counts: rests are too long rather than too short. */
  #owed = 0;
  /** When all that was done so far has been rested for. */
  #restedAt = -Infinity;
  /** The part that others used lately, while none of them worked. */
  #others = 0;
  #idleSince: number;
  readonly #overdraft: Overdraft;

  /** `share`: the part (above 0, to 1) that all long documents together may have of what others leave. `cores`: what there is for both. */
  constructor(share: number, time: Time, cores = 1) {
    this.#share = share;
    this.#time = time;
    this.#cores = cores;
    this.#idleSince = time.now();
    this.#usedBefore = time.used();
    this.#overdraft = new Overdraft(time, FULL * cores);
  }

  /** To be called for each request that is no document. */
  asked(): void {
    this.#askedAt = this.#time.now();
  }

  async *pieces(document: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    let counts = false;
    try {
      for await (const received of document) {
        for (const piece of this.#cut(received)) {
          bytes += piece.length;
          if (!counts && bytes > SHORT_AT_LEAST) {
            counts = true;
            this.#received++;
          }
          if (bytes <= Math.max(SHORT_AT_LEAST, SHORT_BYTES / this.#received ** 2)) {
            yield piece;
            if (bytes > TOGETHER_BYTES.first && this.#othersAsk())
              await (bytes > SHORT_AT_LEAST
                ? this.#restUntilCalm(0, this.#time.now() + LONGEST_SHORT_REST_MS)
                : this.#time.sleep(0));
            continue;
          }
          this.#begin();
          try {
            yield piece;
          } finally {
            this.#end();
          }
          await this.#rest(piece.length);
        }
      }
    } finally {
      if (counts) this.#received--;
    }
  }

  *#cut(received: Uint8Array): Generator<Uint8Array> {
    for (let from = 0; from < received.length;) {
      const to = this.#othersAsk() ? from + this.#together : received.length;
      yield received.subarray(from, to);
      from = to;
    }
  }

  #othersAsk(): boolean {
    return this.#share < 1 && this.#time.now() - this.#askedAt <= REMEMBERED_MS;
  }

  /** Example: a share of 0.25 of which others leave 0.4, and 1 ms of work at 0.2 cores since the last rest: 45 ms, after those of the other documents. */
  async #rest(bytes: number): Promise<void> {
    const now = this.#time.now();
    const took = this.#owed / this.#cores;
    this.#fit((this.#owed * this.#together) / bytes);
    this.#owed = 0;
    if (!this.#othersAsk()) return;
    // never nothing: that would be a rest without end
    const share = this.#share * Math.max(0.01, 1 - this.#others);
    const latest = now + LONGEST_REST_MS;
    this.#restedAt = Math.min(Math.max(now - took, this.#restedAt) + took / share, latest);
    await this.#restUntilCalm(this.#restedAt - now, latest);
  }

  /** Rests, and then until the process has made up for what it used, but no longer than until `latest`. */
  async #restUntilCalm(rest: number, latest: number): Promise<void> {
    for (let ms = rest; ;) {
      await this.#time.sleep(ms);
      ms = Math.ceil(Math.min(this.#overdraft.ms(), latest - this.#time.now()));
      if (ms <= 0) return;
    }
  }

  /** `took`: what is taken at once. Half as much where that is too long, twice as much where that would not be. */
  #fit(took: number): void {
    const { first, most } = TOGETHER_BYTES;
    if (took > TOGETHER_MS) this.#together = Math.max(first, this.#together / 2);
    else if (took <= TOGETHER_MS / 2) this.#together = Math.min(most, this.#together * 2);
  }

  #begin(): void {
    const used = this.#used();
    if (this.#working++ > 0) this.#owed += used;
    else this.#look(this.#time.now() - this.#idleSince, used);
  }

  #end(): void {
    this.#owed += this.#used();
    if (--this.#working === 0) this.#idleSince = this.#time.now();
  }

  /** What was long ago tells less than what was just now. */
  #look(ms: number, used: number): void {
    if (ms > 0) this.#others += (used / this.#cores / ms - this.#others) * (1 - Math.exp(-ms / SEEN_MS));
  }

  /** Since it was asked last. */
  #used(): number {
    const used = this.#time.used();
    const since = used - this.#usedBefore;
    this.#usedBefore = used;
    return since;
  }
}

/** What a process has used beyond `perMs` of a core, and not made up for since by using less. */
class Overdraft {
  readonly #time: Time;
  readonly #perMs: number;
  #at: number;
  #used: number;
  #owed = 0;

  constructor(time: Time, perMs: number) {
    this.#time = time;
    this.#perMs = perMs;
    this.#at = time.now();
    this.#used = time.used();
  }

  /** How long it takes to be made up for where nothing is used meanwhile; negative: something is saved up. */
  ms(): number {
    const [now, used] = [this.#time.now(), this.#time.used()];
    this.#owed += (used - this.#used) / this.#perMs - (now - this.#at);
    this.#owed = Math.min(Math.max(-SAVED_MS, this.#owed), MADE_UP_MS);
    [this.#at, this.#used] = [now, used];
    return this.#owed;
  }
}
