// What a fleet costs by where its VMs come from: on demand only, one pool of interruptible VMs, several, with an on-demand share,
// on recorded prices under a recorded load.
import type { ElasticityParameters } from '../decide/parameters.ts';
import type { Millis } from '../model.ts';
import type { Objective } from '../queueing/queueing.ts';
import type { Measures } from '../simulate/measures.ts';
import { simulate } from '../simulate/simulate.ts';
import { priceReader } from '../simulate/price-trace.ts';
import { commonTime, type MarketOutcome, type MarketSettings } from '../simulate/simulated-market.ts';
import type { VmModel } from '../simulate/vm-model.ts';

export interface MarketScene {
  readonly name: string;
  readonly market: MarketSettings;
  /** Arrivals a second. */
  readonly at: (t: Millis) => number;
  /** Default: as long as there are prices. */
  readonly duration?: Millis;
  readonly vm: VmModel;
  readonly bootMs: Millis;
  readonly objective: Objective;
  readonly parameters: Partial<ElasticityParameters>;
  /** Pools that a fleet of several spreads over. */
  readonly spread: number;
  /** Of so many pools all sets are tried, too: those are the pools that one might have had. 0: none. */
  readonly subsets: number;
  readonly seed: number;
}

export interface MarketVariant {
  readonly name: string;
  readonly kind: 'on-demand' | 'one' | 'several' | 'cost' | 'subset';
  readonly parameters: Partial<ElasticityParameters>;
  /** Default: all that there are. */
  readonly pools?: readonly string[];
}

export interface MarketRun {
  readonly variant: MarketVariant;
  readonly measures: Measures;
  readonly market: MarketOutcome;
}

/** Per cent of the VMs that are always on demand. */
const BASES = [0, 20, 40];

export function marketVariants({
  market,
  spread,
  subsets,
}: Pick<MarketScene, 'market' | 'spread' | 'subsets'>): readonly MarketVariant[] {
  const several = `${Math.min(spread, market.prices.length)} of ${market.prices.length}`;
  return [
    { name: 'on demand only', kind: 'on-demand', parameters: { spotShare: 0 } },
    ...market.prices.map(({ pool }): MarketVariant => ({
      name: `one pool, ${pool}`,
      kind: 'one',
      parameters: { spotShare: 100, pools: 1 },
      pools: [pool],
    })),
    ...BASES.map((base): MarketVariant => ({
      name: `${several} pools, ${base} % on demand`,
      kind: 'several',
      parameters: { spotShare: 100 - base, pools: spread },
    })),
    {
      name: `${several} pools, goal cost`,
      kind: 'cost',
      parameters: { spotShare: 100, pools: spread, policyParameters: { goal: 'cost' } },
    },
    ...setsOf(
      market.prices.map(({ pool }) => pool),
      subsets,
    ).map((pools): MarketVariant => ({
      name: `of ${pools.join(', ')}`,
      kind: 'subset',
      parameters: { spotShare: 100, pools: spread },
      pools,
    })),
  ];
}

/** Worked: 2 of a, b and c: a b, a c, b c. */
function setsOf(all: readonly string[], size: number): readonly (readonly string[])[] {
  const [first, ...others] = all;
  if (size === 0 || first === undefined) return [];
  const withFirst = size === 1 ? [[first]] : setsOf(others, size - 1).map((rest) => [first, ...rest]);
  return [...withFirst, ...setsOf(others, size)];
}

/** Most that is paid: what the cheapest VM costs on demand, since all of them will do. */
const mostPaid = ({ prices, onDemand }: MarketSettings): number =>
  Math.min(...prices.map(({ pool }) => onDemand.get(pool.slice(pool.indexOf('/') + 1)) ?? Infinity));

/** Boots, notices and drains are longer than this. */
const TICK_MS = 20_000;

export async function runMarket(
  scene: MarketScene,
  variant: MarketVariant,
  quiet: () => Promise<unknown>,
): Promise<MarketRun> {
  const { market, at, vm, bootMs, objective, parameters, seed } = scene;
  const { from, to } = commonTime(market.prices);
  const result = await simulate({
    load: { kind: 'open', at },
    duration: scene.duration ?? to - from,
    ...{ vm, bootMs, objective, seed, quiet },
    traffic: 'fluid',
    tickMs: TICK_MS,
    market: { ...market, ...(variant.pools && { pools: variant.pools }) },
    parameters: { maxPrice: mostPaid(market), ...parameters, ...variant.parameters },
  });
  if (result.market === undefined) throw new Error('a run with a market has an outcome of it');
  return { variant, measures: result.measures, market: result.market };
}

/** By how many per cent one costs less. Worked: 25 instead of 100: 75. */
export const cheaperBy = (cost: number, than: number): number => (than === 0 ? 0 : 100 * (1 - cost / than));

/** The pool that costs least when the prices begin: one that somebody could have chosen who knows nothing of what comes. */
export function cheapestAtStart(prices: MarketSettings['prices'], pools?: readonly string[]): string {
  const { from } = commonTime(prices);
  const priced = prices
    .filter(({ pool }) => pools?.includes(pool) ?? true)
    .map((trace) => ({ pool: trace.pool, price: priceReader(trace)(from) }));
  return priced.toSorted((a, b) => a.price - b.price || (a.pool < b.pool ? -1 : 1))[0]?.pool ?? '';
}
