// Recorded prices of a pool of interruptible VMs: lines of `time,price`, in USD an hour.
import { MmeliotError } from '../errors.ts';
import type { Millis } from '../model.ts';

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

/** `name` is the file's: `m3.medium-us-east-1a.csv` is the pool us-east-1a/m3.medium. */
export function parsePriceTrace(text: string, name: string): PriceTrace {
  const [, type, zone] = /^(.+?)-([a-z]{2}-[a-z-]+-\d[a-z])\.csv$/.exec(name) ?? [];
  if (type === undefined || zone === undefined)
    throw wrong(`The price trace ${name} must be named type-zone.csv, as m3.medium-us-east-1a.csv.`);
  const [head, ...lines] = text.trim().split(/\r?\n/);
  if (head?.trim() !== 'time,price') throw wrong(`The price trace ${name} must begin with the line time,price.`);
  const points = lines.map((line, i) => {
    const [time = '', price = ''] = line.split(',');
    const at = Date.parse(time);
    if (Number.isNaN(at) || price.trim() === '' || !(Number(price) >= 0))
      throw wrong(`The price trace ${name} has no time and price in line ${i + 2}: ${line}`);
    return { at, price: Number(price) };
  });
  if (points.length === 0) throw wrong(`The price trace ${name} has no price.`);
  return { pool: `${zone}/${type}`, points: points.sort((a, b) => a.at - b.at) };
}

const wrong = (message: string): MmeliotError => new MmeliotError('BAD_REQUEST', message);

/** The price at a time; before the first point the first one's. Asked in the order of time it costs next to nothing. */
export function priceReader({ points }: PriceTrace): (at: Millis) => number {
  let i = 0;
  return (at) => {
    if ((points[i]?.at ?? 0) > at) i = 0;
    while ((points[i + 1]?.at ?? Infinity) <= at) i++;
    return points[i]?.price ?? 0;
  };
}
