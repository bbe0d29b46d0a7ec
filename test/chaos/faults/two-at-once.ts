// Two faults at once: what mends one may count on what the other has broken.
import { databaseReadOnly, databaseRestarted, databaseSlow } from './database.ts';
import { connectTo } from './database-connection.ts';
import { firstVm, meanwhile, seconds, type Fault } from './fault.ts';
import { gatewayKilled } from './gateway-killed.ts';
import { haproxyKilled } from './haproxy.ts';
import { managerKilled } from './manager-killed.ts';
import { vmKilled } from './vm-killed.ts';
import type { World } from './world.ts';

const gatewayKilledInDrain: Fault = {
  name: 'gateway-killed-in-drain',
  what: 'kill -9 of the gateway while a VM drains, started again at once; then there are two VMs again',
  inflict: async (world) => {
    await world.setSize(1);
    await seconds(1.5);
    await gatewayKilled.inflict(world);
    await seconds(1);
    await world.setSize(2);
  },
};

/** A VM of those that have a COMMIT under way; undefined: none was met within 5 s. */
async function inCommit(world: World): Promise<number | undefined> {
  let found: number | undefined;
  await connectTo(world.databaseServer, async (query) => {
    for (const end = performance.now() + 5_000; found === undefined && performance.now() < end;) {
      const rows = await query("SELECT 1 FROM information_schema.processlist WHERE db = 'chaos' AND info = 'COMMIT'");
      if (rows.length > 0) found = firstVm(world);
    }
  });
  return found;
}

const vmKilledInCommit: Fault = {
  name: 'vm-killed-in-commit',
  what: 'kill -9 of a VM while a COMMIT is under way',
  world: { repository: 'mysql' },
  inflict: async (world) => {
    const pid = (await inCommit(world)) ?? firstVm(world);
    process.kill(pid, 'SIGKILL');
    await seconds(1);
  },
};

export const twoAtOnce: readonly Fault[] = [
  meanwhile(managerKilled, databaseReadOnly),
  meanwhile(managerKilled, databaseRestarted),
  meanwhile(vmKilledInCommit, databaseSlow),
  meanwhile(vmKilled, gatewayKilled),
  meanwhile(haproxyKilled, vmKilled),
  gatewayKilledInDrain,
];
