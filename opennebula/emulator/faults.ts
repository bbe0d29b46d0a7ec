// What can be made to go wrong at the emulated front end, at run time.

export interface Faults {
  /** No host has room: VMs stay PENDING, with a SCHED_MESSAGE. */
  readonly noCapacity: boolean;
  /** Each boot ends in BOOT_FAILURE. */
  readonly bootFailure: boolean;
  /** The host's driver does not answer: the VM stays in BOOT and no other is placed, until the action's time is over. */
  readonly bootHang: boolean;
  /** A shutdown is accepted, and then the VM is RUNNING again; `terminate-hard` works. */
  readonly shutdownFailure: boolean;
  /** A shutdown does not end (until the fault is switched off); `terminate-hard` works. */
  readonly shutdownHang: boolean;
  /** The clean-up of VMs that leave fails: EPILOG_FAILURE, until it is asked for again. */
  readonly epilogFailure: boolean;
  /** The front end loses sight of the hosts: UNKNOWN, where a shutdown has no effect and `terminate-hard` works. */
  readonly hostLost: boolean;
  /** VMs that leave stay in EPILOG; only `recover` 3 by an administrator frees them, also later. */
  readonly stuckEpilog: boolean;
  /** Every login is refused. */
  readonly authLost: boolean;
  /** The front end does not listen. */
  readonly away: boolean;
  /** The front end takes calls and never answers. */
  readonly hang: boolean;
  /** Every answer is this many milliseconds late. */
  readonly slowMs: number;
  /** Answers are cut in the middle. */
  readonly truncated: boolean;
  /** `instantiate` is carried out, but the connection breaks before its answer. */
  readonly lostAnswer: boolean;
  /** Quota of VMs for the user; 0: none. */
  readonly quota: number;
  /** The virtual network has no address left. */
  readonly noLease: boolean;
}

export const NO_FAULTS: Faults = {
  noCapacity: false,
  bootFailure: false,
  bootHang: false,
  shutdownFailure: false,
  shutdownHang: false,
  epilogFailure: false,
  hostLost: false,
  stuckEpilog: false,
  authLost: false,
  away: false,
  hang: false,
  slowMs: 0,
  truncated: false,
  lostAnswer: false,
  quota: 0,
  noLease: false,
};
