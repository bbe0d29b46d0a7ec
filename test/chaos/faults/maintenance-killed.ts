// What an operator has done with the repository is killed at random moments, and run again. Beside the load's events there are old ones, which go.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { EpcisEvent } from '../../../epcis/domain/event.ts';
import { createEventRepository } from '../../../epcis/repository/event-repository.ts';
import { openDatabase } from '../../../epcis/repository/database/open.ts';
import type { Database } from '../../../epcis/repository/database/database.ts';
import { createCaptureService } from '../../../epcis/service/capture.ts';
import { itemsOf } from '../../helpers/epcis-samples.ts';
import { startProgram, type Program } from '../../helpers/mmeliot.ts';
import { until } from '../../helpers/until.ts';
import { firstVm, repeated, type Fault } from './fault.ts';
import type { World } from './world.ts';

const OLD = 600;
const LONG_AGO_MS = 400 * 86_400_000;
const KILLED_WITHIN_MS = 400;

interface Work {
  readonly args: readonly string[];
  /** Whether something of it can be seen. */
  readonly hasBegun: () => unknown;
  /** Said where it was done just before it was killed. */
  readonly doneBefore?: string;
}

async function inflict(world: World): Promise<void> {
  const database = await openDatabase({ url: world.repository.readerUrl });
  try {
    await capturedLongAgo(database);
    await reindexed(world, database);
    await restored(world);
    await pruned(world, database);
  } finally {
    await database.close();
  }
}

async function capturedLongAgo(database: Database): Promise<void> {
  const repository = createEventRepository(database, { now: () => Date.now() - LONG_AGO_MS });
  const events = Array.from({ length: OLD }, (_, n) => oldEvent(n));
  await createCaptureService(repository).capture(itemsOf(events), { errorBehaviour: 'rollback' });
}

/** Of another type than the load's subscription is about. */
const oldEvent = (n: number): EpcisEvent => ({
  type: 'TransactionEvent',
  ...{ eventTime: '2024-01-01T00:00:00Z', eventTimeZoneOffset: '+00:00', action: 'ADD' },
  ...{ epcList: [`urn:example:old:${n}`], bizTransactionList: [{ value: `urn:example:order:${n}` }] },
});

const LONG_AGO = "SELECT COUNT(*) AS n FROM event_epc WHERE epc LIKE 'urn:example:old:%'";
const countOf = async (database: Database): Promise<number> => Number((await database.all(LONG_AGO))[0]?.['n']);

async function reindexed(world: World, database: Database): Promise<void> {
  const damage = () => database.run("DELETE FROM event_epc WHERE epc LIKE 'urn:example:old:%'");
  const hasBegun = async () => (await countOf(database)) > 0;
  await damage();
  // every event is looked at, by VMs of a tenth of a core: while there are few of the load's
  await vmKilledOver(world, { args: ['reindex', '--on-vms'], hasBegun });
  await done(world, ['check']);
  await damage();
  await killed(world, { args: ['reindex'], hasBegun });
  await done(world, ['check']);
}

async function restored(world: World): Promise<void> {
  const before = await world.stored();
  const file = join(world.dataDir, `backup-${Date.now()}.jsonl.gz`);
  const copy = file.replace('.jsonl.gz', '.db');
  const hasBegun = () => existsSync(`${file}.part`);
  await killed(world, { args: ['backup', file], hasBegun, doneBefore: 'is there already' });
  const url = `repository.url=sqlite://${copy}`;
  await killed(world, {
    ...{ args: ['restore', file, '--set', url], hasBegun: () => existsSync(copy) },
    doneBefore: 'The repository holds events',
  });
  await done(world, ['check', '--set', url]);
  const other = await openDatabase({ url: `sqlite://${copy}` });
  try {
    const rows = await other.all('SELECT epc, COUNT(*) AS n FROM event_epc GROUP BY epc');
    const after = new Map(rows.map(({ epc, n }) => [String(epc), Number(n)]));
    const wrong = [...before].filter(([epc, n]) => after.get(epc) !== n);
    if (wrong.length > 0)
      throw new Error(`${wrong.length} EPCs are not in the backup as they were, as ${wrong[0]?.[0]}`);
  } finally {
    await other.close();
  }
}

async function pruned(world: World, database: Database): Promise<void> {
  const some = async () => (await countOf(database)) < OLD;
  await killed(world, { args: ['prune', '--before', '365d'], hasBegun: some });
  await done(world, ['check']);
  const left = await countOf(database);
  if (left > 0) throw new Error(`${left} old EPCs are left after prune`);
  await capturedLongAgo(database);
  await vmKilledOver(world, { args: ['prune', '--before', '365d', '--on-vms'], hasBegun: some });
  await done(world, ['check']);
}

/** Killed some times, and then let be. */
async function killed(world: World, work: Work): Promise<void> {
  for (let n = repeated(3); n > 0; n--) {
    const program = start(world, work.args);
    await atRandomMoment(program, work);
    await program.kill();
  }
  await done(world, work.args, work.doneBefore);
}

/** The command, and a VM that may have it, are killed; another command has it done. */
async function vmKilledOver(world: World, work: Work): Promise<void> {
  const program = start(world, work.args);
  await atRandomMoment(program, work);
  process.kill(firstVm(world), 'SIGKILL');
  await program.kill();
  await world.isWell();
  await done(world, work.args);
}

async function atRandomMoment({ child }: Program, { args, hasBegun }: Work): Promise<void> {
  await until(`${args[0]} has begun`, async () => child.exitCode !== null || hasBegun(), 60_000);
  await new Promise((resolve) => setTimeout(resolve, Math.random() * KILLED_WITHIN_MS));
}

async function done(world: World, args: readonly string[], doneBefore?: string): Promise<void> {
  const program = start(world, args);
  const command = `mmeliot repository ${args.join(' ')}`;
  await until(`${command} has ended`, () => program.child.exitCode !== null, 300_000);
  const { status, output } = await program.ended();
  if (status !== 0 && !(doneBefore !== undefined && output.includes(doneBefore)))
    throw new Error(`${command} ended with status ${status}: ${output}`);
}

const start = ({ repository }: World, [command = '', ...args]: readonly string[]): Program =>
  startProgram(['repository', command, '--set', `repository.url=${repository.url}`, ...args]);

const over = (repository: 'sqlite' | 'mysql'): Fault => ({
  name: `maintenance-killed-${repository}`,
  what: `reindex, backup, restore and prune (${repository}) are killed at random moments, by hand and on the VMs, and run again`,
  world: { repository },
  inflict,
});

export const maintenanceKilled: readonly Fault[] = [over('sqlite'), over('mysql')];
