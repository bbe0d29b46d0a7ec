// Was it the system that was slow, or the generator? A run that the generator limited says nothing about the system.

export interface OwnTrouble {
  /** Requests not sent because `maxOpen` were open. */
  readonly notSent: number;
  readonly maxOpen: number;
  /** 99 % of the requests were sent at most so many ms after their intended start. */
  readonly late: number;
  /** Mean ms of the answers. */
  readonly latency: number;
  /** The longest time that the generator's thread did nothing for its requests, ms. */
  readonly longestStall: number;
  /** Share of the busiest second that the generator's thread was busy, 0 to 1. */
  readonly busiest: number;
  /** Requests lost because this machine had no socket or port for them. */
  readonly outOfSockets: number;
}

/** Later than this, ms, and than a tenth of the mean latency, and the latency shows the generator. A burst of 210 takes some 10 ms to send. */
const LATE = 50;
const BUSY = 0.95;

export function findBottleneck(own: OwnTrouble): string | undefined {
  if (own.outOfSockets > 0) {
    return `This machine had no socket for ${own.outOfSockets} requests: raise its limit of open files or spread the load over several generators.`;
  }
  if (own.notSent > 0) {
    return `${own.notSent} requests were not sent because ${own.maxOpen} were open already.`;
  }
  if (own.late > Math.max(LATE, own.latency / 10)) {
    const stall = `its thread stood still for up to ${Math.round(own.longestStall)} ms`;
    return `One request in a hundred was sent more than ${Math.round(own.late)} ms late; ${stall}.`;
  }
  if (own.busiest > BUSY) {
    return `The generator's own thread was busy for ${Math.round(own.busiest * 100)} % of its busiest second.`;
  }
  return undefined;
}
