import { type Fault } from './fault.ts';

export const managerTwice: Fault = {
  name: 'manager-twice',
  what: 'a second manager is started over the same folder: it refuses',
  inflict: async (world) => {
    const { status, output } = await world.secondManager().ended();
    if (status !== 2) throw new Error(`The second manager ended with status ${status}: ${output}`);
  },
};
