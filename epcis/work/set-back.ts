// Whether a clock that somebody may set was set back.

/** What looks at it may take that long. */
const NOTHING_MS = 1_000;

export class SetBack {
  readonly #elapsed: () => number;
  #before: number | undefined;

  /** `elapsed`: by a clock that nobody sets. */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /** Since it was last asked, of a time that was looked at just now. True for the first time: nobody knows what was before. */
  since(time: number): boolean {
    const [apart, before] = [time - this.#elapsed(), this.#before];
    this.#before = apart;
    return before === undefined || apart < before - NOTHING_MS;
  }
}
