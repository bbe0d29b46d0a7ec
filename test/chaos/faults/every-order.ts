import type { Fault } from './fault.ts';
import type { World } from './world.ts';

/** While the gateway is away clients get no answer. A manager that finds no gateway ends, for its supervisor to start it again. */
async function stopAndStart(world: World): Promise<void> {
  for (const [first, second] of [
    ['gateway', 'manager'],
    ['manager', 'gateway'],
  ] as const) {
    for (const managerFirst of [false, true]) {
      for (const part of [first, second]) {
        world[part].child.kill('SIGTERM');
        await world[part].ended();
      }
      if (managerFirst) {
        const { status, output } = await world.secondManager().ended();
        if (status !== 2) throw new Error(`A manager without a gateway ended with status ${status}: ${output}`);
      }
      await world.startGateway();
      await world.startManager();
    }
  }
}

export const everyOrder: Fault = {
  name: 'every-order',
  what: 'gateway and manager are stopped, with all VMs, and started in every order',
  inflict: stopAndStart,
};

export const everyOrderKept: Fault = {
  name: 'every-order-kept',
  what: 'gateway and manager are stopped and started in every order, over VMs that stay',
  world: { keepsVms: true },
  inflict: stopAndStart,
};
