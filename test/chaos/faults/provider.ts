// The cloud in trouble while it is needed: a VM dies, and another has to be made.
import { NO_FAULTS, type Faults } from '../../../opennebula/emulator/faults.ts';
import { until } from '../../helpers/until.ts';
import { firstVm, seconds, type Fault } from './fault.ts';

const inTrouble = (name: string, what: string, trouble: Partial<Faults>): Fault => ({
  name: `provider-${name}`,
  what: `the cloud ${what} for 6 s, in which a VM dies`,
  world: { cloud: 'opennebula' },
  inflict: async (world) => {
    const before = new Set(world.vms().map(({ pid }) => pid));
    await world.cloud.emulator.setFaults(trouble);
    try {
      process.kill(firstVm(world), 'SIGKILL');
      await seconds(6);
    } finally {
      await world.cloud.emulator.setFaults(NO_FAULTS);
    }
    await until('another VM is made', () => world.vms().some(({ pid }) => !before.has(pid)), 60_000);
  },
});

export const providerAway = inTrouble('away', 'does not listen', { away: true });
export const providerHangs = inTrouble('hangs', 'takes calls and never answers', { hang: true });
export const providerSlow = inTrouble('slow', 'answers 2 s late', { slowMs: 2_000 });
export const providerCutsOff = inTrouble('cuts-off', 'breaks off in the middle of each answer', { truncated: true });
export const providerLies = inTrouble(
  'lies',
  'makes VMs and does not say so, and has running again what was shut down',
  {
    lostAnswer: true,
    shutdownFailure: true,
  },
);
