// A front end that quotes every secret it was sent: none of them is in log, page, journal or state afterwards.
import { expect } from 'chai';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { openDatabase } from '../../epcis/repository/database/open.ts';
import { loadConfig } from '../../src/config/load.ts';
import { openDataFolder } from '../../src/manager/data-folder.ts';
import { startSystem, type System } from '../../src/manager/wire.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { listening } from '../helpers/listening.ts';
import { freshMariaDb } from '../helpers/mariadb.ts';
import { FREE_PORTS, PROGRAM, temporaryFolder } from '../helpers/mmeliot.ts';
import { until } from '../helpers/until.ts';
import { LOGIN, openCloud, type Cloud } from '../opennebula/emulated.ts';
import { startGossip, type Gossip } from '../opennebula/gossip.ts';

const TOKEN = 'adm1n-token-of-ours';
const SECRETS = [LOGIN.password, 'gr0up-secret-of-ours', 'db-passw0rd-of-ours', TOKEN];

describe('secrets that a front end quotes', function () {
  this.timeout(60_000);
  const folder = temporaryFolder();
  let cloud: Cloud;
  let gossip: Gossip;
  let system: System;
  let log = '';

  before(async () => {
    cloud = await openCloud();
    gossip = await startGossip(cloud.emulator.url, SECRETS);
    gossip.refuse('one.template.instantiate');
    const set = [
      ...FREE_PORTS,
      'provider=opennebula',
      'access=open',
      `opennebula.url=${gossip.url}`,
      `opennebula.user=${LOGIN.user}`,
      `opennebula.password=${LOGIN.password}`,
      'collector.secret=gr0up-secret-of-ours',
      `admin.token=${TOKEN}`,
      `repository.url=${await databaseWithPassword()}`,
      'elasticity.period=1s',
      'manager.releaseWithin=10s',
    ];
    const collect = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        log += chunk.toString();
        done();
      },
    });
    const data = openDataFolder(join(folder.path, 'data'));
    const shape = { gateway: 'own', releaseOnClose: true } as const;
    system = await startSystem(loadConfig({ env: {}, set }), data, createLog({ level: 'debug' }, collect), shape);
  });
  after(async () => {
    gossip.refuse();
    await system.close();
    gossip.close();
    await cloud.stop();
    folder.remove();
  });

  async function databaseWithPassword(): Promise<string> {
    const url = await freshMariaDb();
    const database = await openDatabase({ url });
    await database.run("CREATE USER epcis@'%' IDENTIFIED BY 'db-passw0rd-of-ours'");
    await database.run("GRANT ALL ON *.* TO epcis@'%'");
    await database.close();
    return url.replace('root', 'epcis:db-passw0rd-of-ours');
  }

  const state = async (): Promise<string> => {
    const answer = await fetch(new URL('/api/state', system.admin), { headers: { authorization: `Bearer ${TOKEN}` } });
    return answer.text();
  };
  const kept = (): string => {
    const data = join(folder.path, 'data');
    const names = readdirSync(data, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    return names.map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8')).join('\n');
  };
  const discreet = (text: string): void => {
    for (const secret of SECRETS) expect(text).not.to.include(secret);
    expect(text).to.include('Error with *** *** *** ***');
  };

  it('are neither in log nor page, journal nor state file', async () => {
    await until('the page tells of it', async () => (await state()).includes('Error with'));
    await until('the log tells of it', () => log.includes('Error with'));
    await until('journal and state tell of it', () => (kept().match(/Error with/g) ?? []).length >= 2);
    discreet(await state());
    discreet(log);
    discreet(kept());
  });

  it('are not shown by a VM whose database quotes them: it says in a sentence that it is refused, and ends', async () => {
    const refusal = Buffer.from(`\0\0\0\0\xff\x15\x04Access denied: ${SECRETS.join(' ')}`, 'latin1'); // 1045
    refusal.writeUIntLE(refusal.length - 4, 0, 3);
    const database = createServer((socket) => void socket.on('error', () => undefined).end(refusal));
    const where = `127.0.0.1:${await listening(database)}`;
    const env = {
      ...{ MMELIOT_VM_ID: 'vm-1', MMELIOT_GROUP: 'g', MMELIOT_LISTEN: '127.0.0.1:0', MMELIOT_REPORT_EVERY: '1000' },
      MMELIOT_SECRET: 'gr0up-secret-of-ours',
      MMELIOT_REPOSITORY_URL: `mysql://epcis:db-passw0rd-of-ours@${where}/epcis`,
      MMELIOT_CPU: '1',
    };
    // as one of several processes, whose channel to the first one must not keep it
    const child = fork(PROGRAM, ['vm'], { env: { ...process.env, ...env, NODE_UNIQUE_ID: '1' }, silent: true });
    const output = child.stderr === null ? Promise.resolve('') : text(child.stderr);
    const [status] = (await once(child, 'exit')) as [number];
    database.close();
    expect(await output).to.equal(
      `mmeliot: The repository database epcis at ${where} cannot be reached as user "epcis" (ER_ACCESS_DENIED_ERROR).\n`,
    );
    expect(status).to.equal(2);
  });

  it('are not shown either when the front end refuses everything', async () => {
    gossip.refuse('one.vmpool.infoextended', 'one.template.instantiate');
    await until('the page tells of it', async () => (await state()).includes('does not list its VMs'));
    discreet(await state());
    discreet(log);
  });
});
