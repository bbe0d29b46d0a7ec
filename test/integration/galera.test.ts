// Three VMs on a Galera cluster of three members, one of which is killed under load: a repository that outgrew one database
// server is another URL, and nothing that was acknowledged is lost or twice.
import { expect } from 'chai';
import { createConnection } from 'mysql2/promise';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createEventRepository } from '../../epcis/repository/event-repository.ts';
import { createJobStore } from '../../epcis/repository/jobs.ts';
import { check } from '../../epcis/repository/check.ts';
import type { Database, OpenDatabase } from '../../epcis/repository/database/database.ts';
import { announce, sequence } from '../../epcis/repository/feed.ts';
import { migrate } from '../../epcis/repository/migrate.ts';
import { migrations } from '../../epcis/repository/migrations/index.ts';
import { openDatabase } from '../../epcis/repository/database/open.ts';
import { reachable } from '../../epcis/repository/database/reachable.ts';
import { createQueryService } from '../../epcis/service/query.ts';
import { toEnvironment } from '../../src/manager/vm-environment.ts';
import { startGalera, type Galera } from '../helpers/galera.ts';
import { temporaryFolder } from '../helpers/mmeliot.ts';
import { present } from '../helpers/present.ts';
import { until } from '../helpers/until.ts';
import { eventsDocument } from '../helpers/work-faults.ts';

const PROGRAM = join(import.meta.dirname, '../../src/cli/mmeliot.js');
const CLIENTS = 4;
const EVENTS = 5;
/** Documents acknowledged before the member is killed, and again after it. */
const DOCUMENTS = 60;

