// How many cases a property is tried with: few in the suite, as many as `npm run differential` is told by hand.
const { PROPERTY_RUNS, PROPERTY_SEED } = process.env;

/** `seed`: of the suite's cases, where they are the same in every run. */
export const runs = (inSuite: number, seed?: number): { numRuns: number; seed?: number } => {
  const chosen = PROPERTY_SEED === undefined ? seed : Number(PROPERTY_SEED);
  return {
    numRuns: PROPERTY_RUNS === undefined ? inSuite : Number(PROPERTY_RUNS),
    ...(chosen !== undefined && { seed: chosen }),
  };
};
