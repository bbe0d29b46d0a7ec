// Where queries read that is not the primary. One that fails, or says nothing any more, rests: the primary answers then.
import { inTime } from './in-time.ts';
import type { Cluster } from './mysql-cluster.ts';

export interface ReplicaTimes {
  /** It is left alone for so long after it failed. */
  readonly restMs: number;
  /** Rows that take longer have it asked whether it answers at all. */
  readonly suspectMs: number;
  /** It does so within this time. */
  readonly pingMs: number;
}

const TIMES: ReplicaTimes = { restMs: 5_000, suspectMs: 1_000, pingMs: 2_000 };

export class Replica {
  readonly cluster: Cluster;
  readonly #times: ReplicaTimes;
  #restsUntil = -Infinity;
  #asking: Promise<void> | undefined;

  constructor(cluster: Cluster, times = TIMES) {
    this.cluster = cluster;
    this.#times = times;
  }

  get rests(): boolean {
    return performance.now() < this.#restsUntil;
  }

  failed(): void {
    this.#restsUntil = performance.now() + this.#times.restMs;
  }

  /** What it says, however long it takes; rejects where it says nothing meanwhile, to nobody. */
  async heard<T>(answer: Promise<T>): Promise<T> {
    const silent = Promise.withResolvers<never>();
    let timer: NodeJS.Timeout;
    const askLater = (): void => {
      timer = setTimeout(() => void this.#ask().then(askLater, silent.reject), this.#times.suspectMs).unref();
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
    await inTime(this.cluster.ping(), this.#times.pingMs, why).catch((error: unknown) => {
      throw error === why ? why : Object.assign(why, { cause: error });
    });
  }
}
