import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { firstVm, seconds, type Fault } from './fault.ts';
import { byClock, FAKETIME } from './surroundings.ts';

const cannot = (): string | undefined => (existsSync(FAKETIME) ? undefined : 'faketime is not installed');

/** The manager only: its VMs get no environment but their own. */
const inAnotherHour = (name: string, offset: string, what: string): Fault => ({
  name,
  what,
  cannot,
  inflict: async (world) => {
    await world.manager.kill();
    await world.startManager({ LD_PRELOAD: FAKETIME, FAKETIME: offset, FAKETIME_DONT_FAKE_MONOTONIC: '1' });
    await seconds(3);
    await world.manager.kill();
    await world.startManager();
  },
});

export const clockAhead = inAnotherHour('clock-ahead', '+1h', "the manager's clock is an hour ahead for a while");
export const clockBehind = inAnotherHour('clock-behind', '-1h', "the manager's clock is an hour behind for a while");

export const managerClockBack: Fault = {
  name: 'manager-clock-set-back',
  what: "the manager's clock goes an hour ahead, and is set back after 5 s; a VM dies before and after",
  cannot,
  inflict: async (world) => {
    const clock = join(world.dataDir, 'manager-clock');
    const set = (offset: string): void => writeFileSync(clock, `${offset}\n`);
    set('+0');
    await world.manager.kill();
    await world.startManager(byClock(clock));
    await world.isWell();
    set('+1h');
    await seconds(3);
    process.kill(firstVm(world), 'SIGKILL');
    await seconds(2);
    set('+0');
    await world.isWell();
    process.kill(firstVm(world), 'SIGKILL');
    await world.isWell();
    await world.manager.kill();
    await world.startManager();
  },
};

/** Events' times of record, tokens, leases and reports of one VM are an hour apart from those of the other. */
const vmsApart = (name: string, vmClock: string, what: string): Fault => ({
  name,
  what,
  world: { cloud: 'opennebula', vmClock, repository: 'mysql' },
  cannot,
  inflict: async (world) => {
    await seconds(3);
    process.kill(firstVm(world), 'SIGKILL');
    await seconds(3);
  },
});

export const vmClockAhead = vmsApart('vm-clock-ahead', '+1h', 'the clock of one of two VMs is an hour ahead; one dies');
export const vmClockBehind = vmsApart(
  'vm-clock-behind',
  '-1h',
  'the clock of one of two VMs is an hour behind; one dies',
);

export const databaseClockBack: Fault = {
  name: 'database-clock-set-back',
  what: "the database's clock goes an hour ahead, and is set back after 5 s; a VM dies before and after",
  world: { repository: 'mysql by another clock' },
  cannot,
  inflict: async (world) => {
    world.repository.setClock?.('+1h');
    await seconds(3);
    process.kill(firstVm(world), 'SIGKILL');
    await seconds(2);
    world.repository.setClock?.('+0');
    await world.isWell();
    process.kill(firstVm(world), 'SIGKILL');
    await seconds(3);
  },
};
