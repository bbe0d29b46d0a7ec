// Seeded chance: the same seed gives the same numbers on every machine.

export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
  /** Uniform whole number in [0, below). */
  below(below: number): number;
  /** One of these, each as likely. */
  pick<T>(from: readonly [T, ...T[]]): T;
}

/** mulberry32: 32 bits of state, period 2^32, enough for workloads and much faster than it needs to be. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    return mix(state);
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return { next, below, pick: (from) => from[below(from.length)] ?? from[0] };
}

/** The same number in [0, 1) for the same seed and index: chance that a pure function of time can use. */
export function noiseAt(seed: number, index: number): number {
  return mix((Math.imul(seed >>> 0, 0x9e3779b1) + Math.imul(index >>> 0, 0x85ebca6b)) >>> 0);
}

function mix(state: number): number {
  let x = Math.imul(state ^ (state >>> 15), state | 1);
  x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
  return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
}
