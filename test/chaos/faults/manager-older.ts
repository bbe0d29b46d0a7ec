import { seconds, type Fault } from './fault.ts';

export const managerOlder: Fault = {
  name: 'manager-older-configuration',
  what: 'the manager is killed and started with an older configuration (one VM, another period), then with its own',
  inflict: async (world) => {
    await world.manager.kill();
    await world.startManager({}, ['elasticity.period=2s', 'elasticity.min=1', 'elasticity.max=1']);
    await seconds(5);
    await world.manager.kill();
    await world.startManager();
  },
};