describe('a Galera cluster that loses a member', function () {
  this.timeout(300_000);
  const folder = temporaryFolder();
  let galera: Galera;
  const vms: ChildProcess[] = [];
  const urls: string[] = [];
  const errors = new Map<string, number>();
  const acknowledged: string[] = [];
  let queries = 0;
  let isOver = false;

  before(async () => {
    galera = await startGalera();
    for (let n = 0; n < 3; n += 1) vms.push(startVm(n));
    for (let n = 0; n < 3; n += 1) urls.push(await addressOf(n));
  });
  after(async () => {
    isOver = true;
    for (const vm of vms) {
      if (vm.exitCode !== null || vm.signalCode !== null) continue;
      const exit = once(vm, 'exit');
      vm.kill('SIGKILL');
      await exit;
    }
    await galera.stop();
    folder.remove();
  });

  /** Two VMs begin at the first member, which is to die, the third at the second: their writes meet in the cluster. */
  function startVm(n: number): ChildProcess {
    const environment = toEnvironment({
      id: `vm-${n}`,
      group: 'galera',
      secret: '',
      reportEvery: 10_000,
      repositoryUrl: galera.url('epcis', n === 2 ? 1 : 0),
      listen: { host: '127.0.0.1', port: 0 },
      addressFile: join(folder.path, `vm-${n}`),
    });
    return spawn(process.execPath, [PROGRAM, 'vm'], { env: { ...process.env, ...environment }, stdio: 'ignore' });
  }

  async function addressOf(n: number): Promise<string> {
    const read = (): string | undefined => {
      if (vms[n]?.exitCode !== null) throw new Error(`VM ${n} ended with status ${vms[n]?.exitCode}`);
      try {
        return readFileSync(join(folder.path, `vm-${n}`), 'utf8');
      } catch {
        return undefined; // not yet
      }
    };
    const { port } = JSON.parse(await until(`VM ${n} serves`, read, 60_000)) as { port: number };
    return `http://127.0.0.1:${port}`;
  }

  /** True when the answer has that status; anything else is an error that the client saw, and is counted. */
  async function ask(what: string, status: number, url: string, init?: RequestInit): Promise<boolean> {
    try {
      const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(60_000) });
      await answer.text();
      if (answer.status === status) return true;
      count(`${what} ${answer.status}`);
    } catch (error) {
      count(`${what} ${(error as Error).name}`);
    }
    return false;
  }

  const count = (error: string): unknown => errors.set(error, (errors.get(error) ?? 0) + 1);
  const post = (body: string): RequestInit => ({ method: 'POST', body, headers: { 'Content-Type': 'text/xml' } });

  /** Captures document after document, and sends each again, to the next VM, until it is acknowledged. */
  async function capture(client: number): Promise<void> {
    for (let n = 0; !isOver; n += 1) {
      const name = `${client}-${n}`;
      const isJob = n % 4 === 3;
      const [path, status] = isJob ? ['/capture', 202] : ['/epcis/capture', 200];
      const send = (vm: number): Promise<boolean> =>
        ask('capture', status, `${urls[vm % 3]}${path}`, post(eventsDocument(name, EVENTS)));
      // now and then by two VMs at once, on two members
      const rival = n % 5 === 4 ? send(2) : undefined;
      for (let vm = client; !(await send(vm)); vm += 1) await new Promise((resolve) => setTimeout(resolve, 200));
      await rival;
      acknowledged.push(name);
    }
  }

  async function query(client: number): Promise<void> {
    for (let n = 0; !isOver; n += 1) {
      const epc = `urn:example:${acknowledged.at(-1) ?? 'none'}:0`;
      if (await ask('query', 200, `${urls[(client + n) % 3]}/events?MATCH_anyEPC=${encodeURIComponent(epc)}`))
        queries += 1;
    }
  }

  it('delivers what one member captured before what another one captured next', async () => {
    const members = await Promise.all([0, 1, 2].map((n) => openDatabase({ url: galera.memberUrl('feed', n) })));
    const [first, ...others] = members as [OpenDatabase, ...OpenDatabase[]];
    await migrate(first, migrations.slice(0, 2));
    for (const n of [2, 1, 3])
      // by an earlier version
      await first.run('INSERT INTO feed_batch (batch, position) VALUES (?, NULL)', [new Uint8Array(16).fill(n)]);
    await migrate(first);
    const ordinals = (database: Database) => database.all('SELECT batch, ordinal FROM feed_batch ORDER BY batch');
    for (const other of others) await until('', async () => (await ordinals(other).catch(() => [])).length === 3);
    for (const other of others) expect(await ordinals(other)).to.deep.equal(await ordinals(first));

    for (let id = 1; id <= 300; id += 1) await members[id % 3]?.transaction((connection) => announce(connection, [id]));
    await first.transaction(sequence);
    const rows = await first.all(
      'SELECT e.event_id AS id FROM feed_batch b JOIN feed_event e ON e.batch = b.batch ORDER BY b.position',
    );
    expect(rows.map(({ id }) => Number(id))).to.deep.equal(Array.from({ length: 300 }, (_, n) => n + 1));
    for (const member of members) await member.close();
  });

  it('shows a query at one member what was acknowledged at another before it', async () => {
    const [writer, reader] = [
      await openDatabase({ url: galera.memberUrl('shown', 0) }),
      await openDatabase({ url: galera.memberUrl('shown', 1) }),
    ];
    await migrate(writer);
    const operator = await createConnection(galera.memberUrl('shown', 1));
    await until('it is there', () =>
      reader.all('SELECT 1 FROM setting').then(
        () => true,
        () => false,
      ),
    );
    // this member applies nothing of the others'
    await operator.query('FLUSH TABLES WITH READ LOCK');
    await writer.run("INSERT INTO setting (name, value) VALUES ('acknowledged', 'yes')");
    const seen = (async () => {
      for await (const rows of reader.stream("SELECT value FROM setting WHERE name = 'acknowledged'")) return rows;
      return [];
    })();
    const first = await Promise.race([seen, new Promise((resolve) => setTimeout(resolve, 300, 'it waits'))]);
    await operator.query('UNLOCK TABLES');
    expect(first).to.equal('it waits');
    expect(await seen).to.deep.equal([['yes']]);
    await operator.end();
    for (const member of [writer, reader]) await member.close();
  });

  it('goes on at another member while one gives its data away and lets nobody write', async () => {
    const database = await openDatabase({ url: galera.url('donor') });
    const guarded = reachable(database, () => undefined);
    await guarded.run('CREATE TABLE item (id BIGINT NOT NULL PRIMARY KEY)');
    const donor = await createConnection(galera.memberUrl('donor', 0));
    // as a state transfer by rsync has it
    await donor.query('SET GLOBAL wsrep_desync = ON');
    await donor.query('FLUSH TABLES WITH READ LOCK');
    await guarded.run('INSERT INTO item VALUES (1)');
    await donor.query('UNLOCK TABLES');
    await donor.query('SET GLOBAL wsrep_desync = OFF');
    expect(await guarded.all('SELECT id FROM item')).to.have.length(1);
    await donor.end();
    await guarded.close();
  });

  it('stays with the one that gives its data away, and with what it is asked there, where nobody else answers', async () => {
    const [member, nobody] = [galera.memberUrl('donor', 0), '127.0.0.1:1'];
    const database = await openDatabase({ url: member.replace(/@([^/]+)/, `@$1,${nobody}`) });
    const donor = await createConnection(galera.memberUrl('donor', 0));
    await donor.query('SET GLOBAL wsrep_desync = ON');
    const asked = database.all('SELECT SLEEP(1) AS broken');
    await database.ping();
    expect(await asked).to.deep.equal([{ broken: 0 }]);
    await donor.query('SET GLOBAL wsrep_desync = OFF');
    await donor.end();
    await database.close();
  });

  it('keeps every acknowledged event, exactly once', async function () {
    const clients = Array.from({ length: CLIENTS }, (_, n) => capture(n)).concat([0, 1].map(query));
    const more = (documents: number) => until('clients go on', () => acknowledged.length >= documents, 120_000);
    await more(DOCUMENTS);
    await galera.kill(0);
    await more(acknowledged.length + DOCUMENTS);
    isOver = true;
    await Promise.all(clients);

    const expected = acknowledged
      .flatMap((name) => Array.from({ length: EVENTS }, (_, n) => `urn:example:${name}:${n}`))
      .sort();
    for (const member of [1, 2]) {
      const database = await openDatabase({ url: galera.memberUrl('epcis', member) });
      await until('all jobs are done', async () => (await createJobStore(database).backlog()).jobs === 0, 120_000);
      const found: (string | undefined)[] = [];
      const service = createQueryService(createEventRepository(database, { now: () => Date.now() }));
      for await (const { event } of await service.events([])) found.push(event.epcList?.[0]);
      expect(found.sort(), `member ${member}`).to.deep.equal(expected);
      expect(await check(database), `member ${member}`).to.deep.equal({ events: expected.length, faults: [] });
      await database.close();
    }
    const told = [...errors].map(([error, times]) => `${times} × ${error}`).join(', ') || 'none';
    present(this.test).title += ` (${expected.length} events, ${queries} queries; errors of clients: ${told})`;
  });
});
