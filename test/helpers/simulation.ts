// Simulations for tests: what `quiet` is in a process, and short runs.
import { simulate, type SimulationOptions, type SimulationResult } from '../../src/simulate/simulate.ts';

export const quiet = (): Promise<unknown> => new Promise((resolve) => setImmediate(resolve));

export const HOUR = 3_600_000;
export const MINUTE = 60_000;

/** A day's wave in an hour, from a low rate to a high one and back. */
export const wave =
  (low: number, high: number, length = HOUR) =>
  (t: number): number =>
    low + ((high - low) * (1 - Math.cos((2 * Math.PI * t) / length))) / 2;

export const simulated = (options: Omit<SimulationOptions, 'quiet'>): Promise<SimulationResult> =>
  simulate({ ...options, quiet });
