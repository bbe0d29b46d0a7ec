// What can be made to go wrong at the emulated EC2, at run time.

export interface Faults {
  /** Pools without capacity, by commas: `us-east-1a/m3.medium`, also only for one market: `us-east-1a/m3.medium/spot`; `*`: none has any. */
  readonly noCapacity: string;
  /** Spot requests that the account may have; 0: any number. */
  readonly spotLimit: number;
  /** The account has never had a spot instance, and the caller may not make the role that they need. */
  readonly noSpotRole: boolean;
  /** Calls a second, beyond which RequestLimitExceeded is answered; 0: no limit. */
  readonly callsPerSecond: number;
  /** Instances can't be described, tagged or terminated for so long after they were accepted. */
  readonly invisibleMs: number;
  /** Boots take so much longer. */
  readonly slowBootMs: number;
  /** Each boot ends in `terminated`, as a broken disk image's does. */
  readonly bootFailure: boolean;
  /** Spot instances are taken without a notice: neither metadata nor spot request tell. */
  readonly noNotice: boolean;
  /** The metadata service knows of no notice; the spot request does. */
  readonly silentMetadata: boolean;
  /** ClientToken is ignored, as some implementations do. */
  readonly noClientToken: boolean;
  /** RunInstances is carried out, but the connection breaks before its answer. */
  readonly lostAnswer: boolean;
  /** Each login is refused. */
  readonly authLost: boolean;
  /** The login was a temporary one, and its time is over. */
  readonly loginExpired: boolean;
  /** EC2's clock is so far ahead of ours; below 0: behind. */
  readonly clockMs: number;
  /** EC2 does not listen. */
  readonly away: boolean;
  /** Calls are taken and never answered. */
  readonly hang: boolean;
  /** Every answer is this many milliseconds late. */
  readonly slowMs: number;
  /** Answers are cut in the middle. */
  readonly truncated: boolean;
}

export const NO_FAULTS: Faults = {
  noCapacity: '',
  spotLimit: 0,
  noSpotRole: false,
  callsPerSecond: 0,
  invisibleMs: 0,
  slowBootMs: 0,
  bootFailure: false,
  noNotice: false,
  silentMetadata: false,
  noClientToken: false,
  lostAnswer: false,
  authLost: false,
  loginExpired: false,
  clockMs: 0,
  away: false,
  hang: false,
  slowMs: 0,
  truncated: false,
};
