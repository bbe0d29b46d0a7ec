// Quantities as people write them, each with its unit: durations (in ms inside) and sizes (in bytes).

export interface Quantity {
  /** Smallest first. */
  readonly units: Readonly<Record<string, number>>;
  readonly example: string;
}

export const DURATION: Quantity = {
  // `min` as some write it, `m` as we do
  units: { ms: 1, s: 1_000, min: 60_000, m: 60_000, h: 3_600_000, d: 86_400_000 },
  example: 'a duration such as 500ms, 10s, 2m, 1h30m or 7d',
};

export const SIZE: Quantity = {
  units: { B: 1, kB: 1e3, KiB: 2 ** 10, MB: 1e6, MiB: 2 ** 20, GB: 1e9, GiB: 2 ** 30 },
  example: 'a size such as 64kB, 100MB or 1GiB',
};

/** `90s` → 90,000; `1h30m` → 5,400,000; `128MiB` → 134,217,728. Undefined for what is no such quantity. */
export function parseQuantity({ units }: Quantity, text: string): number | undefined {
  // as a whole first: in very many digits without a unit each would be the beginning of one
  if (!/^(?:\d+(?:\.\d+)?[A-Za-z]+)+$/.test(text)) return undefined;
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)([A-Za-z]+)/g)];
  const sum = parts.reduce((all, [, number, unit = '']) => {
    return all + Number(number) * (Object.hasOwn(units, unit) ? (units[unit] ?? NaN) : NaN);
  }, 0);
  // 1.001 s are 1,001 ms, and not 1,000.9999999999999
  return Number.isFinite(sum) ? Number(sum.toPrecision(15)) : undefined;
}

/** 90,000 → `90s`: in the largest unit that it is a whole number of. */
export function showQuantity({ units }: Quantity, value: number): string {
  const [smallest = ''] = Object.keys(units);
  const whole = Object.entries(units).filter(([, size]) => value >= size && value % size === 0);
  const [unit, size] = whole.at(-1) ?? [smallest, 1];
  return `${value / size}${unit}`;
}

/** What is wrong with a text, or a number, that is no such quantity. */
export function refuseQuantity(quantity: Quantity, given: unknown): string {
  const number = typeof given === 'number' ? given : /^\d+(\.\d+)?$/.test(String(given)) ? Number(given) : NaN;
  if (!(number >= 0)) return `${quantity.example} is expected`;
  return `it has no unit; did you mean ${showQuantity(quantity, number * guessedUnit(quantity, number))}?`;
}

/** People think in seconds, programs in ms: `10` is 10 s, `15000` is 15 s. */
const guessedUnit = (quantity: Quantity, number: number): number => (quantity === DURATION && number < 1000 ? 1000 : 1);

export const parseDuration = (text: string): number | undefined => parseQuantity(DURATION, text);
