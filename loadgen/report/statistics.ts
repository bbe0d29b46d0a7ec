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
  const t = [...T95, ...T95_MORE][n - 2] ?? 1.96;
  return { mean, half: t * Math.sqrt(variance / n), values };
}

/** "337 ± 12", with as many digits as the number deserves. */
export function text(value: Estimate | undefined): string {
  if (value === undefined) return '–';
  const digits = digitsOf(value.mean);
  return value.half === undefined
    ? value.mean.toFixed(digits)
    : `${value.mean.toFixed(digits)} ± ${value.half.toFixed(digits)}`;
}

/** Three figures: 0.42, 4.50, 24.4, 337. */
export function number(value: number | undefined): string {
  return value === undefined ? '–' : value.toFixed(digitsOf(value));
}

function digitsOf(value: number): number {
  const size = Math.abs(value);
  if (size >= 100 || value === 0) return 0;
  return size >= 10 ? 1 : 2;
}
