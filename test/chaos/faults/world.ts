// The real system that faults happen to: a gateway, a manager and two VMs, each a process of its own, over one repository.
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '../../../epcis/repository/database/open.ts';
import type { ManagerView } from '../../../src/loop/view.ts';
import { freePort } from '../../helpers/free-port.ts';
import type { MariaDb } from '../../helpers/mariadb.ts';
import type { Replicated } from '../../helpers/replicated.ts';
import { mmeliot, startProgram, temporaryFolder, type Program } from '../../helpers/mmeliot.ts';
import { mount, unmount } from '../../helpers/small-disk.ts';
import { isAlive } from '../../../src/act/local/process-info.ts';
import { runningIn } from '../../helpers/temporary-folder.ts';
import { until } from '../../helpers/until.ts';
import { startRelay, type Relay } from './relay.ts';
import { CHECKOUT, checkOut, haproxyOf, startReports } from './machine.ts';
import { openCloud, openRepository, type Cloud, type Repository, type RepositoryKind } from './surroundings.ts';

export interface WorldOptions {
  readonly repository?: RepositoryKind;
  readonly dataPlane?: 'builtin' | 'haproxy';
  /** An emulated one gives the VMs, which are processes of this machine all the same. */
  readonly cloud?: 'opennebula';
  /** Of every other VM of that cloud, as faketime has it. */
  readonly vmClock?: string;
  /** Two gateways behind one address, as a virtual address stands before them. */
  readonly gateways?: 2;
  /** Load reports go through a relay: in a network of its own only. */
  readonly reports?: 'relayed';
  /** It begins with the program of that commit, and lets go of its VMs when its manager ends. */
  readonly from?: string;
  /** Its manager leaves its VMs at its end, as the systemd units have it; else it releases them. */
  readonly keepsVms?: true;
  /** Its folder is a disk of its own of this size. */
  readonly disk?: string;
  /** The folder of the VMs is. */
  readonly vmDisk?: string;
}

interface Parts {
  readonly folder: ReturnType<typeof temporaryFolder>;
  readonly repository: Repository;
  readonly cloud: Cloud | undefined;
  /** In front of two gateways. */
  readonly address: Relay | undefined;
  readonly reports: Relay | undefined;
  readonly before: string | undefined;
  readonly ports: Record<'clients' | 'control' | 'secondClients' | 'secondControl' | 'collector', number>;
}

export class World {
  readonly #options: WorldOptions;
  readonly #parts: Parts;
  readonly #settings: readonly string[];
  gateway!: Program;
  manager!: Program;
  secondGateway: Program | undefined;
  /** The latest first: a manager before its gateway. */
  readonly #programs: Program[] = [];
  #admin = '';
  #release: 'this' | 'before';

  static async start(options: WorldOptions = {}): Promise<World> {
    const folder = temporaryFolder();
    if (options.disk !== undefined) mount(options.disk, folder.path);
    if (options.vmDisk !== undefined) {
      mkdirSync(join(folder.path, 'vms'));
      mount(options.vmDisk, join(folder.path, 'vms'));
    }
    const ports = {
      ...{ clients: await freePort(), control: await freePort(), collector: await freePort() },
      ...{ secondClients: await freePort(), secondControl: await freePort() },
    };
    const world = new World(options, {
      ...{ folder, ports },
      repository: await openRepository(options.repository ?? 'sqlite', folder.path),
      cloud: options.cloud && (await openCloud(join(folder.path, 'vms'), options.vmClock)),
      address: options.gateways && (await startRelay([ports.clients, ports.secondClients])),
      reports: options.reports && (await startReports(ports.collector)),
      before: options.from && checkOut(options.from, join(folder.path, 'before')),
    });
    try {
      await world.startGateway();
      if (options.gateways !== undefined) await world.startSecondGateway();
      await world.startManager();
      await world.isWell();
      return world;
    } catch (error) {
      await world.stop();
      throw error;
    }
  }

