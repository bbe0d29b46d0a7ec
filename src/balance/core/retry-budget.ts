// How many requests may be repeated: retries must not double the load of a fleet that is in trouble.
export class RetryBudget {
  readonly #most: number;
  readonly #perRequest: number;
  #left: number;

  constructor(most: number, perRequest: number) {
    this.#most = most;
    this.#perRequest = perRequest;
    this.#left = most;
  }

  /** Each request earns a part of a retry. Example: 0.2 each, so ten requests earn two retries. */
  earn(): void {
    this.#left = Math.min(this.#most, this.#left + this.#perRequest);
  }

  spend(): boolean {
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
