// How many requests a client may make: a bucket of tokens that fills at its rate and holds one second's worth.

export class Bucket {
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
