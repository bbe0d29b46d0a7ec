// How far expectations were off, of days in bounded space: a histogram whose bins are fine near 0 and wide far off, and
// whose weights fade. Errors are in units of the scatter that was expected with them.

/** Weights of the bins, the middle one for 0. */
export type Errors = readonly number[];

const HALF = 40;
const BINS = 2 * HALF + 1;
const STEP = 0.12;
const UNIT = 0.5;

/** Worked: bin 40 is 0, 41 is 0.06, 80 is 30. */
const valueOf = (bin: number): number => UNIT * Math.sinh((bin - HALF) * STEP);
const binOf = (error: number): number =>
  Math.max(0, Math.min(BINS - 1, HALF + Math.round(Math.asinh(error / UNIT) / STEP)));

/** What is taken before anything was seen: so many errors, exponentially scattered on both sides of `middle`. */
const PRIOR = 20;

export function noErrors(spread: number, middle: number): Errors {
  const weights = Array.from({ length: BINS }, (_, bin) => {
    const width = Math.cosh((bin - HALF) * STEP);
    return width * Math.exp(-Math.abs(valueOf(bin) - middle) / spread);
  });
  const sum = weights.reduce((all, weight) => all + weight, 0);
  return weights.map((weight) => (PRIOR * weight) / sum);
}

/** `kept`: what is left of the older ones' weight. */
export function withError(errors: Errors, error: number, weight: number, kept: number): Errors {
  const bin = binOf(error);
  return errors.map((old, i) => old * kept + (i === bin ? weight : 0));
}

/** The distribution in steps that are finer where it matters: in the upper tail. */
const EDGES = [0, 0.25, 0.5, 0.65, 0.75, 0.82, 0.88, 0.92, 0.95, 0.97, 0.985, 0.995, 0.999, 1];

/** The error in the middle of each step, and the step's share. */
export function stepsOf(errors: Errors): readonly { readonly error: number; readonly share: number }[] {
  const total = errors.reduce((sum, weight) => sum + weight, 0);
  let bin = 0;
  let below = 0;
  return EDGES.slice(1).map((edge, i) => {
    const from = EDGES[i] ?? 0;
    const wanted = ((from + edge) / 2) * total;
    while (bin < BINS - 1 && below + (errors[bin] ?? 0) < wanted) below += errors[bin++] ?? 0;
    return { error: valueOf(bin), share: edge - from };
  });
}
