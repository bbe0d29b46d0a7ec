import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { seconds, type Fault } from './fault.ts';

export const descriptorsExhausted: Fault = {
  name: 'descriptors',
  what: 'the gateway may open no more descriptors than it has for 3 s',
  inflict: async (world) => {
    const pid = String(world.gateway.child.pid);
    const before = /^Max open files +(\d+)/m.exec(readFileSync(`/proc/${pid}/limits`, 'utf8'))?.[1];
    const limit = (most: number | string | undefined) => execFileSync('prlimit', ['--pid', pid, `--nofile=${most}:`]);
    limit(readdirSync(`/proc/${pid}/fd`).length);
    try {
      await seconds(3);
    } finally {
      limit(before);
    }
  },
};
