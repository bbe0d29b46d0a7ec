// What fleets cost by where their VMs come from, as Markdown: a row each, what several pools are worth, and all sets of pools.
import { markdownTable } from './markdown-table.ts';
import { cheaperBy, cheapestAtStart, type MarketRun, type MarketScene, type MarketVariant } from './markets.ts';
import { notesOn } from './price-notes.ts';
import type { MarketOutcome, MarketSettings } from '../simulate/simulated-market.ts';

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
    markdownTable(HEAD, rows, [0]),
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
    markdownTable(SET_HEAD, rows, [0, 5]),
    '',
    `Of the ${sets.length} sets of pools, against on demand only: ${summary(sets.map(({ less }) => less))}. ` +
      `Against the pool of each set that was cheapest at the start: ${summary(sets.map(({ lessThanOne }) => lessThanOne))}. ` +
      `Against the one that turned out cheapest: ${summary(sets.map(({ lessThanBest }) => lessThanBest))}.`,
  ];
}
