import { existsSync } from 'node:fs';
import { seconds, type Fault } from './fault.ts';

const LIBRARY = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1';

/** The manager only: its VMs get no environment but their own. */
const inAnotherHour = (name: string, offset: string, what: string): Fault => ({
  name,
  what,
  cannot: () => (existsSync(LIBRARY) ? undefined : 'faketime is not installed'),
  inflict: async (world) => {
    await world.manager.kill();
    await world.startManager({ LD_PRELOAD: LIBRARY, FAKETIME: offset, FAKETIME_DONT_FAKE_MONOTONIC: '1' });
    await seconds(3);
    await world.manager.kill();
    await world.startManager();
  },
});

export const clockAhead = inAnotherHour('clock-ahead', '+1h', "the manager's clock is an hour ahead for a while");
export const clockBehind = inAnotherHour('clock-behind', '-1h', "the manager's clock is an hour behind for a while");
