import { until } from '../../helpers/until.ts';
import { firstVm, type Fault } from './fault.ts';

export const vmKilled: Fault = {
  name: 'vm-killed',
  what: 'kill -9 of a VM, until another is in its place',
  inflict: async (world) => {
    const pid = firstVm(world);
    process.kill(pid, 'SIGKILL');
    await until('the manager has seen it', () => !world.vms().some((vm) => vm.pid === pid), 60_000);
  },
};
