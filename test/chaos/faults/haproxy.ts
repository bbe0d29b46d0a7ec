import { freeze, type Fault } from './fault.ts';

const world = { dataPlane: 'haproxy' } as const;

export const haproxyKilled: Fault = {
  name: 'haproxy-killed',
  what: 'kill -9 of the HAProxy under its plane',
  world,
  inflict: async (system) => void process.kill(system.haproxyPid(), 'SIGKILL'),
};

export const haproxyTerminated: Fault = {
  name: 'haproxy-terminated',
  what: 'the HAProxy under its plane is told to end by somebody else (SIGTERM)',
  world,
  inflict: async (system) => void process.kill(system.haproxyPid(), 'SIGTERM'),
};

export const haproxyFrozen: Fault = {
  name: 'haproxy-frozen',
  what: 'the HAProxy under its plane stands still for 5 s',
  world,
  inflict: (system) => freeze(system.haproxyPid(), 5),
};
