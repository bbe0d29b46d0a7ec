import { firstVm, freeze, type Fault } from './fault.ts';

export const vmFrozen: Fault = {
  name: 'vm-frozen',
  what: 'a VM stands still for 5 s',
  inflict: (world) => freeze(firstVm(world), 5),
};
