// The real system that faults happen to: a gateway, a manager and two VMs, each a process of its own, over one repository.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { openDatabase } from '../../../epcis/repository/database/open.ts';
import type { ManagerView } from '../../../src/loop/view.ts';
import { startMariaDb, type MariaDb } from '../../helpers/mariadb.ts';
import { mmeliot, startProgram, temporaryFolder, type Program } from '../../helpers/mmeliot.ts';
import { until } from '../../helpers/until.ts';

export interface WorldOptions {
  readonly repository?: 'sqlite' | 'mysql';
  readonly dataPlane?: 'builtin' | 'haproxy';
  /** Its folder is a disk of its own of this size. */
  readonly disk?: string;
  readonly settings?: readonly string[];
}

export class World {
  readonly #folder = temporaryFolder();
  readonly #settings: readonly string[];
  readonly #gatewaySettings: readonly string[];
  readonly #managerSettings: readonly string[];
  readonly #repository: string;
  readonly #hasDisk: boolean;
  readonly database: MariaDb | undefined;
  gateway!: Program;
  manager!: Program;
  /** The latest first: a manager before its gateway. */
  readonly #programs: Program[] = [];
  #admin = '';

  static async start(options: WorldOptions = {}): Promise<World> {
    const database = options.repository === 'mysql' ? await startMariaDb() : undefined;
    const world = new World(options, database, [await freePort(), await freePort(), await freePort()]);
    try {
      await world.startGateway();
      await world.startManager();
      await world.isWell();
      return world;
    } catch (error) {
      await world.stop();
      throw error;
    }
  }

  private constructor(options: WorldOptions, database: MariaDb | undefined, ports: readonly number[]) {
    const [clients = 0, control = 0, collector = 0] = ports;
    this.database = database;
    this.#hasDisk = options.disk !== undefined;
    if (options.disk !== undefined) run('mount', '-t', 'tmpfs', '-o', `size=${options.disk}`, 'tmpfs', this.dataDir);
    mkdirSync(join(this.dataDir, 'database'), { recursive: true });
    this.#repository = database?.url('chaos') ?? `sqlite://${join(this.dataDir, 'database', 'epcis.db')}`;
    this.url = `http://127.0.0.1:${clients}/`;
    this.collectorPort = collector;
    this.controlPort = control;
    this.#settings = [`dataDir=${this.dataDir}`, `repository.url=${this.#repository}`, ...(options.settings ?? [])];
    this.#gatewaySettings = [`gateway.port=${clients}`, `gateway.control.port=${control}`];
    if (options.dataPlane === 'haproxy')
      this.#gatewaySettings = [...this.#gatewaySettings, 'gateway.dataPlane=haproxy'];
    this.#managerSettings = [
      ...['admin.port=0', `collector.port=${collector}`, `manager.gateways=[http://127.0.0.1:${control}]`],
      ...['elasticity.period=1s', 'elasticity.min=2', 'elasticity.max=2', 'epcis.subscriptionTargets=[127.0.0.1]'],
    ];
  }

  readonly url: string;
  readonly collectorPort: number;
  /** Where the gateway hears its manager. */
  readonly controlPort: number;

  get databaseServer(): MariaDb {
    if (this.database === undefined) throw new Error('This needs a database server.');
    return this.database;
  }

  get dataDir(): string {
    return this.#folder.path;
  }

  async startGateway(): Promise<void> {
    this.gateway = this.#program(['gateway'], this.#gatewaySettings);
    await this.gateway.says(/clients connect to/);
  }

  /** `settings`: others than its own. */
  async startManager(env: NodeJS.ProcessEnv = {}, settings: readonly string[] = []): Promise<void> {
    this.manager = this.#program(['manager', '--release'], [...this.#managerSettings, ...settings], env);
    this.#admin = (await this.manager.says(/operator looks at\s+(\S+)/))[1] ?? '';
  }

  /** Another manager over the same folder, by mistake. */
  secondManager(): Program {
    return this.#program(['manager'], this.#managerSettings);
  }

  /** The VMs that run, by the processes that the provider says they are. */
  vms(): { readonly id: string; readonly pid: number }[] {
    const folder = join(this.dataDir, 'vms');
    return readdirSync(folder)
      .filter((name) => name.startsWith('vm-'))
      .map((id) => ({ id, pid: pidIn(join(folder, id, 'vm.json')) }))
      .filter((vm) => vm.pid > 0);
  }

  /** The HAProxy of its gateway. */
  haproxyPid(): number {
    const file = join(this.dataDir, 'haproxy');
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    const found = pids.find((pid) => /^haproxy\0/.test(commandOf(pid)) && commandOf(pid).includes(file));
    if (found === undefined) throw new Error('The gateway has no HAProxy.');
    return Number(found);
  }

  /** Waits until the manager has two VMs that are ready, and nothing else. */
  async isWell(): Promise<void> {
    await until(
      'two VMs are ready',
      async () => {
        const state = await fetch(`${this.#admin}api/state`).then(
          (answer) => answer.json() as Promise<ManagerView>,
          () => undefined,
        );
        if (state === undefined) return false;
        const { ready, pending, draining, releasing, failed } = state.counts;
        return ready === 2 && pending + draining + releasing + failed === 0;
      },
      120_000,
    );
  }

  /** From its next period on the fleet has so many VMs. */
  async setSize(vms: number): Promise<void> {
    const { status, output } = await mmeliot('set', '--admin', this.#admin, `min=${vms}`, `max=${vms}`);
    if (status !== 0) throw new Error(`The fleet cannot be given ${vms} VMs: ${output}`);
  }

  /** How often each item is stored: read from the database itself. */
  async stored(): Promise<Map<string, number>> {
    const database = await openDatabase({ url: this.#repository });
    try {
      const rows = await database.all('SELECT epc, COUNT(*) AS n FROM event_epc GROUP BY epc');
      return new Map(rows.map((row) => [String(row['epc']), Number(row['n'])]));
    } finally {
      await database.close();
    }
  }

  async stop(): Promise<void> {
    for (const program of this.#programs) await program.stop();
    await this.database?.stop();
    if (this.#hasDisk) run('umount', '--lazy', this.dataDir);
    this.#folder.remove();
  }

  #program(command: readonly string[], settings: readonly string[], env: NodeJS.ProcessEnv = {}): Program {
    const all = [...this.#settings, ...settings].flatMap((one) => ['--set', one]);
    const program = startProgram([...command, ...all], { env });
    this.#programs.unshift(program);
    return program;
  }
}

/** Free now; it has to be the same after a restart. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

const run = (file: string, ...args: string[]): void => void execFileSync(file, args);

/** 0: there is none yet, or none any more. */
function pidIn(file: string): number {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { process?: { pid: number } }).process?.pid ?? 0;
  } catch {
    return 0;
  }
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return ''; // it has ended
  }
}
