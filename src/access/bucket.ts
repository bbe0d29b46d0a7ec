// How many requests a client may make: a bucket of tokens that fills at its rate and holds one second's worth.

class Bucket {
  readonly #rate: number;
  #tokens: number;
  #at: number;

  /** `rate`: requests a second. */
  constructor(rate: number, now: number) {
    this.#rate = rate;
    this.#tokens = Math.max(1, rate);
    this.#at = now;
  }

  /**
   * Undefined: taken. Else the ms until the next may be. Worked: at 5 a second an empty bucket has its next token in
   * 200 ms.
   */
  take(now: number): number | undefined {
    this.#tokens = Math.min(Math.max(1, this.#rate), this.#tokens + (Math.max(0, now - this.#at) * this.#rate) / 1000);
    this.#at = now;
    if (this.#tokens < 1) return ((1 - this.#tokens) / this.#rate) * 1000;
    this.#tokens--;
    return undefined;
  }

  isFull(now: number): boolean {
    return this.#tokens + ((now - this.#at) * this.#rate) / 1000 >= Math.max(1, this.#rate);
  }
}

const MOST_BUCKETS = 10_000;

/** A bucket for each name. */
export class Buckets {
  readonly #buckets = new Map<string, Bucket>();

  /** As a bucket's; at a rate of 0 there is none. */
  take(name: string, rate: number, now: number): number | undefined {
    if (rate === 0) return undefined;
    let bucket = this.#buckets.get(name);
    if (bucket === undefined) {
      if (this.#buckets.size >= MOST_BUCKETS) this.#dropFull(now);
      this.#buckets.set(name, (bucket = new Bucket(rate, now)));
    }
    return bucket.take(now);
  }

  clear(): void {
    this.#buckets.clear();
  }

  /** A full bucket is as good as none. */
  #dropFull(now: number): void {
    for (const [name, bucket] of this.#buckets) if (bucket.isFull(now)) this.#buckets.delete(name);
  }
}
