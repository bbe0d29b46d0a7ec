// What an on-demand VM costs. AWS has no call for that in EC2's own API, so it is a table; an operator's own replaces it.
import { MmeliotError } from '../../src/errors.ts';

export const ON_DEMAND_REGION = 'us-east-1';

/**
 * Linux there, USD an hour: list prices of aws.amazon.com/ec2/pricing/on-demand as of January 2025; of types that are
 * gone from there (below) as of August 2015. Other regions cost more, mostly.
 */
export const ON_DEMAND_PRICES: ReadonlyMap<string, number> = new Map([
  ...Object.entries({ 't3.small': 0.0208, 't3.medium': 0.0416, 't3.large': 0.0832, 't3a.medium': 0.0376 }),
  ...Object.entries({ 't4g.small': 0.0168, 't4g.medium': 0.0336, 't4g.large': 0.0672 }),
  ...Object.entries({
    'm5.large': 0.096,
    'm5.xlarge': 0.192,
    'm5a.large': 0.086,
    'm6i.large': 0.096,
    'm6g.large': 0.077,
  }),
  ...Object.entries({ 'm7i.large': 0.1008, 'm7g.large': 0.0816, 'm7g.medium': 0.0408, 'm6g.medium': 0.0385 }),
  ...Object.entries({
    'c5.large': 0.085,
    'c5.xlarge': 0.17,
    'c6i.large': 0.085,
    'c6g.large': 0.068,
    'c7g.large': 0.0725,
  }),
  ...Object.entries({ 'r5.large': 0.126, 'r6i.large': 0.126, 'r6g.large': 0.1008 }),
  ...Object.entries({ 'm1.small': 0.044, 'm1.medium': 0.087, 'm1.large': 0.175, 'm1.xlarge': 0.35 }),
  ...Object.entries({ 'm2.xlarge': 0.245, 'm2.2xlarge': 0.49, 'm2.4xlarge': 0.98 }),
  ...Object.entries({ 'm3.medium': 0.067, 'm3.large': 0.133, 'm3.xlarge': 0.266, 'm3.2xlarge': 0.532 }),
  ...Object.entries({ 'c1.medium': 0.13, 'c1.xlarge': 0.52, 'c3.large': 0.105, 'c3.xlarge': 0.21, 'c3.2xlarge': 0.42 }),
  ...Object.entries({
    'c3.4xlarge': 0.84,
    'c3.8xlarge': 1.68,
    'cc2.8xlarge': 2,
    'cr1.8xlarge': 3.5,
    'g2.2xlarge': 0.65,
  }),
  ...Object.entries({ 'r3.large': 0.175, 'r3.xlarge': 0.35, 'r3.2xlarge': 0.7, 'r3.4xlarge': 1.4, 'r3.8xlarge': 2.8 }),
  ...Object.entries({ 'i2.xlarge': 0.853, 'i2.2xlarge': 1.705, 'i2.4xlarge': 3.41, 'i2.8xlarge': 6.82 }),
]);

/** A table with the columns type and price; others may stand beside them. */
export function parsePrices(text: string, name: string): ReadonlyMap<string, number> {
  const [head = [], ...lines] = text.split(/\r\n|\n|\r/).map((line) => line.split(',').map((cell) => cell.trim()));
  const [typeAt, priceAt] = ['type', 'price'].map((column) => head.indexOf(column));
  if (typeAt === -1 || priceAt === -1) throw wrong(`The price table ${name} must begin with the line type,price.`);
  const prices = new Map<string, number>();
  for (const [i, cells] of lines.entries()) {
    if (cells.join('') === '') continue;
    const [type = '', price = ''] = [cells[typeAt ?? 0], cells[priceAt ?? 1]];
    const where = `The price table ${name} has in line ${i + 2}`;
    if (
      type === '' ||
      price === '' ||
      cells.length !== head.length ||
      !(Number(price) >= 0 && Number(price) < Infinity)
    )
      throw wrong(`${where} no ${head.join(',')}: ${cells.join(',')}`);
    if ((prices.get(type) ?? Number(price)) !== Number(price))
      throw wrong(`${where} another price of ${type} than before.`);
    prices.set(type, Number(price));
  }
  return prices;
}

const wrong = (message: string): MmeliotError => new MmeliotError('CONFIG_INVALID', message);
