import { join } from 'node:path';
import { fillUp, mayMount as cannot } from '../../helpers/small-disk.ts';
import { firstVm, seconds, type Fault } from './fault.ts';

export const diskFull: Fault = {
  name: 'disk-full',
  what: 'the disk under database, journal and state is full for 3 s',
  world: { disk: '64m' },
  cannot,
  inflict: ({ dataDir }) => whileFull(dataDir, () => seconds(3)),
};

export const vmDiskFull: Fault = {
  name: 'vm-disk-full',
  what: 'the disk of the VMs (their logs, and where new ones come) is full for 6 s, in which one dies',
  world: { repository: 'mysql', vmDisk: '4m' },
  cannot,
  inflict: (world) =>
    whileFull(join(world.dataDir, 'vms'), async () => {
      process.kill(firstVm(world), 'SIGKILL');
      await seconds(6);
    }),
};

async function whileFull(folder: string, work: () => Promise<void>): Promise<void> {
  const makeRoom = fillUp(folder);
  try {
    await work();
  } finally {
    makeRoom();
  }
}
