// A MariaDB Galera cluster of three members on the loopback, each with its own data, replicating to one another.
import { execFile, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import mysql from 'mysql2/promise';
import { freePort } from './free-port.ts';
import { installMariaDb, launch } from './mariadb.ts';
import { until } from './until.ts';

const run = promisify(execFile);

export interface Galera {
  /** One URL with all members, `first` (0, 1 or 2) in front. */
  url(database: string, first?: number): string;
  /** The URL of one member alone. */
  memberUrl(database: string, member: number): string;
  /** Ends a member as a crash would. */
  kill(member: number): Promise<void>;
  /** Starts one that was killed again: it takes over what the others have. Resolves when it is in step. */
  start(member: number): Promise<void>;
  stop(): Promise<void>;
}

interface Ports {
  readonly sql: number;
  readonly group: number;
  readonly stateTransfer: number;
  readonly incremental: number;
}

/** Members may not run as root: the state transfer by rsync drops root's rights. */
const USER = userInfo().uid === 0 ? 'mysql' : userInfo().username;
const PROVIDERS = ['/usr/lib/galera/libgalera_smm.so', '/usr/lib64/galera-4/libgalera_smm.so'];

export async function startGalera(): Promise<Galera> {
  const folder = await mkdtemp(join(tmpdir(), 'mmeliot-galera-'));
  await chmod(folder, 0o755); // for the user of the members
  const members: ChildProcess[] = [];
  process.once('exit', () => {
    for (const child of members) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  const ports: Ports[] = [];
  for (let n = 0; n < 3; n += 1)
    ports.push({
      sql: await freePort(),
      group: await freePort(),
      stateTransfer: await freePort(),
      incremental: await freePort(),
    });
  const peers = ports.map(({ group }) => `127.0.0.1:${group}`);
  const start = async (n: number, size: number, ...more: readonly string[]): Promise<void> => {
    const own = ports[n];
    if (own === undefined) throw new Error(`There is no member ${n}.`);
    const cluster = `--wsrep-cluster-address=gcomm://${peers.join(',')}`;
    members[n] = await launch([...memberOptions(join(folder, `member${n}`), own), cluster, ...more]);
    await until(`member ${n} is in step`, () => isInStep(own.sql, size), 120_000);
  };
  for (const n of ports.keys()) {
    const data = join(folder, `member${n}`);
    await mkdir(data);
    if (USER !== userInfo().username) await run('chown', [USER, data]);
    if (n === 0) await installMariaDb(data, USER);
    // the first begins the cluster; the others take its data over
    await start(n, n + 1, ...(n === 0 ? ['--wsrep-new-cluster'] : []));
  }
  const end = async (child: ChildProcess | undefined, signal: NodeJS.Signals): Promise<void> => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.ref(); // waited for
    const exit = once(child, 'exit');
    child.kill(signal);
    await exit;
  };
  const hosts = ports.map(({ sql }) => `127.0.0.1:${sql}`);
  return {
    url: (database, first = 0) =>
      `mysql://root@${[...hosts.slice(first), ...hosts.slice(0, first)].join(',')}/${database}`,
    memberUrl: (database, member) => `mysql://root@${hosts[member]}/${database}`,
    kill: (member) => end(members[member], 'SIGKILL'),
    start: (member) => start(member, ports.length),
    async stop() {
      // nothing of theirs is kept, so nothing needs an orderly end
      await Promise.all(members.map((child) => end(child, 'SIGKILL')));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function memberOptions(data: string, { sql, group, stateTransfer, incremental }: Ports): string[] {
  const provider = PROVIDERS.find((file) => existsSync(file));
  if (provider === undefined) throw new Error('Galera is not installed (Debian: galera-4).');
  return [
    `--datadir=${data}`,
    `--socket=${join(data, 'sock')}`,
    `--port=${sql}`,
    `--user=${USER}`,
    '--binlog-format=ROW',
    '--innodb-autoinc-lock-mode=2',
    '--innodb-flush-log-at-trx-commit=2', // what is committed is with the other members
    '--wsrep-on=ON',
    `--wsrep-provider=${provider}`,
    `--wsrep-node-address=127.0.0.1:${group}`,
    '--wsrep-sst-method=rsync',
    `--wsrep-sst-receive-address=127.0.0.1:${stateTransfer}`,
    `--wsrep-provider-options=gmcast.listen_addr=tcp://127.0.0.1:${group};ist.recv_addr=127.0.0.1:${incremental};gcache.size=32M`,
  ];
}

async function isInStep(port: number, size: number): Promise<boolean> {
  const connection = await mysql.createConnection({ host: '127.0.0.1', port, user: 'root' });
  try {
    const [rows] = await connection.query<mysql.RowDataPacket[]>(
      `SHOW STATUS WHERE Variable_name IN ('wsrep_local_state_comment', 'wsrep_cluster_size')`,
    );
    const status = new Map(rows.map((row) => [row['Variable_name'], row['Value']]));
    return status.get('wsrep_local_state_comment') === 'Synced' && Number(status.get('wsrep_cluster_size')) === size;
  } finally {
    await connection.end();
  }
}
