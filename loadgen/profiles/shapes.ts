// The built-in shapes, each a function of the share of the run that has passed (0 to 1).
import { noiseAt } from '../workload/random.ts';
import type { ProfileOptions, Shape } from './profile.ts';

/** From 1 to max in a straight line, as in the paper (1 to 210). Half-way of 1 to 61: 31. */
export const ascending = ({ max }: ProfileOptions): Shape => {
  const from = Math.min(1, max);
  return (at) => from + (max - from) * at;
};

/** From max to 0 in a straight line, as in the paper (210 to 0). */
export const descending =
  ({ max }: ProfileOptions): Shape =>
  (at) =>
    max * (1 - at);

export const constant =
  ({ max }: ProfileOptions): Shape =>
  () =>
    max;

/** A staircase of four equal steps: a quarter of max, a half, three quarters, max. */
export const step =
  ({ max }: ProfileOptions): Shape =>
  (at) =>
    (max * (Math.floor(at * STEPS) + 1)) / STEPS;
const STEPS = 4;

/** A tenth of max, and three spikes of max: one in each third of the run, a twentieth of it long, where the seed says. */
export const spike =
  ({ max, seed = 1 }: ProfileOptions): Shape =>
  (at) => {
    const third = Math.min(Math.floor(at * SPIKES), SPIKES - 1);
    const start = third / SPIKES + noiseAt(seed, third) * (1 / SPIKES - SPIKE_WIDTH);
    return at >= start && at < start + SPIKE_WIDTH ? max : max / 10;
  };
const SPIKES = 3;
const SPIKE_WIDTH = 1 / 20;

/** Two sine waves between a tenth of max and max, starting at the bottom. */
export const wave =
  ({ max }: ProfileOptions): Shape =>
  (at) =>
    max * (0.1 + 0.9 * (0.5 - 0.5 * Math.cos(at * WAVES * 2 * Math.PI)));
const WAVES = 2;

/** From 1 to max, growing by the same factor in equal times. Half-way of 1 to 100: 10. */
export const exponential =
  ({ max }: ProfileOptions): Shape =>
  (at) =>
    max < 1 ? max * at : max ** at;
