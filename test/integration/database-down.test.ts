// The worst minute: the database goes away under a running system, and comes back.
import { expect } from 'chai';
import { mmeliot, startSystem, temporaryFolder, type System } from '../helpers/mmeliot.ts';
import { startMariaDb, type MariaDb } from '../helpers/mariadb.ts';
import { until } from '../helpers/until.ts';

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

  const statusOf = async (name: string) =>
    (await system.state()).conditions.find((condition) => condition.name === name)?.status;
  const answer = () => fetch(new URL('events', system.gateway)).then(({ status }) => status);

  it('is said by page, API, metrics, log and command line; clients get 503 soon; and all is well again after it', async () => {
    expect(await answer()).to.equal(200);
    await until('the repository was asked', async () => (await statusOf('repository')) === 'ok');
    await database.kill();
    await until('it is said', async () => (await statusOf('repository')) === 'error', 60_000);
    await until('no VM is in rotation', async () => (await statusOf('rotation')) === 'error', 60_000);
    expect((await system.state()).problems.map(({ condition }) => condition)).to.include.members([
      'repository',
      'rotation',
    ]);
    const metrics = await (await fetch(new URL('metrics', system.admin))).text();
    expect(metrics).to.match(/^mmeliot_condition\{condition="repository",status="error"\} 1$/m);
    const { status, output } = await mmeliot('status', '--admin', system.admin);
    expect(status).to.equal(1);
    expect(output)
      .to.match(/repository +error .*The repository does not answer/)
      .and.to.include('Start the database');
    await until('it is logged', () => system.output().includes('The repository does not answer'));

    // requests are turned away once every VM has been out for some seconds, instead of waiting for their deadline
    await until('a request is answered within the patience of a client', async () => {
      const impatient = AbortSignal.timeout(3_000);
      return fetch(new URL('events', system.gateway), { signal: impatient }).then(
        (response) => response.status === 503,
        () => false,
      );
    });

    await database.start();
    await until('clients are answered', async () => (await answer()) === 200, 60_000);
    await until('all is well', async () => (await system.state()).problems.length === 0, 60_000);
    expect((await mmeliot('status', '--admin', system.admin)).status).to.equal(0);
  });
});
