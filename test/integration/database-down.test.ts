// The worst minute: the database goes away under a running system, and comes back.
import { expect } from 'chai';
import { createConnection } from 'mysql2/promise';
import { mmeliot, startSystem, temporaryFolder, type System } from '../helpers/mmeliot.ts';
import { startMariaDb, type MariaDb } from '../helpers/mariadb.ts';
import { until } from '../helpers/until.ts';

/** Where others have the machine a process takes some seconds to start, and the manager asks every few. */
const LONG_MS = 60_000;

describe('a database that goes down', function () {
  this.timeout(180_000);
  const folder = temporaryFolder();
  let database: MariaDb;
  let system: System;

  before(async () => {
    database = await startMariaDb();
    system = await startSystem(folder.path, `repository.url=${database.url('down')}`);
  });
  after(async () => {
    await system.stop();
    await database.stop();
    folder.remove();
  });

  const conditionOf = async (name: string) =>
    (await system.state()).conditions.find((condition) => condition.name === name);
  const statusOf = async (name: string) => (await conditionOf(name))?.status;
  /** Requests that found it away tell it as well, and may do so before the manager has asked again. */
  const said = async (what: RegExp) => {
    let reason = '';
    const isSaid = async () => what.test((reason = (await conditionOf('repository'))?.reason ?? ''));
    await until('it is said', isSaid, LONG_MS).catch(() => expect(reason).to.match(what));
  };
  const answer = () => fetch(new URL('events', system.gateway)).then(({ status }) => status);

  it('is said by page, API, metrics, log and command line; clients get 503 soon; and all is well again after it', async () => {
    expect(await answer()).to.equal(200);
    await until('the repository was asked', async () => (await statusOf('repository')) === 'ok');
    await database.kill();
    const first = await fetch(new URL('events', system.gateway), { signal: AbortSignal.timeout(6_000) });
    expect([first.status, first.headers.get('Retry-After')]).to.deep.equal([503, '5']);
    await said(/does not answer/);
    expect((await system.state()).problems.map(({ condition }) => condition)).to.include('repository');
    const metrics = await (await fetch(new URL('metrics', system.admin))).text();
    expect(metrics).to.match(/^mmeliot_condition\{condition="repository",status="error"\} 1$/m);
    const { status, output } = await mmeliot('status', '--admin', system.admin);
    expect(status).to.equal(1);
    expect(output)
      .to.match(/repository +error .*The repository does not answer/)
      .and.to.include('Start the database');
    await until('it is logged', () => system.output().includes('The repository does not answer'));

    // each VM says so itself, at once by now, and stays where it is
    for (let n = 0; n < 20; n++) {
      const refused = await fetch(new URL('events', system.gateway), { signal: AbortSignal.timeout(3_000) });
      expect(refused.status).to.equal(503);
      expect(refused.headers.get('Retry-After')).to.equal('5');
      expect(await refused.text()).to.include(
        'The repository does not answer at present: send the request again later.',
      );
    }
    expect(await statusOf('rotation')).to.equal('ok');

    await database.start();
    await until('clients are answered', async () => (await answer()) === 200, LONG_MS);
    await until('all is well', async () => (await system.state()).problems.length === 0, LONG_MS);
    expect((await mmeliot('status', '--admin', system.admin)).status).to.equal(0);
  });

  it('is said, too, where it only says nothing any more', async () => {
    await database.freeze();
    await said(/does not answer/);
    const { problems } = await system.state();
    expect(problems.map(({ message }) => message).join()).to.match(
      /The repository does not answer: .*(no answer|cannot be reached)/,
    );
    database.thaw();
    await until('clients are answered', async () => (await answer()) === 200, LONG_MS);
    await until('all is well', async () => (await system.state()).problems.length === 0, LONG_MS);
  });

  it('is said where it only takes no writes', async () => {
    const connection = await createConnection(database.url('mysql'));
    // who may do all may write all the same: the service's user is not root
    await connection.query("CREATE USER epcis@'127.0.0.1'");
    await connection.query("GRANT ALL ON down.* TO epcis@'127.0.0.1'");
    await system.stop();
    system = await startSystem(folder.path, `repository.url=${database.url('down').replace('root@', 'epcis@')}`);
    await connection.query('SET GLOBAL read_only = 1');
    await said(/is read, and takes no writes: .*read-only/i);
    expect(await answer()).to.equal(200);
    await until('it is logged', () => system.output().includes('takes no writes'));
    await connection.query('SET GLOBAL read_only = 0');
    await until('all is well', async () => (await system.state()).problems.length === 0, LONG_MS);
    await connection.end();
  });
});
