// The profiles by name.
import { noiseAt } from '../workload/random.ts';
import { SECOND, type Profile, type ProfileOptions, type Shape } from './profile.ts';
import { ascending, constant, descending, exponential, spike, step, wave } from './shapes.ts';
import { traceShape, type Trace } from './trace.ts';

export type { Profile, ProfileOptions } from './profile.ts';

const SHAPES = { ascending, descending, constant, step, spike, wave, exponential } satisfies Record<
  string,
  (options: ProfileOptions) => Shape
>;

export type ProfileName = keyof typeof SHAPES;
export const PROFILE_NAMES = Object.keys(SHAPES) as readonly ProfileName[];

export function isProfileName(name: string): name is ProfileName {
  return Object.hasOwn(SHAPES, name);
}

export function createProfile(name: ProfileName, options: ProfileOptions): Profile {
  return overTime(SHAPES[name](options), options);
}

/** A recorded trace, stretched over the run, its highest point at max. */
export function createTraceProfile(trace: Trace, options: ProfileOptions): Profile {
  return overTime(traceShape(trace, options), options);
}

function overTime(shape: Shape, { max, duration, seed = 1, noise = 0 }: ProfileOptions): Profile {
  return (t) => {
    if (t < 0 || t >= duration) return 0;
    const factor = noise === 0 ? 1 : 1 + noise * (2 * noiseAt(seed, Math.floor(t / SECOND)) - 1);
    return Math.min(max, shape(t / duration) * factor);
  };
}
