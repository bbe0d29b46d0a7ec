// mmeliot compare --markets: money instead of policies.
import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setImmediate as quiet } from 'node:timers/promises';
import { ON_DEMAND_PRICES, ON_DEMAND_REGION, parsePrices } from '../../ec2/documents/prices.ts';
import { traceLine, type Trace } from '../../loadgen/profiles/trace.ts';
import { OptionError } from '../../loadgen/workload/option-error.ts';
import { regionsOf } from '../compare/price-notes.ts';
import { marketsMarkdown } from '../compare/markets-report.ts';
import { marketVariants, runMarket, type MarketRun, type MarketScene } from '../compare/markets.ts';
import { policyNames, type PolicyName } from '../decide/policies/index.ts';
import { ratePerVm } from '../queueing/queueing.ts';
import type { PriceTrace } from '../simulate/price-trace.ts';
import { commonTime, type MarketSettings } from '../simulate/simulated-market.ts';
import type { VmModel } from '../simulate/vm-model.ts';
import { durationOf } from './shared/load-options.ts';
import { makeFolder } from './shared/output-file.ts';
import { readPriceTraces } from './shared/price-traces.ts';
import { objectiveOf, positive } from './shared/simulated-load.ts';
import { toldTrace } from './shared/told-trace.ts';
import { timeLeft } from '../time-left.ts';

export interface MarketsOptions {
  /** Folder of price traces. */
  readonly markets: string;
  readonly onDemand?: string;
  readonly notice: string;
  readonly spread: string;
  readonly subsets: string;
  readonly period: string;
  readonly policy: string;
  readonly boot: string;
  readonly objective: string;
  readonly max: string;
  readonly seed: string;
  readonly out: string;
  readonly vm: VmModel;
  /** Of the prices; all of them where it isn't given. */
  readonly span?: string;
}

const DAY = 86_400_000;

/** Utilization of the largest fleet at the trace's peak. */
const AT_PEAK = 0.95;

export async function compareMarkets(traces: readonly string[], options: MarketsOptions): Promise<void> {
  const market = await marketOf(options.markets, options.onDemand, options.notice);
  await makeFolder('--out', options.out);
  const done: { readonly load: string; readonly runs: readonly MarketRun[] }[] = [];
  let text = '';
  const begun = performance.now();
  for (const path of traces) {
    const scene = sceneOf(basename(path).replace(/\.\w+$/, ''), await toldTrace(path), market, options);
    const runs: MarketRun[] = [];
    const variants = marketVariants(scene);
    for (const variant of variants) {
      runs.push(await runMarket(scene, variant, quiet));
      const [made, all] = [done.length * variants.length + runs.length, traces.length * variants.length];
      const left = timeLeft(performance.now() - begun, made, all);
      process.stderr.write(`${made} of ${all}: ${scene.name}, ${variant.name}${left}\n`);
    }
    done.push({ load: scene.name, runs });
    text += marketsMarkdown(scene.name, runs, scene);
    await writeFile(join(options.out, 'markets.md'), text);
    await writeFile(join(options.out, 'markets.json'), `${JSON.stringify(done)}\n`);
  }
  process.stdout.write(text);
}

export async function marketOf(path: string, onDemand: string | undefined, notice: string): Promise<MarketSettings> {
  const prices = await readPriceTraces(path);
  const table =
    onDemand === undefined
      ? ON_DEMAND_PRICES
      : parsePrices(
          await readFile(onDemand, 'utf8').catch(({ code }: NodeJS.ErrnoException) => {
            throw new OptionError(`The price table ${onDemand} can't be read (${code}).`);
          }),
          onDemand,
        );
  for (const { pool } of prices) {
    const type = pool.slice(pool.indexOf('/') + 1);
    if (!table.has(type))
      throw new OptionError(`What does ${type} cost an hour on demand? Say it in the table of --on-demand.`);
  }
  const elsewhere = regionsOf(prices).filter((region) => region !== ON_DEMAND_REGION);
  if (onDemand === undefined && elsewhere.length > 0)
    process.stderr.write(
      `On-demand prices are those of ${ON_DEMAND_REGION}, and there are pools of ${elsewhere.join(', ')}: ` +
        'name a table of prices there by --on-demand, or what is saved is only about right.\n',
    );
  const { from, to } = commonTime(prices);
  if (from > to) throw new OptionError(`The price traces in ${path} have no time in common: ${spansOf(prices)}.`);
  return { prices, onDemand: table, noticeMs: durationOf('--notice', notice) };
}

const spansOf = (prices: readonly PriceTrace[]): string =>
  prices.map(({ pool, points }) => `${pool} from ${dayOf(points[0])} to ${dayOf(points.at(-1))}`).join(', ');

const dayOf = (point: PriceTrace['points'][number] | undefined): string =>
  new Date(point?.at ?? 0).toISOString().slice(0, 10);

function sceneOf(name: string, trace: Trace, market: MarketSettings, options: MarketsOptions): MarketScene {
  const max = Math.round(positive('--max', options.max));
  const objective = objectiveOf(options.objective);
  return {
    name,
    market,
    at: traceLine(trace, max * ratePerVm(options.vm) * AT_PEAK),
    duration: spanOf(options.span, market),
    vm: options.vm,
    bootMs: durationOf('--boot', options.boot),
    objective,
    parameters: { policy: policyOf(options.policy), max, period: durationOf('--period', options.period) },
    spread: Math.round(positive('--spread', options.spread)),
    subsets: subsetsOf(options.subsets, market),
    seed: positive('--seed', options.seed),
  };
}

/** Each takes seconds. */
const MOST_SETS = 1_000;

function subsetsOf(subsets: string, { prices }: MarketSettings): number {
  const size = Number(subsets);
  if (Number.isInteger(size) && size >= 0 && size <= prices.length) {
    let sets = 1;
    for (let i = 0; i < size; i++) sets = (sets * (prices.length - i)) / (i + 1);
    if (size > 0 && sets > MOST_SETS)
      throw new OptionError(
        `--subsets ${subsets} of ${prices.length} pools are ${Math.round(sets)} sets, each a run: ${MOST_SETS} at most.`,
      );
    return size;
  }
  throw new OptionError(`--subsets ${subsets}: a whole number up to ${prices.length}, since there are so many pools.`);
}

/** As long as there are prices, and no longer. */
function spanOf(span: string | undefined, { prices }: MarketSettings): number {
  const { from, to } = commonTime(prices);
  if (from === to) throw new OptionError('The price traces have no more than one moment in common.');
  const duration = span === undefined ? to - from : durationOf('--span', span);
  if (duration <= to - from) return duration;
  const days = ((to - from) / DAY).toFixed(1);
  throw new OptionError(`--span ${span}: the price traces have ${days} days in common; leave it away for all of them.`);
}

export function policyOf(name: string): PolicyName {
  const policy = policyNames.find((each) => each === name);
  if (policy === undefined)
    throw new OptionError(`--policy: there is no policy "${name}"; there are: ${policyNames.join(', ')}.`);
  return policy;
}
