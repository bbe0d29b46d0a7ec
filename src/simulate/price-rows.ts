// The forms in which recorded prices come: tables with a head, AWS CLI's answer to describe-spot-price-history as JSON or text.
// Here they only become rows; what these say is read in price-trace.ts.
import { MmeliotError } from '../errors.ts';

export interface PriceRow {
  /** `line 7`, or of JSON `entry 7`. */
  readonly where: string;
  readonly time: string;
  readonly price: string;
  readonly zone?: string;
  readonly type?: string;
  readonly product?: string;
}

type Column = Exclude<keyof PriceRow, 'where'>;

/** What columns and fields are called, without case, spaces and signs: AWS's names, and those of who exports them. */
const NAMES: Readonly<Record<Column, readonly string[]>> = {
  time: ['time', 'timestamp', 'date', 'datetime'],
  price: ['price', 'spotprice', 'priceusd', 'spotpriceusd', 'usd'],
  zone: ['zone', 'availabilityzone', 'az'],
  type: ['type', 'instancetype'],
  product: ['product', 'productdescription', 'os'],
};

const columnOf = (name: string): Column | undefined => {
  const plain = name.toLowerCase().replace(/[^a-z]/g, '');
  return (Object.keys(NAMES) as Column[]).find((column) => NAMES[column].includes(plain));
};

export function priceRows(text: string, name: string): readonly PriceRow[] {
  const clean = text.replace(/^\uFEFF/, '');
  if (/^\s*[[{]/.test(clean)) return ofJson(clean, name);
  const lines = clean.split(/\r\n|\n|\r/);
  return lines.some((line) => line.startsWith(AWS_TEXT)) ? ofAwsText(lines, name) : ofTable(lines, name);
}

/** `aws ... --output text` begins its lines so: then zone, type, product, price, time. */
const AWS_TEXT = 'SPOTPRICEHISTORY\t';

function ofAwsText(lines: readonly string[], name: string): readonly PriceRow[] {
  return filled(lines).map(({ line, where }) => {
    const [, zone = '', type = '', product = '', price = '', time] = line.split('\t');
    if (!line.startsWith(AWS_TEXT) || time === undefined)
      throw wrong(name, `has in ${where} no zone, type, product, price and time after ${AWS_TEXT.trim()}: ${line}`);
    return { where, zone, type, product, price, time };
  });
}

function ofTable(lines: readonly string[], name: string): readonly PriceRow[] {
  const [head, ...rows] = filled(lines);
  const separator = [';', '\t', ','].find((each) => head?.line.includes(each)) ?? ',';
  const columns = cellsOf(head?.line ?? '', separator).map(columnOf);
  for (const column of ['time', 'price'] as const)
    if (columns.filter((each) => each === column).length !== 1)
      throw wrong(
        name,
        `must have a head line with one column ${column}, such as time,price: it begins with ${quoted(head?.line)}`,
      );
  return rows.map(({ line, where }) => {
    const cells = cellsOf(line, separator);
    if (cells.length !== columns.length)
      throw wrong(name, `has ${cells.length} cells in ${where} where its head has ${columns.length}: ${line}`);
    const row = Object.fromEntries(columns.flatMap((column, i) => (column ? [[column, cells[i]]] : [])));
    return { where, ...(row as Record<'time' | 'price', string>) };
  });
}

function ofJson(text: string, name: string): readonly PriceRow[] {
  let said: unknown;
  try {
    said = JSON.parse(text);
  } catch (error) {
    throw wrong(name, `is no JSON: ${(error as Error).message}`);
  }
  const list = Array.isArray(said) ? said : (said as Readonly<Record<string, unknown>>)['SpotPriceHistory'];
  if (!Array.isArray(list))
    throw wrong(name, 'has no list SpotPriceHistory, as aws ec2 describe-spot-price-history answers');
  return list.map((entry: unknown, i) => {
    const where = `entry ${i + 1}`;
    const fields = Object.entries(typeof entry === 'object' && entry !== null ? entry : {});
    const row = Object.fromEntries(
      fields.flatMap(([field, value]) => {
        const column = columnOf(field);
        return column && (typeof value === 'string' || typeof value === 'number') ? [[column, String(value)]] : [];
      }),
    ) as Partial<Record<Column, string>>;
    const { time, price } = row;
    if (time === undefined || price === undefined)
      throw wrong(name, `has no Timestamp and SpotPrice in ${where}: ${JSON.stringify(entry)}`);
    return { ...row, where, time, price };
  });
}

const filled = (lines: readonly string[]): readonly { readonly line: string; readonly where: string }[] =>
  lines.map((line, i) => ({ line: line.trim(), where: `line ${i + 1}` })).filter(({ line }) => line !== '');

/** Cells may stand in quotes, and have the separator in them. */
const cellsOf = (line: string, separator: string): readonly string[] =>
  Array.from(`${separator}${line}`.matchAll(CELL[separator] ?? /(?!)/g), ([, inQuotes, plain = '']) =>
    (inQuotes?.replaceAll('""', '"') ?? plain).trim(),
  );

const cell = (separator: string): RegExp =>
  new RegExp(`${separator}\\s*(?:"((?:[^"]|"")*)"\\s*|([^${separator}]*))`, 'g');
const CELL: Readonly<Record<string, RegExp>> = { ',': cell(','), ';': cell(';'), '\t': cell('\\t') };

const quoted = (line = ''): string => (line === '' ? 'nothing' : line.slice(0, 100));

export const wrong = (name: string, what: string): MmeliotError =>
  new MmeliotError('BAD_REQUEST', `The price trace ${name} ${what.replace(/\.$/, '')}.`);
