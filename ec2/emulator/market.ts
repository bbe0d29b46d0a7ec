// What an interruptible VM costs in each pool, over time: traces of prices, played at a speed of one's own.

export interface PricePoint {
  /** ms */
  readonly at: number;
  /** USD an hour, from then on. */
  readonly price: number;
}

export interface MarketOptions {
  /** Prices by pool (`us-east-1a/m3.medium`), oldest first. */
  readonly traces?: ReadonlyMap<string, readonly PricePoint[]>;
  /** So many milliseconds of a trace pass in one. Default 1. */
  readonly speed?: number;
}

/** A pool without a trace costs this share of the on-demand price. */
const USUAL_SHARE = 0.3;

export class Market {
  readonly #traces: ReadonlyMap<string, readonly PricePoint[]>;
  readonly #speed: number;
  readonly #startedAt: number;
  /** When the latest trace begins: from there on all have a price. */
  readonly #begin: number;
  readonly #fixed = new Map<string, number>();

  constructor({ traces = new Map(), speed = 1 }: MarketOptions, startedAt: number) {
    this.#traces = traces;
    this.#speed = speed;
    this.#startedAt = startedAt;
    this.#begin = [...traces.values()].reduce((latest, [first]) => Math.max(latest, first?.at ?? latest), -Infinity);
  }

  /** From now on that pool costs that. */
  set(pool: string, price: number): void {
    this.#fixed.set(pool, price);
  }

  /** All traces begin together, when the market opens; before and after their points the nearest one counts. */
  price(pool: string, onDemand: number, now: number): number {
    const fixed = this.#fixed.get(pool);
    if (fixed !== undefined) return fixed;
    const points = this.#traces.get(pool);
    const [first] = points ?? [];
    if (points === undefined || first === undefined) return onDemand * USUAL_SHARE;
    const at = this.#begin + (now - this.#startedAt) * this.#speed;
    return points.findLast((point) => point.at <= at)?.price ?? first.price;
  }
}
