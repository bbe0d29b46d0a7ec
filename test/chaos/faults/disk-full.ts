import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { firstVm, seconds, type Fault } from './fault.ts';

const cannot = (): string | undefined => (process.getuid?.() === 0 ? undefined : 'only root may mount a small disk');

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
  const ballast = join(folder, 'ballast');
  fill(ballast);
  try {
    await work();
  } finally {
    rmSync(ballast);
  }
}

function fill(file: string): void {
  const descriptor = openSync(file, 'w');
  const piece = Buffer.alloc(65_536);
  try {
    for (;;) writeSync(descriptor, piece);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    closeSync(descriptor);
  }
}
