// What EC2 offers us: each type in each zone, on demand and interruptible, at the prices of the moment.
import { MmeliotError } from '../src/errors.ts';
import type { Market, Millis, Offer } from '../src/model.ts';
import type { Ec2Client, InstanceType, Subnet } from './client.ts';
import { marketOf, offerId, type Ec2Instance } from './documents/instance.ts';
import { ON_DEMAND_PRICES } from './documents/prices.ts';

export interface OffersOptions {
  readonly template: string;
  /** Empty: the launch template's. */
  readonly types: readonly string[];
  /** Empty: the default ones of the region. */
  readonly subnets: readonly string[];
  /** On-demand prices by type; default: a table of our own. */
  readonly prices?: ReadonlyMap<string, number> | undefined;
  /** Prices are read anew after this. Default a minute. */
  readonly priceMs?: Millis;
}

/** Subnets and types are what they are for a day; how many addresses a subnet has left is looked at as often. */
const INVENTORY_MS = 600_000;

interface Stock {
  readonly types: readonly InstanceType[];
  readonly subnets: readonly Subnet[];
}

export interface Offers {
  all(): Promise<readonly Offer[]>;
  /** What an instance is; undefined before offers could be read, and for a type that nobody named. */
  of(instance: Ec2Instance): Offer | undefined;
  /** Subnets of a zone, the roomiest first. */
  subnetsIn(zone: string): Promise<readonly string[]>;
}

export function createOffers(client: Ec2Client, options: OffersOptions, now: () => Millis): Offers {
  const stock = kept(INVENTORY_MS, now, () => readStock(client, options));
  const offers = kept(options.priceMs ?? 60_000, now, async () => {
    const { types, subnets } = await stock.read();
    const names = types.map(({ name }) => name);
    return listed(types, subnets, await client.spotPrices(names, now()), options.prices ?? ON_DEMAND_PRICES);
  });
  return {
    all: () => offers.read(),
    of: (instance) => {
      const id = offerId(instance.zone, instance.type, marketOf(instance));
      return offers.last?.find((offer) => offer.id === id);
    },
    async subnetsIn(zone) {
      const { subnets } = await stock.read();
      const here = subnets.filter((subnet) => subnet.zone === zone).sort((a, b) => b.free - a.free);
      return here.map(({ id }) => id);
    },
  };
}

async function readStock(client: Ec2Client, { types, subnets, template }: OffersOptions): Promise<Stock> {
  const names = types.length > 0 ? types : [await client.templateType(template)];
  const [name] = names;
  if (name === undefined)
    throw new MmeliotError(
      'PROVIDER_REFUSED',
      `Set ec2.types: the launch template ${template} names no instance type.`,
    );
  const stock = {
    types: await client.types(names.filter((each) => each !== undefined)),
    subnets: await client.subnets(subnets),
  };
  if (stock.subnets.length === 0)
    throw new MmeliotError('PROVIDER_REFUSED', 'Set ec2.subnets: the region has no default subnets.');
  return stock;
}

/** On-demand offers first, cheapest first among each. A pool that has no price is not offered: it is none. */
function listed(
  types: readonly InstanceType[],
  subnets: readonly Subnet[],
  spot: ReadonlyMap<string, number>,
  onDemand: ReadonlyMap<string, number>,
): readonly Offer[] {
  const zones = [...new Set(subnets.map(({ zone }) => zone))].sort();
  const pools = types.flatMap((size) => zones.map((zone) => ({ size, zone, pool: `${zone}/${size.name}` })));
  const offer = ({ size, zone, pool }: (typeof pools)[number], market: Market, price: number): Offer => ({
    id: offerId(zone, size.name, market),
    size,
    market,
    pool,
    price,
  });
  const byPrice = (offers: readonly Offer[]) => [...offers].sort((a, b) => a.price - b.price);
  return [
    ...byPrice(pools.map((one) => offer(one, 'on-demand', priceOf(one.size.name, onDemand)))),
    ...byPrice(
      pools.flatMap((one) => {
        const price = spot.get(one.pool);
        return price === undefined ? [] : [offer(one, 'interruptible', price)];
      }),
    ),
  ];
}

function priceOf(type: string, prices: ReadonlyMap<string, number>): number {
  const price = prices.get(type);
  if (price !== undefined) return price;
  throw new MmeliotError(
    'PROVIDER_REFUSED',
    `What does ${type} cost an hour on demand? Say it in the table that ec2.prices names.`,
  );
}

/** Read once a while; a read that fails leaves the last answer standing for who can do with it. */
function kept<T>(ms: Millis, now: () => Millis, read: () => Promise<T>) {
  let last: T | undefined;
  let readAt = -Infinity;
  let reading: Promise<T> | undefined;
  const again = async (): Promise<T> => {
    const value = await read();
    [last, readAt] = [value, now()];
    return value;
  };
  return {
    get last(): T | undefined {
      return last;
    },
    read: (): Promise<T> => {
      if (last !== undefined && now() - readAt < ms) return Promise.resolve(last);
      return (reading ??= again().finally(() => (reading = undefined)));
    },
  };
}
