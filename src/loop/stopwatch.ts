// How long the named parts of a period took.
export class Stopwatch {
  readonly #now: () => number;
  readonly #timings: Record<string, number> = {};

  constructor(now: () => number) {
    this.#now = now;
  }

  get timings(): Readonly<Record<string, number>> {
    return this.#timings;
  }

  time<T>(name: string, work: () => T): T {
    const started = this.#now();
    try {
      return work();
    } finally {
      this.#timings[name] = this.#now() - started;
    }
  }
}
