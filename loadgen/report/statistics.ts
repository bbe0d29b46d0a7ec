// Means over repetitions, with how far to trust them.

export interface Estimate {
  readonly mean: number;
  /** Half the width of the 95 % confidence interval (Student's t); undefined with a single value. */
  readonly half?: number;
  readonly values: readonly number[];
}

/** t such that 95 % of the distribution are within ±t, by degrees of freedom from 1 on. */
const T95 = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131];
const T95_MORE = [2.12, 2.11, 2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042];

/** Worked: 10, 12, 14: mean 12, standard deviation 2, 12 ± 4.303 × 2 / √3 = 12 ± 4.97. */
export function estimate(values: readonly number[]): Estimate | undefined {
  const n = values.length;
  if (n === 0) return undefined;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  if (n === 1) return { mean, values };
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1);
  return { mean, half: tOf(n - 1) * Math.sqrt(variance / n), values };
}

export const tOf = (freedom: number): number => [...T95, ...T95_MORE][freedom - 1] ?? 1.96;

export interface Difference {
  readonly mean: number;
  /** Half the width of the 95 % confidence interval; undefined where neither was repeated. */
  readonly half?: number;
}

/**
 * By how much the second mean is larger, both samples taken to scatter alike. Worked: 10, 12, 14 and 20, 22, 24: both have
 * the variance 4, so 10 ± 2.776 × √(4 × (1/3 + 1/3)) = 10 ± 4.53.
 */
export function difference(one: readonly number[], other: readonly number[]): Difference | undefined {
  const [a, b] = [estimate(one), estimate(other)];
  if (a === undefined || b === undefined) return undefined;
  const mean = b.mean - a.mean;
  const freedom = one.length + other.length - 2;
  if (freedom === 0) return { mean };
  const squares = [a, b].reduce((sum, { mean, values }) => sum + values.reduce((s, v) => s + (v - mean) ** 2, 0), 0);
  return { mean, half: tOf(freedom) * Math.sqrt((squares / freedom) * (1 / one.length + 1 / other.length)) };
}

/** "337 ± 12", with as many digits as the number deserves. */
export function text(value: Estimate | undefined): string {
  if (value === undefined) return '–';
  const digits = digitsOf(value.mean);
  return value.half === undefined
    ? value.mean.toFixed(digits)
    : `${value.mean.toFixed(digits)} ± ${value.half.toFixed(digits)}`;
}

/** Two or three figures: 0.042, 0.42, 4.50, 24.4, 337. */
export function number(value: number | undefined): string {
  return value === undefined ? '–' : value.toFixed(digitsOf(value));
}

/** With its sign: +0.42, −12.3. */
export const signed = (value: number): string => `${value < 0 ? '−' : '+'}${number(Math.abs(value))}`;

function digitsOf(value: number): number {
  const size = Math.abs(value);
  if (size >= 100 || value === 0) return 0;
  if (size >= 10) return 1;
  return size >= 0.1 ? 2 : 3;
}
