import { execFileSync } from 'node:child_process';
import { until } from '../../helpers/until.ts';
import { firstVm, type Fault } from './fault.ts';

export const vmOutOfMemory: Fault = {
  name: 'vm-out-of-memory',
  what: 'a VM gets no more memory, until it ends by that',
  inflict: async (world) => {
    const pid = firstVm(world);
    execFileSync('prlimit', ['--pid', String(pid), '--data=1:1']);
    const isGone = () => world.vms().every((vm) => vm.pid !== pid);
    // one that has all that it needs is ended as the kernel would
    await until('it has ended', isGone, 30_000).catch(() => process.kill(pid, 'SIGKILL'));
    await until('the manager has seen it', isGone, 60_000);
  },
};
