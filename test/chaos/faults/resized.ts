import { until } from '../../helpers/until.ts';
import { seconds, type Fault } from './fault.ts';
import type { World } from './world.ts';

/** Also while its manager is away for a moment. */
const setSize = (world: World, vms: number): Promise<unknown> =>
  until(
    `the fleet is told to have ${vms} VMs`,
    () =>
      world.setSize(vms).then(
        () => true,
        () => false,
      ),
    60_000,
  );

export const resized: Fault = {
  name: 'resized',
  what: 'the fleet is to have three VMs, then one, then two again',
  inflict: async (world) => {
    for (const vms of [3, 1, 2]) {
      await setSize(world, vms);
      await seconds(3);
    }
  },
};
