import { freeze, type Fault } from './fault.ts';

export const managerFrozen: Fault = {
  name: 'manager-frozen',
  what: 'the manager stands still for 5 s',
  inflict: (world) => freeze(world.manager.child.pid ?? 0, 5),
};
