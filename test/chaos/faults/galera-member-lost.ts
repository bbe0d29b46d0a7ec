import { seconds, type Fault } from './fault.ts';

export const galeraMemberLost: Fault = {
  name: 'galera-member-lost',
  what: "kill -9 of the member of a Galera cluster that the VMs write to, back after 3 s with the others' data",
  world: { repository: 'galera' },
  inflict: async ({ repository: { cluster } }) => {
    await cluster?.kill(0);
    await seconds(3);
    await cluster?.start(0);
  },
};
