// What a day, or an hour, looks like: the level of each of its minutes, newer ones weigh more. A pattern that comes each
// day is known from the second day on; one that comes every 5, 20 or 60 minutes from the second hour on.
import type { Millis } from '../../model.ts';

/** The level in each minute of the cycle (of the day: UTC); null: not seen yet. */
export type Profile = readonly (number | null)[];

const MINUTE = 60_000;
/** Weight of a new day. */
const NEW = 0.4;

export const noProfile = (minutes: number): Profile => new Array<null>(minutes).fill(null);

const minuteOf = (profile: Profile, at: Millis): number => Math.floor(at / MINUTE) % profile.length;

/** Counts when a new minute begins: the level of the minute that has ended. */
export function withLevel(profile: Profile, before: Millis, at: Millis, level: number): Profile {
  const minute = minuteOf(profile, before);
  if (minute === minuteOf(profile, at)) return profile;
  const old = profile[minute] ?? level;
  return profile.with(minute, old + NEW * (level - old));
}

/**
 * By how much the level rises from one moment to the other on such days; 0 where they haven't been seen. Each is smoothed
 * with so many minutes `around` it.
 */
export function rise(profile: Profile, from: Millis, to: Millis, around: number): number {
  const before = smoothed(profile, minuteOf(profile, from), around);
  const after = smoothed(profile, minuteOf(profile, to), around);
  return before === undefined || after === undefined ? 0 : after - before;
}

function smoothed(profile: Profile, minute: number, around: number): number | undefined {
  let sum = 0;
  for (let offset = -around; offset <= around; offset++) {
    const level = profile[(minute + offset + profile.length) % profile.length] ?? null;
    if (level === null) return undefined;
    sum += level;
  }
  return sum / (2 * around + 1);
}
