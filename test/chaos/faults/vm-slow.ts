import { firstVm, freeze, seconds, type Fault } from './fault.ts';

export const vmSlow: Fault = {
  name: 'vm-slow',
  what: 'a VM runs a tenth of the time for 5 s',
  inflict: async (world) => {
    const pid = firstVm(world);
    for (let i = 0; i < 50; i++) {
      await freeze(pid, 0.09);
      await seconds(0.01);
    }
  },
};
