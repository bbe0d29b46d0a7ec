// A profile says how much load there is at each time of a run. A pure function of time: no clock, no state.

/** What a profile is made from. Times in ms; `t` runs from 0 to `duration`. */
export interface ProfileOptions {
  /** The highest load: requests a burst, clients, or arrivals a second, by the drive (see pacer.ts). */
  readonly max: number;
  readonly duration: number;
  /** For the profiles with chance in them, and for `noise`. Default 1. */
  readonly seed?: number;
  /** Each second's load is multiplied by a seeded factor in [1 − noise, 1 + noise], never above max. Default 0. */
  readonly noise?: number;
}

/** The load at time t, from 0 to max; 0 outside of [0, duration). */
export type Profile = (t: number) => number;

/** What one kind of profile knows: its load at a share of the run, `at` in [0, 1), as a number from 0 to max. */
export type Shape = (at: number) => number;

export const SECOND = 1000;
