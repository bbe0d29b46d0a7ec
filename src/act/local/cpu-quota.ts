// How many cores a local VM's process may use. Three ways, best first: cgroup v2, cgroup v1, and, where neither may be
// written, stopping and continuing the process by signals.
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { mountPoint, ownCgroup } from './cgroup-mounts.ts';
import { cpuTimeMs } from './process-info.ts';

export interface CpuQuota {
  readonly kind: 'cgroup v2' | 'cgroup v1' | 'signals';
  limit(vm: string, pid: number, cores: number): void;
  /** After the process has ended. */
  release(vm: string): void;
  /** After all VMs have been released. */
  close(): void;
  /** Of a limited VM: its cgroup, where that counts memory as well. */
  folder?(vm: string): string;
}

/**
 * As everywhere else (it is the kernel's own default). A VM that has used up its share waits at most this long, and what it has not used is kept
 * for as long (`withBurst`): with 50 ms that is less than some garbage collections take, and a VM at 80 % of its share stands still 0.8 to 1.3
 * times a second, with 100 ms 0.2 to 0.3 times, with 200 ms 0.1 times (and may wait twice as long).
 */
const PERIOD_US = 100_000;

export function openCpuQuota(name: string, way: 'auto' | 'cgroup' | 'signals'): CpuQuota {
  const cgroup = way === 'signals' ? undefined : (openCgroupV2(name) ?? openCgroupV1(name));
  if (cgroup !== undefined) return cgroup;
  if (way === 'cgroup') {
    throw new Error(
      'local.quota is cgroup, but no cgroup with a cpu controller may be written here: run as root, or set local.quota to auto.',
    );
  }
  return new SignalQuota();
}

/** How much of the CPU a cgroup gets beside its neighbours: the file that says it, and what a process without a cgroup has. */
interface Weight {
  readonly file: string;
  readonly ofProcess: number;
  readonly most: number;
}

class CgroupQuota implements CpuQuota {
  readonly kind;
  readonly #folder: string;
  readonly #weight: Weight;
  readonly #write: (folder: string, quotaUs: number) => void;

  constructor(
    kind: 'cgroup v1' | 'cgroup v2',
    folder: string,
    weight: Weight,
    write: (folder: string, quotaUs: number) => void,
  ) {
    this.kind = kind;
    this.#folder = folder;
    this.#weight = weight;
    this.#write = write;
  }

