// `mmeliot repository`: the real program on both databases.
import { expect } from 'chai';
import fc from 'fast-check';
import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createEventRepository } from '../../epcis/repository/event-repository.ts';
import { migrate } from '../../epcis/repository/migrate.ts';
import type { Database } from '../../epcis/repository/database/database.ts';
import { openDatabase } from '../../epcis/repository/database/open.ts';
import { startEpcisServer } from '../../epcis/server.ts';
import { createCaptureService } from '../../epcis/service/capture.ts';
import { createQueryService } from '../../epcis/service/query.ts';
import { anyEvent, itemsOf, masterDataItems } from '../helpers/epcis-samples.ts';
import { KINDS } from '../helpers/fresh-repository.ts';
import { mmeliot, temporaryFolder, type Finished } from '../helpers/mmeliot.ts';

const DAY = 86_400_000;

const repository = (command: string, url: string, ...args: string[]): Promise<Finished> =>
  mmeliot('repository', command, '--set', `repository.url=${url}`, ...args);

/** 600 events, half of them captured 400 days ago; one has a line separator in a text. */
async function fill(url: string): Promise<void> {
  const database = await openDatabase({ url });
  await migrate(database);
  for (const [age, seed] of [
    [400, 1],
    [1, 2],
  ] as const) {
    const capture = createCaptureService(createEventRepository(database, { now: () => Date.now() - age * DAY }));
    await capture.capture(masterDataItems(), { errorBehaviour: 'rollback' });
    const events = fc
      .sample(anyEvent, { numRuns: 300, seed })
      .map((event, n) => ({ ...event, eventID: `urn:x:${age}:${n}\u2028` }));
    await capture.capture(itemsOf(events), { errorBehaviour: 'rollback' });
  }
  await database.close();
}

const LOG = { error: () => undefined, warn: () => undefined, info: () => undefined };
const startVm = (url: string) =>
  startEpcisServer({ repository: { url }, port: 0, role: 'work', log: LOG, work: { pollMs: 50 } });

async function onDatabase<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase({ url });
  return work(database).finally(() => database.close());
}

/** An event misses its EPCs in the index. */
const damage = (url: string) =>
  onDatabase(url, (database) =>
    database.run(
      'DELETE FROM event_epc WHERE event_id = (SELECT id FROM (SELECT MIN(event_id) AS id FROM event_epc) e)',
    ),
  );

async function eventsOf(url: string): Promise<readonly (readonly string[])[]> {
  const database = await openDatabase({ url });
  const query = createQueryService(createEventRepository(database, { now: () => 0 }));
  const found: string[][] = [];
  for await (const { recordTime, hash, source } of await query.events([])) found.push([recordTime, hash, source.text]);
  await database.close();
  return found.sort();
}

describe('mmeliot repository', function () {
  this.timeout(120_000);
  const folder = temporaryFolder();
  after(() => folder.remove());

  for (const [n, [kind, freshUrl]] of KINDS.entries()) {
    const [other, freshCopy] = KINDS[1 - n] as (typeof KINDS)[number];

    it(`looks after a repository on ${kind}, and moves it to ${other}${n === 0 ? '' : ', on the VMs'}`, async () => {
      const [url, copy] = [await freshUrl(), await freshCopy()];
      await fill(url);
      const where = n === 0 ? [] : ['--on-vms'];
      const vms = n === 0 ? [] : [await startVm(url), await startVm(copy)];
      after(() => Promise.all(vms.map((vm) => vm.close())));
      const stats = await repository('stats', url);
      expect(stats.output)
        .to.match(/^events +600$/m)
        .and.match(/^on disk +[\d.]+ MiB, \d+ bytes an event$/m);
      const sound = { status: 0, output: '600 events are sound.\n' };
      expect(await repository('check', url, ...where)).to.deep.equal(sound);
      await damage(url);
      const damaged = await repository('check', url, ...where);
      expect(damaged.status).to.equal(1);
      expect(damaged.output)
        .to.match(/^Event \d+ misses rows in event_epc\.$/m)
        .and.include('repository reindex');
      const mended = { status: 0, output: '1 events had an index that was wrong.\n' };
      expect(await repository('reindex', url, ...where)).to.deep.equal(mended);

      const file = join(folder.path, n === 0 ? 'backup.jsonl' : 'backup.jsonl.gz');
      expect((await repository('backup', url, file, ...where)).status).to.equal(0);
      expect(statSync(file).mode & 0o777).to.equal(0o600);
      expect(await repository('restore', copy, file)).to.deep.equal({
        status: 0,
        output: '600 events are restored.\n',
      });
      expect(await eventsOf(copy)).to.deep.equal(await eventsOf(url));
      expect((await repository('check', copy)).output).to.equal('600 events are sound.\n');

      const pruned = await repository('prune', copy, '--before', '365d', ...where);
      expect(pruned.output).to.match(/^300 events that were captured before \S+ are deleted\.$/m);
      expect(await repository('check', copy)).to.deep.equal({ status: 0, output: '300 events are sound.\n' });
      // nothing of it stays behind
      const [left] = await onDatabase(url, (database) => database.all('SELECT COUNT(*) AS n FROM capture_job'));
      expect(Number(left?.['n'])).to.equal(0);
    });

    it(`says in one sentence what cannot be done on ${kind}`, async () => {
      const url = await freshUrl();
      const there = join(folder.path, `there-${kind}`);
      writeFileSync(there, 'CREATE TABLE event (id INT);\n');
      const noRoom = join(folder.path, `no-room-${kind}`);
      symlinkSync('/dev/full', `${noRoom}.part`);
      await fill(url);
      const full = await repository('backup', url, noRoom);
      const restored = await repository('restore', url, there);
      const results = [
        ...[restored, full],
        await repository('restore', url, `${there}-not`),
        await repository('restore', url, folder.path),
        await repository('backup', url, there),
        await repository('backup', url, join(folder.path, 'no-folder', 'backup')),
        await repository('prune', url, '--before', '2025'),
        await repository('prune', url, '--before', '2999-01-01'),
      ];
      for (const { status, output } of results) {
        expect(output).to.match(/^mmeliot: [^\n]+\.\n$/);
        expect(status, output).to.equal(2);
      }
      expect(restored.output).to.include('not a backup');
      expect(full.output).to.include(noRoom).and.include('make room there');
      expect(readdirSync(folder.path).filter((name) => name.startsWith('no-room'))).to.deep.equal([]);
      expect(readFileSync(there, 'utf8')).to.include('CREATE TABLE');
    });
  }

  it('says what is wrong with a repository, with status 1', async () => {
    const [, freshUrl] = KINDS[0] as (typeof KINDS)[number];
    const url = await freshUrl();
    await fill(url);
    const database = await openDatabase({ url });
    await database.run('DELETE FROM event_number');
    await database.run('DELETE FROM event_text');
    await database.close();
    const { status, output } = await repository('check', url);
    expect(output).to.match(/^Event \d+ misses rows in event_text\.$/m);
    expect(status).to.equal(1);
  });

  it('makes no repository where there is none, and reaches none that does not answer', async () => {
    const missing = await repository('stats', `sqlite://${folder.path}/none.db`);
    expect(missing).to.have.property('status', 2);
    expect(missing.output).to.match(/^mmeliot: There is no repository at repository\.url \([^\n]+\): [^\n]+\.\n$/);
    const silent = await repository('check', 'mysql://root:hidden@127.0.0.1:1/epcis');
    expect(silent.output).to.match(/^mmeliot: The repository database epcis at 127\.0\.0\.1:1 cannot be reached/);
    expect(silent.output).not.to.include('hidden');
  });
});
