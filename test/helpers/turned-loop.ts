// A process's loop whose turns the test takes, and a clock that goes on when it says so.

export class TurnedLoop {
  now = 0;
  readonly done: string[] = [];
  readonly time = {
    now: () => this.now,
    nextTurn: () => new Promise<void>((resolve) => void this.#next.push(resolve)),
    sleep: (ms: number) => new Promise<void>((wake) => void this.#sleeping.push({ until: this.now + ms, wake })),
  };
  #next: (() => void)[] = [];
  #sleeping: { readonly until: number; readonly wake: () => void }[] = [];

  async turn(count = 1): Promise<void> {
    for (let n = 0; n < count; n++) {
      await new Promise(setImmediate);
      for (const resolve of this.#next.splice(0)) resolve();
      await new Promise(setImmediate);
    }
  }

  async pass(ms: number): Promise<void> {
    this.now += ms;
    const over = this.#sleeping.filter(({ until }) => until <= this.now);
    this.#sleeping = this.#sleeping.filter(({ until }) => until > this.now);
    for (const { wake } of over) wake();
    await new Promise(setImmediate);
  }
}
