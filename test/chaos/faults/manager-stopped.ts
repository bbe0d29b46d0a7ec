import { type Fault } from './fault.ts';

export const managerStopped: Fault = {
  name: 'manager-stopped',
  what: 'SIGTERM to the manager, which releases its VMs, and its next start',
  inflict: async (world) => {
    world.manager.child.kill('SIGTERM');
    await world.manager.ended();
    await world.startManager();
  },
};
