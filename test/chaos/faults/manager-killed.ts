import { seconds, type Fault } from './fault.ts';

export const managerKilled: Fault = {
  name: 'manager-killed',
  what: 'kill -9 of the manager, started again after 2 s',
  inflict: async (world) => {
    await world.manager.kill();
    await seconds(2);
    await world.startManager();
  },
};
