// Seeded chance: the same seed gives the same numbers on every machine.

/** mulberry32, uniform in [0, 1): 32 bits of state, period 2^32, enough for loads and simulations. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    return mix(state);
  };
}

/** The same number in [0, 1) for the same state, which looks like none for the next. */
export function mix(state: number): number {
  let x = Math.imul(state ^ (state >>> 15), state | 1);
  x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
  return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
}
