// Provider: VMs as processes of this machine, each with its own CPU quota.
//
// Everything it knows of a VM stands in the VM's folder, so a manager that was killed finds its VMs again:
//   <folder>/<id>/vm.json       mark, creation, process (written before and after the start)
//   <folder>/<id>/address.json  address and process, written by the VM itself when it listens
//   <folder>/<id>/releasing     exists once the release was asked for
//   <folder>/<id>/vm.log        what the VM printed (its beginning in vm.log.1, or lost, where it is long)
//   <folder>/ended/<id>.log     the end of that, of the last VMs that are gone
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { writeWhole } from '../../files/write-whole.ts';
import type { Address, Offer, Role } from '../../model.ts';
import { keepLog, lastLine, rotate, tail } from './vm-log.ts';
import { openCpuQuota, type CpuQuota } from './cpu-quota.ts';
import { openMemoryLimit, type MemoryLimit } from './memory-limit.ts';
import { CpuUsage } from './cpu-usage.ts';
import { endProcess, kill, type Process } from './end-process.ts';
import { isAlive, startTicks } from './process-info.ts';
import type { AllocationRequest, ProvidedVm, Provider } from '../provider.ts';
import { lookedAt, offersOf, sell, type ToyMarket, type ToyVm } from '../toy-market.ts';
import { localMarket } from './market-file.ts';

export interface LocalProviderOptions {
  /** Holds one folder for each VM. */
  readonly folder: string;
  /** Names the cgroup; unique on this machine. */
  readonly name: string;
  /** Cores that each VM may use. */
  readonly cpu: number;
  readonly quota: 'auto' | 'cgroup' | 'signals';
  /** What runs as a VM: program, arguments and environment for the VM with this id; `addressFile` is for it to write. */
  readonly command: (vm: LocalVm) => {
    readonly program: string;
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
  };
  /** True: a VM is of whatever size it is asked for, by the offer that it is asked for with. */
  readonly anySize?: true;
  /** File of a toy market, to try interruptible VMs and prices with; without it (or empty) there is one offer, on demand. */
  readonly market?: string;
  /** After this long a VM that was told to end is killed. */
  readonly killAfterMs?: number;
}

/** What is known of a VM when its process is started. */
export interface LocalVm {
  readonly id: string;
  readonly mark: string;
  /** For it to write. */
  readonly addressFile: string;
  readonly cpu: number;
  readonly memoryBytes?: number;
  readonly role?: Role;
  /** What it is told beside what all are. */
  readonly environment: Readonly<Record<string, string>>;
}

interface VmFile {
  readonly mark: string;
  readonly createdAt: number;
  readonly process?: Process;
  readonly offer?: Offer;
  readonly maxPrice?: number;
}

/** What a VM writes of itself. */
interface AddressFile extends Address, Process {}

/** What its folder says of a VM. */
interface Known {
  readonly vm: VmFile;
  readonly address?: AddressFile | undefined;
}

const processOf = ({ vm, address }: Known): Process | undefined => vm.process ?? address;

/** Between writing vm.json and the process's own sign of life a killed manager leaves a gap; it is closed after this long. */
const START_GAP_MS = 30_000;
const KILL_AFTER_MS = 10_000;

export class LocalProvider implements Provider {
  readonly name = 'local';
  readonly lookEvery = 200;
  readonly quotaKind: CpuQuota['kind'];
  readonly #options: LocalProviderOptions;
  readonly #quota: CpuQuota;
  readonly #memory: MemoryLimit;
  readonly #ending = new Map<string, Promise<void>>();
  readonly #usage = new CpuUsage();
  readonly #limited = new Set<string>();
  /** As their folders said last: somebody may remove those, and the processes run on. */
  readonly #seen = new Map<string, Known>();
  #lastNumber = 0;
  /** Why VMs ended whose process is gone: found out once. */
  readonly #ends = new Map<string, string>();
  #allocation: Promise<unknown> = Promise.resolve();

  constructor(options: LocalProviderOptions) {
    this.#options = options;
    this.#quota = openCpuQuota(options.name, options.quota);
    this.#memory = openMemoryLimit(options.name, options.quota, (vm) => this.#quota.folder?.(vm));
    this.quotaKind = this.#quota.kind;
  }

