// One after the other. A VM in slow start is passed over by chance, in proportion to what it lacks.
import type { Candidate, Selector } from './selector.ts';

export const roundRobin: Selector = (vms, { turn, random, shareOf }) => {
  for (let i = 0; i < vms.length; i++) {
    const vm = vms[(turn + i) % vms.length] as Candidate;
    const share = shareOf(vm);
    if (share >= 1 || random() < share) return vm;
  }
  return vms[turn % vms.length] as Candidate;
};
