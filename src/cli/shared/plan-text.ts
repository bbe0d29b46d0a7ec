// What the mix would buy, as tables: what is on offer, and fleets of each size.
import { hasChoice, limitOf, onDemandPrice, fits } from '../../fleet/offers.ts';
import { purchases } from '../../fleet/mix.ts';
import { showPrice } from '../../fleet/money.ts';
import type { ElasticityParameters } from '../../decide/parameters.ts';
import type { Offer } from '../../model.ts';
import { table } from './table.ts';

/** Sizes that are shown where the operator names none. */
const MOST_ROWS = 12;

export function planText(offers: readonly Offer[], parameters: ElasticityParameters, only?: number): string {
  const { min, max, base, spotShare, pools } = parameters;
  const sizes = only === undefined ? sizesBetween(min, max) : [only];
  const mix = `base ${base}, ${spotShare} % of the rest interruptible, over ${pools} pools`;
  return [
    'On offer',
    ...table(offers.toSorted((a, b) => a.price - b.price).map((offer) => offerRow(offer, offers, parameters))),
    '',
    hasChoice({ offers, resting: [] }) ? `The mix: ${mix}` : 'There is nothing to choose',
    ...table([
      ['VMs', 'an hour', 'on demand', 'saves', 'bought'],
      ...sizes.map((n) => fleetRow(n, offers, parameters)),
    ]),
    '',
  ].join('\n');
}

function offerRow(offer: Offer, offers: readonly Offer[], parameters: ElasticityParameters): readonly string[] {
  const { pool, market, price, size } = offer;
  const limit = market === 'interruptible' ? limitOf(offer, offers, parameters) : Infinity;
  const why = !fits(offer, parameters) ? 'does not fit' : price > limit ? `above ${showPrice(limit)}` : '';
  return [pool, market, showPrice(price), `${size.name}, ${size.vcpu} vCPU`, why];
}

function fleetRow(n: number, offers: readonly Offer[], parameters: ElasticityParameters): readonly string[] {
  const bought = purchases(n, [], { offers, resting: [] }, parameters);
  const cost = sum(bought.map(({ offer }) => offer.price));
  const onDemand = sum(bought.map(({ offer }) => onDemandPrice(offer, offers)));
  const saves = onDemand === 0 ? 0 : (1 - cost / onDemand) * 100;
  const kinds = new Map<string, number>();
  for (const { offer } of bought) kinds.set(offer.id, (kinds.get(offer.id) ?? 0) + 1);
  const what = [...kinds].map(([id, count]) => `${count} × ${id}`).join(', ');
  return [String(n), showPrice(cost), showPrice(onDemand), `${saves.toFixed(0)} %`, what || 'nothing fits'];
}

function sizesBetween(min: number, max: number): readonly number[] {
  const step = Math.max(1, Math.ceil((max - min) / (MOST_ROWS - 1)));
  const sizes = Array.from({ length: Math.floor((max - min) / step) + 1 }, (_, i) => min + i * step);
  return sizes.at(-1) === max ? sizes : [...sizes, max];
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0);
