import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { firstVm, seconds, type Fault } from './fault.ts';
import type { World } from './world.ts';

const exhausted = (name: string, what: string, pidOf: (world: World) => number | undefined): Fault => ({
  name: `descriptors-${name}`,
  what: `${what} may open no more descriptors than it has for 3 s`,
  inflict: async (world) => {
    const pid = String(pidOf(world));
    const before = /^Max open files +(\d+)/m.exec(readFileSync(`/proc/${pid}/limits`, 'utf8'))?.[1];
    const limit = (most: number | string | undefined) => execFileSync('prlimit', ['--pid', pid, `--nofile=${most}:`]);
    limit(readdirSync(`/proc/${pid}/fd`).length);
    try {
      await seconds(3);
    } finally {
      limit(before);
    }
  },
});

export const gatewayDescriptors = exhausted('gateway', 'the gateway', ({ gateway }) => gateway.child.pid);
export const managerDescriptors = exhausted('manager', 'the manager', ({ manager }) => manager.child.pid);
export const vmDescriptors = exhausted('vm', 'a VM', firstVm);