  private constructor(options: WorldOptions, parts: Parts) {
    this.#options = options;
    this.#parts = parts;
    this.#release = parts.before === undefined ? 'this' : 'before';
    const { repository, cloud } = parts;
    this.#settings = [
      ...[`dataDir=${this.dataDir}`, `repository.url=${repository.url}`, `collector.secret=${randomUUID()}`],
      ...(repository.readUrl === undefined ? [] : [`repository.readUrl=${repository.readUrl}`]),
      ...(cloud?.settings ?? []),
    ];
  }

  /** Where clients ask. */
  get url(): string {
    return `http://127.0.0.1:${this.#parts.address?.port ?? this.clientPort}/`;
  }

  get clientPort(): number {
    return this.#parts.ports.clients;
  }

  get collectorPort(): number {
    return this.#parts.ports.collector;
  }

  /** Where the gateway hears its manager. */
  get controlPort(): number {
    return this.#parts.ports.control;
  }

  get repository(): Repository {
    return this.#parts.repository;
  }

  /** What load reports go through. */
  get reports(): Relay {
    if (this.#parts.reports === undefined) throw new Error('This needs a relay for load reports.');
    return this.#parts.reports;
  }

  get cloud(): Cloud {
    if (this.#parts.cloud === undefined) throw new Error('This needs a cloud.');
    return this.#parts.cloud;
  }

  get replicated(): Replicated {
    const { replicated } = this.repository;
    if (replicated === undefined) throw new Error('This needs a replica.');
    return replicated;
  }

  /** What queries read from has all that is stored. */
  async allCaughtUp(): Promise<void> {
    await this.repository.replicated?.caughtUp();
  }

  get databaseServer(): MariaDb {
    const { server } = this.repository;
    if (server === undefined) throw new Error('This needs a database server.');
    return server;
  }

  get dataDir(): string {
    return this.#parts.folder.path;
  }

  async startGateway(): Promise<void> {
    const { clients, control } = this.#parts.ports;
    const settings = [`gateway.port=${clients}`, `gateway.control.port=${control}`];
    if (this.#options.dataPlane === 'haproxy') settings.push('gateway.dataPlane=haproxy');
    this.gateway = this.#program(['gateway'], settings);
    await this.gateway.says(/clients connect to/);
  }

  /** The other one of two, with a folder of its own as on another machine. */
  async startSecondGateway(): Promise<void> {
    const { secondClients, secondControl } = this.#parts.ports;
    const folder = join(this.dataDir, 'second');
    mkdirSync(folder, { recursive: true });
    const settings = [`gateway.port=${secondClients}`, `gateway.control.port=${secondControl}`, `dataDir=${folder}`];
    this.secondGateway = this.#program(['gateway'], settings);
    await this.secondGateway.says(/clients connect to/);
  }

  /** `settings`: others than its own. */
  async startManager(env: NodeJS.ProcessEnv = {}, settings: readonly string[] = []): Promise<void> {
    const { from, keepsVms } = this.#options;
    const command = from === undefined && keepsVms === undefined ? ['manager', '--release'] : ['manager'];
    this.manager = this.#program(command, [...this.#managerSettings(), ...settings], env);
    this.#admin = (await this.manager.says(/operator looks at\s+(\S+)/))[1] ?? '';
  }

  #managerSettings(): string[] {
    const { control, secondControl, collector } = this.#parts.ports;
    const controls = [control, ...(this.#options.gateways === undefined ? [] : [secondControl])];
    return [
      `manager.gateways=[${controls.map((port) => `http://127.0.0.1:${port}`).join()}]`,
      ...['admin.port=0', `collector.port=${collector}`],
      ...['elasticity.period=1s', 'elasticity.min=2', 'elasticity.max=2', 'epcis.subscriptionTargets=[127.0.0.1]'],
    ];
  }

  /** Another manager over the same folder, by mistake. */
  secondManager(): Program {
    return this.#program(['manager'], this.#managerSettings());
  }

  /** The VMs that run, by the processes that the provider says they are: what is left in a folder of one that died is none. */
  vms(): { readonly id: string; readonly pid: number }[] {
    return this.#vmIds()
      .map((id) => ({ id, pid: read<VmFile>(this.#vmFile(id, 'vm'))?.process?.pid ?? 0 }))
      .filter(({ pid }) => pid > 0 && isAlive(pid));
  }

  /** Where they listen. */
  vmPorts(): number[] {
    return this.#vmIds()
      .map((id) => read<{ port: number }>(this.#vmFile(id, 'address'))?.port ?? 0)
      .filter((port) => port > 0);
  }

  #vmIds(): string[] {
    return readdirSync(join(this.dataDir, 'vms')).filter((name) => name.startsWith('vm-'));
  }

  #vmFile(id: string, name: 'vm' | 'address'): string {
    return join(this.dataDir, 'vms', id, `${name}.json`);
  }

  /** The HAProxy of its gateway. */
  haproxyPid(): number {
    return haproxyOf(this.dataDir);
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
        const { cloud } = this.#parts;
        const isSaid = ready === 2 && pending + draining + releasing + failed === 0;
        return isSaid && (cloud?.running() ?? 2) === 2 && this.#running().length === 2;
      },
      120_000,
    );
  }

  /** VMs' processes, whether or not anybody knows of them. */
  #running(): readonly number[] {
    return runningIn(join(this.dataDir, 'vms'));
  }

  /** From its next period on the fleet has so many VMs. */
  async setSize(vms: number): Promise<void> {
    const { status, output } = await mmeliot('set', '--admin', this.#admin, `min=${vms}`, `max=${vms}`);
    if (status !== 0) throw new Error(`The fleet cannot be given ${vms} VMs: ${output}`);
  }

  /** What is started from now on is of this release. */
  use(release: 'this' | 'before'): void {
    this.#release = release;
  }

  /** One after the other by such of its manager's release. */
  async replaceVms(): Promise<void> {
    for (const { id, pid } of this.vms()) {
      const { status, output } = await mmeliot('vm', 'replace', '--admin', this.#admin, id);
      if (status !== 0) throw new Error(`${id} cannot be replaced: ${output}`);
      await until(`${id} is replaced`, () => this.vms().every((vm) => vm.pid !== pid), 120_000);
      await this.isWell();
    }
  }

  /** How often each item is stored: read from the database itself. */
  async stored(): Promise<Map<string, number>> {
    const database = await openDatabase({ url: this.repository.readerUrl });
    try {
      const rows = await database.all('SELECT epc, COUNT(*) AS n FROM event_epc GROUP BY epc');
      return new Map(rows.map((row) => [String(row['epc']), Number(row['n'])]));
    } finally {
      await database.close();
    }
  }

  /** What all its programs have said until now. */
  logs(): { readonly part: string; readonly log: string }[] {
    return this.#programs.map((program) => ({ part: program.child.spawnargs[2] ?? '', log: program.output() }));
  }

  async stop(): Promise<void> {
    const { repository, cloud, address, reports, folder } = this.#parts;
    for (const program of this.#programs) await program.stop();
    if (this.#options.keepsVms) await mmeliot('release', ...this.#settings.flatMap((one) => ['--set', one]));
    await cloud?.stop();
    await repository.stop();
    address?.close();
    reports?.close();
    if (this.#options.vmDisk !== undefined) unmount(join(this.dataDir, 'vms'));
    if (this.#options.disk !== undefined) unmount(this.dataDir);
    folder.remove();
  }

  #program(command: readonly string[], settings: readonly string[], env: NodeJS.ProcessEnv = {}): Program {
    const all = [...this.#settings, ...settings].flatMap((one) => ['--set', one]);
    const folder = this.#release === 'this' ? CHECKOUT : (this.#parts.before ?? '');
    const args = [join(folder, 'src/cli/mmeliot.js'), ...command, ...all];
    const program = startProgram(args, { program: process.execPath, env });
    this.#programs.unshift(program);
    return program;
  }
}

interface VmFile {
  readonly process?: { readonly pid: number };
}

/** Undefined: there is none yet, or none any more. */
function read<T>(file: string): T | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T;
  } catch {
    return undefined;
  }
}
