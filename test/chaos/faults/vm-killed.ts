import { until } from '../../helpers/until.ts';
import { firstVm, type Fault } from './fault.ts';

const ended = (name: string, what: string, signal: 'SIGKILL' | 'SIGTERM'): Fault => ({
  name,
  what: `${what}, until another is in its place`,
  inflict: async (world) => {
    const pid = firstVm(world);
    process.kill(pid, signal);
    await until('the manager has seen it', () => !world.vms().some((vm) => vm.pid === pid), 60_000);
  },
});

export const vmKilled = ended('vm-killed', 'kill -9 of a VM', 'SIGKILL');
export const vmTerminated = ended('vm-terminated', 'a VM is told to end by somebody else (SIGTERM)', 'SIGTERM');
