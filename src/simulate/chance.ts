// Chance of a simulation: the same seed gives the same one on every machine.
import { seeded } from '../random.ts';

export interface Chance {
  /** Uniform in [0, 1). */
  readonly uniform: () => number;
  readonly exponential: (mean: number) => number;
  readonly normal: () => number;
  /** A whole number of arrivals where `mean` are expected. */
  readonly poisson: (mean: number) => number;
  /** Work of a request: lognormal with mean 1. */
  readonly work: (variation: number) => number;
}

export function createChance(seed: number): Chance {
  const uniform = seeded(seed);
  const exponential = (mean: number): number => -mean * Math.log(1 - uniform());
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  return { uniform, exponential, normal, poisson, work };

  function poisson(mean: number): number {
    if (mean <= 0) return 0;
    if (mean > 30) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal()));
    const limit = Math.exp(-mean);
    let count = 0;
    for (let product = uniform(); product > limit; product *= uniform()) count++;
    return count;
  }

  /** Worked: variation 1: variance of the logarithm ln 2, its mean −ln 2 / 2, so that the mean work is 1. */
  function work(variation: number): number {
    const variance = Math.log(1 + variation ** 2);
    return variance === 0 ? 1 : Math.exp(normal() * Math.sqrt(variance) - variance / 2);
  }
}
