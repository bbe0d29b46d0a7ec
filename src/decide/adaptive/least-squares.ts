// A linear model learned as time goes on: sums of squares that fade, and the weights that fit them best. In bounded space.

export interface Fit {
  /** Σ w x xᵀ by rows, and Σ w x y. */
  readonly squares: readonly number[];
  readonly products: readonly number[];
  readonly weights: readonly number[];
}

/** Holds the weights near 0 until there is evidence. */
const RIDGE = 2;
/** No weight is beyond ± this. */
const MOST = 2;

export const noFit = (size: number): Fit => ({
  squares: Array.from({ length: size * size }, (_, i) => (i % (size + 1) === 0 ? RIDGE : 0)),
  products: new Array<number>(size).fill(0),
  weights: new Array<number>(size).fill(0),
});

/** One more pair of x and y; `kept`: what is left of the older ones'. The weights stay as they are (`solved`). */
export function withPair(fit: Fit, x: readonly number[], y: number, weight: number, kept: number): Fit {
  const size = x.length;
  return {
    squares: fit.squares.map((old, i) => {
      const [row, column] = [Math.floor(i / size), i % size];
      const ridge = row === column ? (1 - kept) * RIDGE : 0;
      return old * kept + weight * (x[row] ?? 0) * (x[column] ?? 0) + ridge;
    }),
    products: fit.products.map((old, i) => old * kept + weight * (x[i] ?? 0) * y),
    weights: fit.weights,
  };
}

/** With the weights that fit best, by elimination; the ridge keeps the squares positive. */
export function solved(fit: Fit): Fit {
  const size = fit.products.length;
  const rows = fit.products.map((product, i) => [...fit.squares.slice(i * size, (i + 1) * size), product]);
  for (const [i, pivot] of rows.entries())
    for (const row of rows.slice(i + 1)) {
      const factor = (row[i] ?? 0) / (pivot[i] ?? 1);
      for (let k = i; k <= size; k++) row[k] = (row[k] ?? 0) - factor * (pivot[k] ?? 0);
    }
  const weights = new Array<number>(size).fill(0);
  for (let i = size - 1; i >= 0; i--) {
    const row = rows[i] ?? [];
    const known = weights.reduce((sum, weight, k) => (k > i ? sum + weight * (row[k] ?? 0) : sum), 0);
    const weight = ((row[size] ?? 0) - known) / (row[i] ?? 1);
    weights[i] = Number.isFinite(weight) ? Math.max(-MOST, Math.min(MOST, weight)) : 0;
  }
  return { ...fit, weights };
}

export const fitted = ({ weights }: Fit, x: readonly number[]): number =>
  x.reduce((sum, value, i) => sum + value * (weights[i] ?? 0), 0);