  limit(vm: string, pid: number, cores: number): void {
    const folder = join(this.#folder, vm);
    mkdirSync(folder, { recursive: true });
    this.#write(folder, Math.round(cores * PERIOD_US));
    writeFileSync(join(folder, 'cgroup.procs'), String(pid));
    this.#weigh();
  }

  release(vm: string): void {
    removeEmpty(join(this.#folder, vm));
    this.#weigh();
  }

  /** Beside what else the machine does each VM weighs as much as a process: as one cgroup all of them would weigh as much as one. */
  #weigh(): void {
    const { file, ofProcess, most } = this.#weight;
    tryTo(() => {
      const vms = readdirSync(this.#folder, { withFileTypes: true }).filter((entry) => entry.isDirectory()).length;
      if (vms > 0) writeFileSync(join(this.#folder, file), String(Math.min(vms * ofProcess, most)));
    });
  }

  folder(vm: string): string {
    return join(this.#folder, vm);
  }

  close(): void {
    if (!existsSync(this.#folder)) return;
    for (const entry of readdirSync(this.#folder, { withFileTypes: true })) {
      if (entry.isDirectory()) this.release(entry.name);
    }
    removeEmpty(this.#folder);
  }
}

/** With those that a process of it made, where it was killed before it could remove them. */
export function removeEmpty(folder: string): void {
  try {
    for (const entry of readdirSync(folder, { withFileTypes: true }))
      if (entry.isDirectory()) removeEmpty(join(folder, entry.name));
    rmdirSync(folder);
  } catch (error) {
    // gone already, or a process is still in it: then its own release comes back here
    if (!['ENOENT', 'EBUSY', 'ENOTEMPTY'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

function openCgroupV2(name: string): CpuQuota | undefined {
  const mount = mountPoint('cgroup2');
  if (mount === undefined) return undefined;
  const own = ownCgroup((controllers) => controllers === '');
  // processes may only live in leaves, so our own cgroup can't get children while we are in it: its parent or the root can
  for (const parent of new Set([join(mount, own, '..'), mount])) {
    try {
      writeIfMissing(join(parent, 'cgroup.subtree_control'), 'cpu');
      const folder = join(parent, name);
      mkdirSync(folder, { recursive: true });
      writeIfMissing(join(folder, 'cgroup.subtree_control'), 'cpu');
      for (const above of [parent, folder])
        tryTo(() => writeIfMissing(join(above, 'cgroup.subtree_control'), 'memory'));
      accessSync(join(parent, 'cgroup.procs'), constants.W_OK);
      return new CgroupQuota('cgroup v2', folder, { file: 'cpu.weight', ofProcess: 100, most: 10_000 }, (vm, quotaUs) =>
        withBurst(join(vm, 'cpu.max.burst'), quotaUs, () =>
          writeFileSync(join(vm, 'cpu.max'), `${quotaUs} ${PERIOD_US}`),
        ),
      );
    } catch {
      tryTo(() => rmdirSync(join(parent, name))); // or it was never made
    }
  }
  return undefined;
}

function openCgroupV1(name: string): CpuQuota | undefined {
  const mount = mountPoint('cgroup', 'cpu');
  if (mount === undefined) return undefined;
  const own = ownCgroup((controllers) => controllers.split(',').includes('cpu'));
  const folder = join(mount, own, name);
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(join(folder, 'cpu.cfs_quota_us'), constants.W_OK);
  } catch {
    return undefined;
  }
  return new CgroupQuota('cgroup v1', folder, { file: 'cpu.shares', ofProcess: 1024, most: 262_144 }, (vm, quotaUs) => {
    writeFileSync(join(vm, 'cpu.cfs_period_us'), String(PERIOD_US));
    withBurst(join(vm, 'cpu.cfs_burst_us'), quotaUs, () =>
      writeFileSync(join(vm, 'cpu.cfs_quota_us'), String(quotaUs)),
    );
  });
}

/**
 * What was left of a period's share may be used in later ones, as much again at most: a garbage collection, or a piece of a document
 * between queries, does not stop a VM that has used less than its share until then. Kernels before 5.14 know no burst.
 */
function withBurst(file: string, quotaUs: number, limit: () => void): void {
  tryTo(() => writeFileSync(file, '0')); // a burst above the quota is refused, whichever of them changes
  limit();
  tryTo(() => writeFileSync(file, String(quotaUs)));
}

function writeIfMissing(file: string, controller: string): void {
  if (!readFileSync(file, 'utf8').split(/\s+/).includes(controller)) writeFileSync(file, `+${controller}`);
}

function tryTo(what: () => void): void {
  try {
    what();
  } catch {
    // then not
  }
}

/**
 * A token bucket for each process: it earns `cores` × time passed, pays what it used, and stands still while it owes.
 * Coarser than a cgroup, but a VM saturates at its share all the same: with 0.25 cores, 10 ms used buy a pause of 30 ms.
 */
class SignalQuota implements CpuQuota {
  static readonly TICK_MS = 10;
  readonly kind = 'signals';
  readonly #vms = new Map<string, Bucket>();
  #timer?: NodeJS.Timeout;

  limit(vm: string, pid: number, cores: number): void {
    signal(pid, 'SIGCONT'); // a manager that was killed may have left it standing
    const used = cpuTimeMs(pid);
    this.#vms.set(vm, { pid, cores, at: performance.now(), used, credit: 0, stopped: false });
    this.#timer ??= setInterval(() => this.#vms.forEach(account), SignalQuota.TICK_MS).unref();
  }

  release(vm: string): void {
    const bucket = this.#vms.get(vm);
    if (bucket !== undefined) resume(bucket);
    this.#vms.delete(vm);
    if (this.#vms.size === 0) this.close();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#vms.forEach(resume);
    this.#vms.clear();
  }
}

interface Bucket {
  readonly pid: number;
  readonly cores: number;
  at: number;
  used: number | undefined;
  credit: number;
  stopped: boolean;
}

/** Counts what was used since, and stops or continues the VM by what it has left. */
function account(bucket: Bucket): void {
  const now = performance.now();
  const elapsed = now - bucket.at;
  const used = cpuTimeMs(bucket.pid);
  // where the system doesn't tell what a process used, it is taken to have run whenever it was allowed to
  const spent = used === undefined || bucket.used === undefined ? (bucket.stopped ? 0 : elapsed) : used - bucket.used;
  const earned = elapsed * bucket.cores;
  // unused time isn't saved up beyond one cgroup-like period: a VM may not burst
  bucket.credit = Math.min(bucket.credit + earned - spent, (bucket.cores * PERIOD_US) / 1000);
  bucket.at = now;
  bucket.used = used;
  if (bucket.credit < 0 !== bucket.stopped) {
    bucket.stopped = !bucket.stopped;
    signal(bucket.pid, bucket.stopped ? 'SIGSTOP' : 'SIGCONT');
  }
}

function resume(bucket: Bucket): void {
  if (bucket.stopped) signal(bucket.pid, 'SIGCONT');
  bucket.stopped = false;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // it has ended
  }
}
