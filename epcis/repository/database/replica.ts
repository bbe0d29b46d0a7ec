// Where queries read that is not the primary. One that fails, or says nothing any more, rests: the primary answers then.
import { inTime } from './in-time.ts';
import type { Cluster } from './mysql-cluster.ts';

/** It is left alone for so long after it failed. */
const REST_MS = 5_000;
/** Rows that take longer have it asked whether it answers at all. */
const SUSPECT_MS = 1_000;
/** It does so within this time. */
const PING_MS = 2_000;

export class Replica {
  readonly cluster: Cluster;
  #restsUntil = -Infinity;
  #asking: Promise<void> | undefined;

  constructor(cluster: Cluster) {
    this.cluster = cluster;
  }

  get rests(): boolean {
    return performance.now() < this.#restsUntil;
  }

  failed(): void {
    this.#restsUntil = performance.now() + REST_MS;
  }

  /** What it says, however long it takes; rejects where it says nothing meanwhile, to nobody. */
  async heard<T>(answer: Promise<T>): Promise<T> {
    const silent = Promise.withResolvers<never>();
    let timer: NodeJS.Timeout;
    const askLater = (): void => {
      timer = setTimeout(() => void this.#ask().then(askLater, silent.reject), SUSPECT_MS).unref();
    };
    askLater();
    try {
      return await Promise.race([answer, silent.promise]);
    } finally {
      clearTimeout(timer!);
    }
  }

  /** One question for all who wait. */
  #ask(): Promise<void> {
    this.#asking ??= this.#answers().finally(() => (this.#asking = undefined));
    return this.#asking;
  }

  async #answers(): Promise<void> {
    const why = Object.assign(new Error('The replica says nothing any more.'), { code: 'PROTOCOL_SEQUENCE_TIMEOUT' });
    await inTime(this.cluster.ping(), PING_MS, why).catch((error: unknown) => {
      throw error === why ? why : Object.assign(why, { cause: error });
    });
  }
}
