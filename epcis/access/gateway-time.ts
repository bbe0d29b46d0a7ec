// Whether what a gateway says of a client was said just now, where any clock may be wrong: the gateway's, this VM's, the repository's.
//
// The repository's clock, which all VMs have in common, decides as long as the gateway's is about the same. Where it is not, the gateway's own
// words tell its time: it has never said anything from its future, so what is older than the newest word by more than a word is good for is a
// repeated one. Only the first word of all has to agree with the VM's clock or the repository's, or to be ahead of both.

/** What a gateway says of a client is good for so long: as long as a request may wait for a VM, and clocks be apart. */
export const GOOD_FOR_MS = 120_000;
/** A gateway that is ahead by no more goes by the repository's clock. */
const APART_MS = 90_000;
/** Who was not heard for so long may have been set back meanwhile. */
const FORGOTTEN_MS = 300_000;

export interface Clocks {
  /** ms since 1970. */
  readonly repository: () => number;
  /** ms since 1970. */
  readonly own: () => number;
  /** ms of a clock that nobody sets. */
  readonly elapsed: () => number;
}

export class GatewayTime {
  readonly #clocks: Clocks;
  #newest = { expires: -Infinity, at: -Infinity };

  constructor(clocks: Clocks) {
    this.#clocks = clocks;
  }

  /** Of words that have the gateway's signature only: each is heard. */
  isGood(expires: number): boolean {
    const { repository, own, elapsed } = this.#clocks;
    const [at, there, here] = [elapsed(), repository(), own()];
    const { expires: newest, at: heardAt } = this.#newest;
    // what of the gateway's time is known for sure
    const passed = at - heardAt > FORGOTTEN_MS ? undefined : newest - GOOD_FOR_MS + (at - heardAt);
    const agrees = isOf(there, expires);
    if (!agrees && passed !== undefined && expires <= passed) return false;
    if (!agrees && passed === undefined && !isOf(here, expires) && expires <= Math.max(there, here)) return false;
    // one that agrees with the repository's clock, and is older, is of a gateway whose clock was set right, or of another one
    if (agrees || passed === undefined || expires > newest + (at - heardAt)) this.#newest = { expires, at };
    return true;
  }
}

/** Said about now by this clock, and not expired. */
const isOf = (clock: number, expires: number): boolean => expires > clock && expires <= clock + GOOD_FOR_MS + APART_MS;
