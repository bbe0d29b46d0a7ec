// What a fleet costs by where its VMs come from: on demand only, one pool of interruptible VMs, several, with an on-demand share,
// on recorded prices under a recorded load.
import type { ElasticityParameters } from '../decide/parameters.ts';
import type { Millis } from '../model.ts';
import type { Objective } from '../queueing/queueing.ts';
import type { Measures } from '../simulate/measures.ts';
import { simulate } from '../simulate/simulate.ts';
import { priceReader } from '../simulate/price-trace.ts';
import { notesOn } from './price-notes.ts';
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

/** `20.1 % less`, `3.0 % more` */
const lessOrMore = (percent: number): string =>
  `${Math.abs(percent).toFixed(1)} % ${percent > -0.05 ? 'less' : 'more'}`;

export function marketsMarkdown(
  name: string,
  runs: readonly MarketRun[],
  { market: { prices }, duration }: Pick<MarketScene, 'market' | 'duration'>,
): string {
  const [first] = runs;
  const chosen = cheapestAtStart(prices);
  const turnedOut = cheapestOne(runs)?.variant.pools?.[0];
  const rows = runs.map(({ variant, measures, market }) => [
    nameOf(variant, chosen, turnedOut),
    market.cost.toFixed(2),
    cheaperBy(market.cost, first?.market.cost ?? 0).toFixed(1),
    market.bound.toFixed(2),
    measures.vmHours.toFixed(0),
    measures.violationsPercent.toFixed(3),
    String(market.interruptions),
    String(market.late),
    (market.gapMs / 1000).toFixed(0),
    String(measures.actions),
  ]);
  return [
    `## ${name}`,
    '',
    ...table(HEAD, rows, [0]),
    '',
    ...verdict(runs, chosen),
    ...ofSubsets(runs, prices),
    '',
    ...notesOn(prices, duration),
    '',
  ].join('\n');
}

const HEAD = [
  'fleet',
  'USD',
  'cheaper %',
  'possible',
  'VM-hours',
  'violations %',
  'interruptions',
  'late',
  'gaps s',
  'actions',
];

const of = (runs: readonly MarketRun[], kind: MarketVariant['kind']): readonly MarketOutcome[] =>
  runs.filter(({ variant }) => variant.kind === kind).map(({ market }) => market);

const meanOf = (all: readonly number[]): number => all.reduce((sum, each) => sum + each, 0) / Math.max(1, all.length);

const cheapestOne = (runs: readonly MarketRun[]): MarketRun | undefined =>
  runs.filter(({ variant }) => variant.kind === 'one').toSorted((a, b) => a.market.cost - b.market.cost)[0];

function nameOf({ name, kind, pools }: MarketVariant, chosen: string, turnedOut: string | undefined): string {
  if (kind !== 'one') return name;
  const marks = [
    ...(pools?.[0] === chosen ? ['cheapest at the start'] : []),
    ...(pools?.[0] === turnedOut ? ['cheapest in hindsight'] : []),
  ];
  return marks.length === 0 ? name : `${name} (${marks.join(', ')})`;
}

/** Several pools with none on demand: against on demand only, and against one pool, chosen beforehand, in the mean, in hindsight. */
function verdict(runs: readonly MarketRun[], chosen: string): readonly string[] {
  const [onDemand = NOTHING] = of(runs, 'on-demand');
  const [several = NOTHING] = of(runs, 'several');
  const ones = of(runs, 'one').map(({ cost }) => cost);
  const atStart = runs.find(({ variant }) => variant.kind === 'one' && variant.pools?.[0] === chosen)?.market.cost ?? 0;
  const than = (other: number): string => {
    const [real = '', possible = ''] = [several.cost, several.bound].map((cost) => lessOrMore(cheaperBy(cost, other)));
    return `${real} (possible: ${possible})`;
  };
  return [
    `Several pools cost ${than(onDemand.cost)} than on demand only. Against one pool: ${than(atStart)} than the one that was cheapest ` +
      `at the start, which anybody could have chosen beforehand; ${than(meanOf(ones))} than one in the mean, which is who chooses by ` +
      `chance; ${than(Math.min(...ones))} than the one that turned out cheapest, which nobody knows beforehand: that is a bound. ` +
      `Possible is what as many VMs cost that are always in the pool that is cheapest at that moment, wherever they were a moment ago.`,
  ];
}

