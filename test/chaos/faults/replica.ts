// The replica that queries read from is in trouble: what they see may lag, and nobody waits for long.
import { freeze, seconds, type Fault } from './fault.ts';

const world = { repository: 'mysql with a replica' } as const;

/** What it is behind without any fault, and in catching up, on a busy machine. */
const CATCHING_UP_MS = 4_000;

export const replicaLags: Fault = {
  name: 'replica-lags',
  what: 'the replica that queries read from gets nothing for 5 s',
  world,
  lag: () => 5_000 + CATCHING_UP_MS,
  inflict: async ({ replicated }) => {
    await replicated.hold();
    await seconds(5);
    await replicated.goOn();
    await replicated.caughtUp();
  },
};

export const replicaFrozen: Fault = {
  name: 'replica-frozen',
  what: 'the replica that queries read from says nothing for 8 s (SIGSTOP)',
  world,
  lag: () => 8_000 + CATCHING_UP_MS,
  inflict: async ({ replicated }) => {
    await freeze(replicated.replica.pid(), 8);
    await replicated.caughtUp();
  },
};

export const replicaLost: Fault = {
  name: 'replica-lost',
  what: 'kill -9 of the replica that queries read from, started again after 3 s',
  world,
  lag: () => 3_000 + CATCHING_UP_MS,
  inflict: async ({ replicated }) => {
    await replicated.replica.kill();
    await seconds(3);
    await replicated.replica.start();
    await replicated.caughtUp();
  },
};
