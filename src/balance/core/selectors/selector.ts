// Port: which of the VMs that can take a request gets it.

/** What a selector sees of a VM. */
export interface Candidate {
  readonly id: string;
  readonly inFlight: number;
  /** Those of them that are uploads. */
  readonly uploads: number;
  /** Response time in ms, peaks first (see vm-pool); 0: nothing measured. */
  readonly peak: number;
  /** Load in per cent of the last period, where the manager reported it. */
  readonly load: number | undefined;
}

/** What comes from outside, so that a selector stays a pure function. */
export interface Chance {
  /** Counts requests: 0, 1, 2, ... */
  readonly turn: number;
  /** A number in [0, 1). */
  readonly random: () => number;
  /** Share of its part that a VM gets: below 1 while it starts slowly. */
  readonly shareOf: (vm: Candidate) => number;
  /** Whether the request that is placed is an upload. */
  readonly isUpload: boolean;
}

/** Chooses among at least one. */
export type Selector = (vms: readonly Candidate[], chance: Chance) => Candidate;

/** The least by `cost`; among equals the one whose turn it is. */
export function least(vms: readonly Candidate[], turn: number, cost: (vm: Candidate) => number): Candidate {
  let best = vms[turn % vms.length] as Candidate;
  let bestCost = cost(best);
  for (let i = 1; i < vms.length; i++) {
    const vm = vms[(turn + i) % vms.length] as Candidate;
    const vmCost = cost(vm);
    if (vmCost < bestCost) {
      best = vm;
      bestCost = vmCost;
    }
  }
  return best;
}

/** Two different VMs by chance (the same one twice when there is no other). */
export function twoOf(vms: readonly Candidate[], random: () => number): [Candidate, Candidate] {
  const first = Math.floor(random() * vms.length);
  const second = vms.length === 1 ? first : (first + 1 + Math.floor(random() * (vms.length - 1))) % vms.length;
  return [vms[first] as Candidate, vms[second] as Candidate];
}
