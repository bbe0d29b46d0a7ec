// Recorded prices of pools of interruptible VMs, in USD an hour.
import type { Millis } from '../model.ts';
import { priceRows, wrong, type PriceRow } from './price-rows.ts';

export interface PriceTrace {
  /** `us-east-1a/m3.medium` */
  readonly pool: string;
  /** Oldest first; a price holds until the next one. */
  readonly points: readonly PricePoint[];
}

export interface PricePoint {
  readonly at: Millis;
  readonly price: number;
}

interface Point extends PricePoint {
  readonly name: string;
  readonly where: string;
  /** Said to be for a VPC, as one had to say while there was EC2-Classic. */
  readonly vpc: boolean;
}

/** Of one file or several. A file whose rows name no zone and type is one pool, and named so: `m3.medium-us-east-1a.csv` is us-east-1a/m3.medium. */
export function parsePriceTraces(
  files: readonly { readonly name: string; readonly text: string }[],
): readonly PriceTrace[] {
  const pools = new Map<string, Point[]>();
  /** Who asked for several pools at once asked for all until then: a price that stands still has no newer row. */
  const ends = new Map<string, Millis>();
  for (const { name, text } of files) {
    const rows = ofLinux(priceRows(text, name), name);
    if (rows.length === 0) throw wrong(name, 'has no price');
    const named = poolOfName(name);
    const here = new Set<string>();
    let end = -Infinity;
    for (const row of rows) {
      const pool = poolOf(row, named, name);
      const [at, price] = [timeOf(row, name), priceOf(row, name)];
      const points = pools.get(pool) ?? [];
      pools.set(pool, points);
      points.push({ at, price, name, where: row.where, vpc: /vpc/i.test(row.product ?? '') });
      here.add(pool);
      end = Math.max(end, at);
    }
    for (const pool of here) ends.set(pool, Math.max(end, ends.get(pool) ?? -Infinity));
  }
  return Array.from(pools, ([pool, points]) => ({ pool, points: inOrder(pool, points, ends.get(pool) ?? -Infinity) }));
}

function inOrder(pool: string, all: readonly Point[], end: Millis): readonly PricePoint[] {
  const own = all.some(({ vpc }) => vpc) ? all.filter(({ vpc }) => vpc) : all;
  const prices = new Map<Millis, number>();
  for (const { at, price, name, where } of own) {
    const before = prices.get(at);
    if (before !== undefined && before !== price)
      throw wrong(
        name,
        `has in ${where} another price of ${pool} (${price}) than before for the same time (${before})`,
      );
    prices.set(at, price);
  }
  const points = Array.from(prices, ([at, price]) => ({ at, price })).sort((a, b) => a.at - b.at);
  const last = points.at(-1);
  return last === undefined || last.at >= end ? points : [...points, { at: end, price: last.price }];
}

/** What on-demand prices are compared with; other systems cost more, and their rows are left out. */
const LINUX = /^linux(\/unix)?( \(amazon vpc\))?$/i;

function ofLinux(rows: readonly PriceRow[], name: string): readonly PriceRow[] {
  const own = rows.filter(({ product }) => product === undefined || LINUX.test(product));
  if (own.length === 0 && rows.length > 0)
    throw wrong(name, `has prices of ${rows[0]?.product} only: those of Linux/UNIX are compared`);
  return own;
}

const poolOfName = (name: string): string | undefined => {
  const [, type, zone] = /^(.+?)-([a-z]{2}(?:-[a-z0-9]+)+-\d[a-z])\./.exec(name) ?? [];
  return type && `${zone}/${type}`;
};

function poolOf({ zone: said, region, type, where }: PriceRow, named: string | undefined, name: string): string {
  if (said === undefined && region !== undefined && !IS_ZONE.test(region))
    throw wrong(name, `names a region and no zone in ${where}: ${region}`);
  const zone = said ?? region;
  if (zone !== undefined && zone !== '' && type !== undefined && type !== '') return `${zone}/${type}`;
  if (zone !== undefined || type !== undefined) throw wrong(name, `names no zone and type in ${where}`);
  if (named === undefined)
    throw wrong(name, 'must be named type-zone, as m3.medium-us-east-1a.csv, or have the columns zone and type');
  return named;
}

const IS_ZONE = /\d[a-z]$/;

/** 2015-03-11T16:54:38Z, with any zone and a space for the T, or seconds (ten digits) or milliseconds (thirteen) since 1970. */
const TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?) ?(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?$/i;
const SINCE_1970 = /^(\d{10}|\d{13})(?:\.\d+)?$/;

function timeOf({ time, where }: PriceRow, name: string): Millis {
  const [, whole] = SINCE_1970.exec(time) ?? [];
  if (whole !== undefined) return Math.round(Number(time) * (whole.length === 10 ? 1000 : 1));
  const [, day = '', clock = '', zone = ''] = TIME.exec(time) ?? [];
  if (day !== '' && zone === '')
    throw wrong(
      name,
      `does not say in which time zone ${time} in ${where} is: write ${day}T${clock}Z or ${day}T${clock}+02:00`,
    );
  const offset = /^[a-z]/i.test(zone)
    ? 'Z'
    : zone.replace(/^(...):?(\d\d)?$/, (_, hours: string, minutes = '00') => `${hours}:${minutes}`);
  const at = Date.parse(`${day}T${clock.replace(',', '.')}${offset}`);
  // the 30th of February is taken for the 2nd of March
  const isDay = new Date(Date.parse(`${day}T00:00Z`) || 0).toISOString().startsWith(day);
  if (Number.isNaN(at) || !isDay)
    throw wrong(name, `has no time in ${where}: ${time === '' ? 'nothing' : time} (2015-03-11T16:54:38Z is one)`);
  return at;
}

// eslint-disable-next-line regexp/no-super-linear-backtracking -- by more than the square of its length, and LONGEST_PRICE bounds that
const PRICE = /^(\D*?)\s*([+-]?[\d.,]+(?:e[+-]?\d+)?)\s*(\D*)$/i;
const LONGEST_PRICE = 100;

function priceOf({ price, where }: PriceRow, name: string): number {
  const [, before, amount = '', after] = (price.length <= LONGEST_PRICE && PRICE.exec(price)) || [];
  const currency = `${before ?? ''}${(after ?? '').replace(AN_HOUR, '')}`.trim();
  if (amount !== '' && !['', '$', 'USD', 'US$', '$USD'].includes(currency.toUpperCase()))
    throw wrong(name, `has a price in ${currency} in ${where} (${price}): all are to be in USD, as those on demand`);
  if (amount.includes(',')) throw wrong(name, `has a comma in the price ${price} in ${where}: write it with a point`);
  const usd = amount === '' ? NaN : Number(amount);
  if (!Number.isFinite(usd)) throw wrong(name, `has no price in ${where}: ${price === '' ? 'nothing' : price}`);
  if (usd <= 0)
    throw wrong(name, `has the price ${price} in ${where}: no cloud gives VMs away, so leave that line out`);
  return usd;
}

const AN_HOUR = /( ?\/ ?| per )?(h|hr|hour)$/i;

/** The price at a time; before the first point the first one's. Asked in the order of time it costs next to nothing. */
export function priceReader({ points }: PriceTrace): (at: Millis) => number {
  let i = 0;
  return (at) => {
    if ((points[i]?.at ?? 0) > at) i = 0;
    while ((points[i + 1]?.at ?? Infinity) <= at) i++;
    return points[i]?.price ?? 0;
  };
}
