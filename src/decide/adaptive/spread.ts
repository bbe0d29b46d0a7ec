// Loads that may come, as a distribution in few steps.

/** A load (requests a second) that may come, and how likely it is. */
export interface Scenario {
  readonly rate: number;
  readonly weight: number;
}

/** The distribution in steps that are finer where it matters: in the upper tail. */
const EDGES = [0, 0.25, 0.5, 0.65, 0.75, 0.82, 0.88, 0.92, 0.95, 0.97, 0.985, 0.995, 1];
/** The steps: the share of the cases below the middle of each, and its weight. */
export const STEPS = EDGES.slice(1).map((edge, n) => {
  const from = EDGES[n] ?? 0;
  return { middle: (from + edge) / 2, weight: edge - from };
});
/** Rates are sorted into so many classes. */
const CLASSES = 400;
/** Written anew in each call. */
const sums = new Float64Array(CLASSES);
const shares = new Float64Array(CLASSES);

/** Each step has the mean of the class of rates that its middle lies in. */
export function spread(rates: ArrayLike<number>, weights?: readonly number[]): readonly Scenario[] {
  let [least, most] = [Infinity, 0];
  for (let n = 0; n < rates.length; n++) {
    const rate = rates[n] ?? 0;
    if (rate < least) least = rate;
    if (rate > most) most = rate;
  }
  const scale = most > least ? (CLASSES - 1) / (most - least) : 0;
  sums.fill(0);
  shares.fill(0);
  let whole = 0;
  for (let n = 0; n < rates.length; n++) {
    const rate = rates[n] ?? 0;
    const weight = weights?.[n] ?? 1;
    const of = Math.floor((rate - least) * scale);
    sums[of] = (sums[of] ?? 0) + weight * rate;
    shares[of] = (shares[of] ?? 0) + weight;
    whole += weight;
  }
  let [of, below] = [0, shares[0] ?? 0];
  return STEPS.map(({ middle, weight }) => {
    while (of < CLASSES - 1 && below <= middle * whole) below += shares[++of] ?? 0;
    while (of > 0 && shares[of] === 0) of--;
    return { rate: (sums[of] ?? 0) / (shares[of] ?? 1), weight };
  });
}

/** The rate that is exceeded in (1 − share) of the cases. */
export function mostOf(cases: readonly Scenario[], share: number): number {
  let weight = 0;
  for (const { rate, weight: own } of cases) {
    weight += own;
    if (weight >= share - 1e-9) return rate;
  }
  return cases.at(-1)?.rate ?? 0;
}