  async list(): Promise<readonly ProvidedVm[]> {
    const market = await this.#market();
    const vms = await Promise.all((await this.#ids()).map((id) => this.#look(id, market)));
    return vms.filter((vm) => vm !== undefined);
  }

  async offers(): Promise<readonly Offer[]> {
    return offersOf(await this.#market());
  }

  #market(): Promise<ToyMarket> {
    return localMarket(this.#options.market, this.#options.cpu);
  }

  /** One at a time: numbering and the look for the mark must not overlap. */
  allocate(request: AllocationRequest): Promise<string> {
    const result = this.#allocation.then(() => this.#allocate(request));
    this.#allocation = result.catch(() => undefined);
    return result;
  }

  async release(id: string): Promise<void> {
    const known = await this.#known(id);
    if (known === undefined) return;
    // where there is no room for the word, who asked for it asks again after a restart
    await writeFile(this.#file(id, 'releasing'), '').catch(() => undefined);
    this.#end(id, processOf(known));
  }

  /** Ends a VM's process without a word: it is then `failed`. */
  async kill(id: string): Promise<void> {
    kill((await this.#known(id))?.vm.process);
  }

  /** Resolves when all releases that were asked for are finished. */
  async settled(): Promise<void> {
    await Promise.all(this.#ending.values());
  }

  /** Waits for the releases and gives the cgroup back, unless VMs still run in it: those serve on. */
  async close(): Promise<void> {
    await this.settled();
    this.#quota.close();
    this.#memory.close();
  }

  async #allocate(request: AllocationRequest): Promise<string> {
    const { mark, maxPrice } = request;
    await mkdir(this.#options.folder, { recursive: true });
    const ids = await this.#ids();
    const there: ToyVm[] = [];
    for (const id of ids) {
      const { vm } = (await this.#known(id)) ?? {};
      if (vm?.mark === mark) return id;
      if (vm?.offer !== undefined) there.push({ id, offer: vm.offer });
    }
    const offer = (this.#options.anySize && request.offer) || sell(await this.#market(), request, there);
    const id = await this.#nextId(ids);
    const vm: VmFile = { mark, createdAt: Date.now(), offer, ...(maxPrice !== undefined && { maxPrice }) };
    // the folder appears together with its vm.json, whenever the manager is killed
    const draft = join(this.#options.folder, '.next');
    await mkdir(draft, { recursive: true });
    await writeWhole(join(draft, 'vm.json'), JSON.stringify(vm));
    await rename(draft, join(this.#options.folder, id));
    const started = { ...vm, process: this.#start(id, offer, request) };
    this.#seen.set(id, { vm: started });
    await writeWhole(this.#file(id, 'vm.json'), JSON.stringify(started));
    return id;
  }

  #start(id: string, offer: Offer, { mark, role, environment = {} }: AllocationRequest): Process {
    const { program, args, env } = this.#options.command({
      ...{ id, mark, environment },
      addressFile: this.#file(id, 'address.json'),
      cpu: offer.size.vcpu,
      ...(offer.size.memoryBytes !== undefined && { memoryBytes: offer.size.memoryBytes }),
      ...(role !== undefined && { role }),
    });
    const log = openSync(this.#file(id, 'vm.log'), 'a');
    try {
      // a session of its own: Ctrl-C at the terminal is for the manager, which drains and releases its VMs
      const child = spawn(program, args, { detached: true, stdio: ['ignore', log, log], env: { ...env } });
      child.on('error', () => undefined); // a program that can't start shows as a VM that failed
      child.unref();
      if (child.pid === undefined) throw new Error(`${program} could not be started as a VM.`);
      this.#limit(id, child.pid, offer);
      return { pid: child.pid, start: startTicks(child.pid) };
    } finally {
      closeSync(log);
    }
  }

  #limit(id: string, pid: number, offer: Offer | undefined): void {
    const { vcpu, memoryBytes } = offer?.size ?? { vcpu: this.#options.cpu };
    this.#limited.add(id);
    this.#quota.limit(id, pid, vcpu);
    if (memoryBytes !== undefined) this.#memory.limit(id, pid, memoryBytes);
  }

  async #look(id: string, market: ToyMarket): Promise<ProvidedVm | undefined> {
    const known = await this.#known(id);
    if (known === undefined) return this.#removeRest(id);
    const { vm, address } = known;
    const process = processOf(known);
    const [first] = market.offers;
    const offer = vm.offer ?? first;
    const seen = offer === undefined ? undefined : lookedAt(market, { id, offer });
    if ((seen?.interruptAt ?? Infinity) <= Date.now()) kill(process);
    const base = { id, mark: vm.mark, createdAt: vm.createdAt, ...seen };
    if (this.#ending.has(id) || (await exists(this.#file(id, 'releasing')))) {
      this.#end(id, process);
      return { ...base, state: 'releasing' };
    }
    if (process === undefined) {
      const young = Math.abs(Date.now() - vm.createdAt) < START_GAP_MS; // the clock may have been set back
      return {
        ...base,
        state: young ? 'pending' : 'failed',
        ...(young ? {} : { note: 'its process was never started' }),
      };
    }
    if (!isAlive(process.pid, process.start)) {
      return { ...base, state: 'failed', note: await this.#whyEnded(id) };
    }
    await rotate(this.#file(id, 'vm.log')).catch(() => undefined);
    // taken over from a manager that was killed
    if (!this.#limited.has(id)) this.#limit(id, process.pid, offer);
    if (address === undefined) return { ...base, state: 'pending' };
    const monitoring = this.#usage.of(id, process.pid, offer?.size.vcpu ?? this.#options.cpu);
    return {
      ...base,
      state: 'running',
      address: { host: address.host, port: address.port },
      ...(monitoring && { monitoring }),
    };
  }

  /** Undefined: there is none. One that runs and whose folder is gone is as that said last, until it ends. */
  async #known(id: string): Promise<Known | undefined> {
    const last = this.#seen.get(id);
    const vm = await readJson<VmFile>(this.#file(id, 'vm.json'));
    const address = await readJson<AddressFile>(this.#file(id, 'address.json'));
    if (vm !== undefined) {
      const known = { vm: { ...last?.vm, ...vm }, address: address ?? last?.address };
      this.#seen.set(id, known);
      return known;
    }
    const process = last && processOf(last);
    if (process !== undefined && isAlive(process.pid, process.start)) return last;
    if (this.#seen.delete(id)) this.#end(id, process);
    return undefined;
  }

  /** A manager that was killed while it removed the folder had got as far as vm.json: the process had ended before. */
  async #removeRest(id: string): Promise<undefined> {
    const folder = join(this.#options.folder, id);
    const files = await readdir(folder).catch(() => ['vm.json']);
    if (!files.includes('vm.json')) await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }

  async log(id: string): Promise<string | undefined> {
    if (basename(id) !== id) return undefined;
    const files = [this.#file(id, 'vm.log'), join(this.#options.folder, 'ended', `${id}.log`)];
    for (const file of files) {
      const text = await tail(file).catch(() => undefined);
      if (text !== undefined) return text.toString('utf8');
    }
    return undefined;
  }

  /** Names a file that stays when the VM's folder is removed. */
  async #whyEnded(id: string): Promise<string> {
    const known = this.#ends.get(id);
    if (known !== undefined) return known;
    const kept = await this.#keepLog(id);
    const last = kept && (await lastLine(kept).catch(() => undefined));
    const why = `its process ended ${last === undefined ? 'without a word' : `and said last: ${last}`}`;
    const note = kept === undefined ? why : `${why} (more in ${kept})`;
    this.#ends.set(id, note);
    return note;
  }

  /** Undefined where it printed nothing, or there is no room to keep it. */
  #keepLog(id: string): Promise<string | undefined> {
    return keepLog(this.#file(id, 'vm.log'), join(this.#options.folder, 'ended'), id).catch(() => undefined);
  }

  /** Ends the process, kills it where it doesn't end, and removes what was kept of the VM. */
  #end(id: string, process: Process | undefined): void {
    if (this.#ending.has(id)) return;
    const ending = this.#endProcess(id, process)
      .catch(() => undefined) // the next list tries again
      .finally(() => this.#ending.delete(id));
    this.#ending.set(id, ending);
  }

  async #endProcess(id: string, process: Process | undefined): Promise<void> {
    this.#quota.release(id);
    if (process !== undefined) await endProcess(process, this.#options.killAfterMs ?? KILL_AFTER_MS);
    this.#quota.release(id);
    this.#memory.release(id);
    this.#limited.delete(id);
    this.#usage.forget(id);
    await this.#keepLog(id);
    this.#ends.delete(id);
    await rm(join(this.#options.folder, id), { recursive: true, force: true });
  }

  async #ids(): Promise<string[]> {
    const entries = await readdir(this.#options.folder, { withFileTypes: true }).catch(() => []);
    const folders = entries.filter((entry) => entry.isDirectory() && entry.name.startsWith('vm-'));
    return [...new Set([...folders.map(({ name }) => name), ...this.#seen.keys()])];
  }

  /** Numbers are not used twice, so that a VM in the journal is one VM. */
  async #nextId(ids: readonly string[]): Promise<string> {
    const file = join(this.#options.folder, 'last-id.json');
    const last = (await readJson<number>(file)) ?? 0;
    const next = Math.max(last, this.#lastNumber, ...ids.map((id) => Number(id.slice(3)))) + 1;
    await writeWhole(file, JSON.stringify(next));
    this.#lastNumber = next;
    return `vm-${next}`;
  }

  #file(id: string, name: string): string {
    return join(this.#options.folder, id, name);
  }
}

async function readJson<T>(file: string): Promise<T | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as T;
  } catch {
    return undefined; // not there (yet)
  }
}

const exists = (file: string) =>
  readFile(file).then(
    () => true,
    () => false,
  );
