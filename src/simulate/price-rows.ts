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
  /** Some say so and mean the zone. */
  readonly region?: string;
}

type Column = Exclude<keyof PriceRow, 'where'>;

/** What columns and fields are called, without case, spaces and signs: AWS's names, and those of who exports them. */
const NAMES: Readonly<Record<Column, RegExp>> = {
  time: /^(utc)?((date)?time(stamp)?|date)(utc)?$/,
  price: /^((spot)?price(in)?(usd)?|usd)(per)?(h|hr|hour|hourly)?$/,
  zone: /^((availability)?zone|az)$/,
  type: /^(instance)?type$/,
  product: /^(product(description)?|os)$/,
  region: /^region$/,
};
const COLUMNS = Object.keys(NAMES) as readonly Column[];

const columnOf = (name: string): Column | undefined => {
  const plain = name.toLowerCase().replace(/[^a-z]/g, '');
  return COLUMNS.find((column) => NAMES[column].test(plain));
};

export function priceRows(text: string, name: string): readonly PriceRow[] {
  const clean = text.replace(/^\uFEFF/, '');
  if (NO_TEXT.test(clean.slice(0, 1_000)))
    throw wrong(name, 'is no text: CSV, TSV, or JSON of AWS CLI are read, also zipped by gzip');
  if (/^\s*[[{]/.test(clean)) return ofJson(clean, name);
  const lines = clean.split(/\r\n|\n|\r/);
  return lines.some((line) => line.startsWith(AWS_TEXT)) ? ofAwsText(lines, name) : ofTable(lines, name);
}

const NO_TEXT = /[\u0000-\u0008\uFFFD]/;

/** `aws ... --output text` begins its lines so: then zone, today the zone's id, type, product, price, time. */
const AWS_TEXT = 'SPOTPRICEHISTORY\t';
/** Where `--max-items` ended the answer. */
const AWS_NEXT = 'NEXTTOKEN\t';

function ofAwsText(lines: readonly string[], name: string): readonly PriceRow[] {
  const told = filled(lines).filter(({ line }) => !line.startsWith(AWS_NEXT));
  return told.map(({ line, where }) => {
    const [, zone = '', ...rest] = line.split('\t');
    const [type = '', product = '', price = '', time = ''] = rest.slice(-4);
    if (!line.startsWith(AWS_TEXT) || rest.length < 4 || rest.length > 5)
      throw wrong(
        name,
        `has in ${where} no zone, type, product, price and time after ${AWS_TEXT.trim()}: ${cut(line)}`,
      );
    return { where, zone, type, product, price, time };
  });
}

function ofTable(lines: readonly string[], name: string): readonly PriceRow[] {
  const [head, ...rows] = filled(lines);
  const begins = `it begins with ${head === undefined ? 'nothing' : cut(head.line)}`;
  const separator = [';', '\t', ','].find((each) => head?.line.includes(each)) ?? ',';
  const names = cellsOf(head?.line ?? '', separator);
  const columns = names.map(columnOf);
  const count = (column: Column): number => columns.filter((each) => each === column).length;
  for (const column of ['time', 'price'] as const)
    if (count(column) !== 1)
      throw wrong(name, `must have a head line with one column ${column}, such as time,price: ${begins}`);
  const double = COLUMNS.find((column) => count(column) > 1);
  if (double) throw wrong(name, `must have a head line with no more than one column ${double}: ${begins}`);
  const isUtc = /utc/i.test(names[columns.indexOf('time')] ?? '');
  return rows.map(({ line, where }) => {
    const cells = cellsOf(line, separator);
    if (cells.length !== columns.length)
      throw wrong(name, `has ${cells.length} cells in ${where} where its head has ${columns.length}: ${cut(line)}`);
    const row = Object.fromEntries(columns.flatMap((column, i) => (column ? [[column, cells[i]]] : []))) as Record<
      'time' | 'price',
      string
    >;
    return { where, ...row, ...(isUtc && NO_ZONE.test(row.time) && { time: `${row.time} UTC` }) };
  });
}

const NO_ZONE = /^\d{4}-.*[T ]\d\d:[\d:.,]+$/;

function ofJson(text: string, name: string): readonly PriceRow[] {
  return documentsOf(text, name)
    .flatMap((said) => entriesOf(said, name))
    .map((entry, i) => {
      const where = `entry ${i + 1}`;
      const fields = Object.entries(isObject(entry) ? entry : {});
      const row = Object.fromEntries(
        fields.flatMap(([field, value]) => {
          const column = columnOf(field);
          return column && (typeof value === 'string' || typeof value === 'number') ? [[column, String(value)]] : [];
        }),
      ) as Partial<Record<Column, string>>;
      const { time, price } = row;
      if (time === undefined || price === undefined)
        throw wrong(name, `has no Timestamp and SpotPrice in ${where}: ${cut(JSON.stringify(entry))}`);
      return { ...row, where, time, price };
    });
}

/** One, or several one after the other: pages of answers, or an entry a line. */
function documentsOf(text: string, name: string): readonly unknown[] {
  try {
    return [JSON.parse(text)];
  } catch (error) {
    const parts = text.trim().split(BETWEEN);
    try {
      if (parts.length > 1) return parts.map((part): unknown => JSON.parse(part));
    } catch {
      // what was wrong with the whole is told
    }
    throw wrong(name, `is no JSON: ${(error as Error).message}`);
  }
}

/** Within a document nothing begins at the line's begin that isn't parted from what is before by a comma. */
const BETWEEN = /(?<=[}\]])\s*\n(?=[{[])/;

/** Of an answer of AWS, of several in a list, of a list of entries, or an entry alone. */
function entriesOf(said: unknown, name: string): readonly unknown[] {
  if (Array.isArray(said)) return said.flatMap((each: unknown) => (isAnswer(each) ? entriesOf(each, name) : [each]));
  if (isAnswer(said)) return said.SpotPriceHistory;
  if (isObject(said) && Object.keys(said).some((field) => columnOf(field) === 'price')) return [said];
  throw wrong(name, 'has no list SpotPriceHistory, as aws ec2 describe-spot-price-history answers');
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const isAnswer = (value: unknown): value is { readonly SpotPriceHistory: readonly unknown[] } =>
  isObject(value) && 'SpotPriceHistory' in value && Array.isArray(value.SpotPriceHistory);

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

const cut = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text);

export const wrong = (name: string, what: string): MmeliotError =>
  new MmeliotError('BAD_REQUEST', `The price trace ${name} ${what.replace(/\.$/, '')}.`);
