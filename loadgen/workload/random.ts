// Seeded chance for loads.
import { mix, seeded } from '../../src/random.ts';

export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
  /** Uniform whole number in [0, below). */
  below(below: number): number;
}

export function createRandom(seed: number): Random {
  const next = seeded(seed);
  const below = (limit: number): number => Math.floor(next() * limit);
  return { next, below };
}

/** The same number in [0, 1) for the same seed and index: chance that a pure function of time can use. */
export function noiseAt(seed: number, index: number): number {
  return mix((Math.imul(seed >>> 0, 0x9e3779b1) + Math.imul(index >>> 0, 0x85ebca6b)) >>> 0);
}
