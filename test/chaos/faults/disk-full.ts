import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { seconds, type Fault } from './fault.ts';

export const diskFull: Fault = {
  name: 'disk-full',
  what: 'the disk under database, journal and state is full for 3 s',
  world: { disk: '64m' },
  cannot: () => (process.getuid?.() === 0 ? undefined : 'only root may mount a small disk'),
  inflict: async ({ dataDir }) => {
    const ballast = join(dataDir, 'ballast');
    fill(ballast);
    try {
      await seconds(3);
    } finally {
      rmSync(ballast);
    }
  },
};

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