const NOTHING: MarketOutcome = { cost: 0, bound: 0, interruptions: 0, late: 0, gapMs: 0 };

/** By how much fleets are to be cheaper than on demand only, and several pools than one, per cent. */
const GOAL = 70;
const THAN_ONE = 10;

/** Against what something was to be cheaper by so much, whether it was, and whether anybody could have been. */
interface Goal {
  readonly real: number;
  readonly possible: number;
  readonly least: number;
}

/** Nobody pays less than is possible, so a goal beyond that is nobody's. */
const reached = ({ real, possible, least }: Goal): string =>
  real >= least ? 'yes' : possible < least ? 'not possible' : 'no';

const SET_HEAD = [
  'pools',
  'USD',
  'cheaper %',
  'possible %',
  `at least ${GOAL} %`,
  'cheapest at the start',
  'cheaper than that one %',
  'possible %',
  `at least ${THAN_ONE} %`,
];

/** Each set against on demand only and against the one pool of it that anybody could have chosen beforehand; then all together. */
function ofSubsets(runs: readonly MarketRun[], prices: MarketSettings['prices']): readonly string[] {
  const [onDemand = NOTHING] = of(runs, 'on-demand');
  const costOf = (pool: string): number =>
    runs.find(({ variant }) => variant.kind === 'one' && variant.pools?.[0] === pool)?.market.cost ?? 0;
  const sets = runs
    .filter(({ variant }) => variant.kind === 'subset')
    .map(({ variant: { pools = [] }, market: { cost, bound } }) => {
      const than = (other: number, least: number): Goal => ({
        real: cheaperBy(cost, other),
        possible: cheaperBy(bound, other),
        least,
      });
      const chosen = cheapestAtStart(prices, pools);
      return {
        ...{ pools, cost, chosen },
        less: than(onDemand.cost, GOAL),
        lessThanOne: than(costOf(chosen), THAN_ONE),
        lessThanBest: than(Math.min(...pools.map(costOf)), THAN_ONE),
      };
    });
  if (sets.length === 0) return [];
  const rows = sets.map(({ pools, cost, chosen, less, lessThanOne }) => [
    ...[pools.join(', '), cost.toFixed(2), less.real.toFixed(1), less.possible.toFixed(1), reached(less)],
    ...[chosen, lessThanOne.real.toFixed(1), lessThanOne.possible.toFixed(1), reached(lessThanOne)],
  ]);
  const summary = (goals: readonly Goal[]): string => {
    const [real, possible] = [goals.map((each) => each.real), goals.map((each) => each.possible)];
    const count = (verdict: string): number => goals.filter((each) => reached(each) === verdict).length;
    return (
      `${lessOrMore(meanOf(real))} in the mean, ${lessOrMore(Math.min(...real))} in the worst ` +
      `(possible: ${lessOrMore(meanOf(possible))}, ${lessOrMore(Math.min(...possible))}); at least ${goals[0]?.least} % less in ` +
      `${count('yes')}, and in ${count('not possible')} nobody could be`
    );
  };
  return [
    '',
    ...table(SET_HEAD, rows, [0, 5]),
    '',
    `Of the ${sets.length} sets of pools, against on demand only: ${summary(sets.map(({ less }) => less))}. ` +
      `Against the pool of each set that was cheapest at the start: ${summary(sets.map(({ lessThanOne }) => lessThanOne))}. ` +
      `Against the one that turned out cheapest: ${summary(sets.map(({ lessThanBest }) => lessThanBest))}.`,
  ];
}

/** `texts`: columns that are no numbers. */
function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  texts: readonly number[],
): readonly string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, i) => (texts.includes(i) ? '---' : '---:'))), ...rows.map(line)];
}
