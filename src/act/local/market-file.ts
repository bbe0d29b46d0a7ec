// The toy market of the local provider: a JSON file, read anew each time, so that prices move when somebody edits it.
//
//   { "offers": [
//       { "pool": "here/small", "market": "on-demand", "price": 0.067 },
//       { "pool": "here/large", "market": "on-demand", "price": 0.25, "cpu": 2, "memory": 2147483648 },
//       { "pool": "here/small", "market": "interruptible", "price": 0.009, "room": 3 } ],
//     "notices": { "vm-3": "2026-01-01T12:00:00Z", "here/small": 1767268800000 } }
import { readFile } from 'node:fs/promises';
import { MmeliotError } from '../../errors.ts';
import type { Millis } from '../../model.ts';
import { onlyOffer } from '../provider.ts';
import type { ToyMarket, ToyOffer } from '../toy-market.ts';

/** Without a file there is one offer, on demand. */
export const localMarket = async (file: string | undefined, vcpu: number): Promise<ToyMarket> =>
  file ? readMarket(file, vcpu) : { offers: [onlyOffer('local', 1, vcpu)] };

/** `vcpu`: what a VM has of which the offer doesn't say. */
async function readMarket(file: string, vcpu: number): Promise<ToyMarket> {
  try {
    const { offers, notices = {} } = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
    if (!Array.isArray(offers) || offers.length === 0) throw new Error('there are no offers');
    return { offers: offers.map((offer) => readOffer(offer, vcpu)), notices: readNotices(notices) };
  } catch (error) {
    throw new MmeliotError('PROVIDER_FAILED', `The market in ${file} can't be read: ${(error as Error).message}.`);
  }
}

function readOffer(given: unknown, vcpu: number): ToyOffer {
  const { pool, market = 'on-demand', price, room, cpu = vcpu, memory } = (given ?? {}) as Record<string, unknown>;
  if (typeof pool !== 'string' || pool === '') throw new Error('an offer has no pool');
  if (market !== 'on-demand' && market !== 'interruptible')
    throw new Error(`the market of ${pool} is neither on-demand nor interruptible`);
  if (typeof price !== 'number' || !(price >= 0)) throw new Error(`the price of ${pool} is no number`);
  if (room !== undefined && typeof room !== 'number') throw new Error(`the room of ${pool} is no number`);
  if (typeof cpu !== 'number' || !(cpu > 0)) throw new Error(`the cpu of ${pool} is no number above 0`);
  if (memory !== undefined && !(typeof memory === 'number' && memory > 0))
    throw new Error(`the memory of ${pool} is no number of bytes above 0`);
  const name = pool.slice(pool.lastIndexOf('/') + 1);
  const size = { name, vcpu: cpu, ...(memory !== undefined && { memoryBytes: memory }) };
  return { id: `${pool}/${market}`, size, market, pool, price, ...(room !== undefined && { room }) };
}

const readNotices = (given: unknown): Readonly<Record<string, Millis>> =>
  Object.fromEntries(
    Object.entries(given ?? {}).map(([name, at]) => {
      const time = typeof at === 'string' ? Date.parse(at) : Number(at);
      if (Number.isNaN(time)) throw new Error(`the notice of ${name} is no time`);
      return [name, time];
    }),
  );
