import type { Fault } from './fault.ts';
import type { World } from './world.ts';

async function stopAndStart(world: World): Promise<void> {
  world.manager.child.kill('SIGTERM');
  await world.manager.ended();
  await world.startManager();
}

export const managerStopped: Fault = {
  name: 'manager-stopped',
  what: 'SIGTERM to the manager, which releases its VMs, and its next start',
  inflict: stopAndStart,
};

export const managerStoppedKept: Fault = {
  name: 'manager-stopped-kept',
  what: 'SIGTERM to the manager, which leaves its VMs, and its next start',
  world: { keepsVms: true },
  inflict: stopAndStart,
};
