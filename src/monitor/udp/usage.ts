// What this VM may use and what it uses: from its cgroup (v2 or v1), from a given quota, or from the whole machine.
import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, freemem, totalmem } from 'node:os';

/** Reads one usage counter in core-milliseconds, and how many cores may be used. */
export interface CpuMeter {
  readonly kind: 'cgroup v2' | 'cgroup v1' | 'process' | 'machine';
  readonly cores: number;
  usedMs(): number;
}

/** Returns a file's text, or undefined where there is none. */
export type ReadText = (path: string) => string | undefined;

/** `quota` in cores is for a VM that is a process without a cgroup of its own: then the process is measured. */
export function openCpuMeter(quota?: number, read: ReadText = readText, usedMs = processMs): CpuMeter {
  if (quota !== undefined) return { kind: 'process', cores: quota, usedMs };
  return cgroupV2(read) ?? cgroupV1(read) ?? { kind: 'machine', cores: availableParallelism(), usedMs: machineMs };
}

/** `250000 1000000` in cpu.max is a quarter of a core. The nearest folder with a limit counts. */
function cgroupV2(read: ReadText): CpuMeter | undefined {
  for (const folder of folders(read, '', '/sys/fs/cgroup')) {
    const [quota, period] = (read(`${folder}/cpu.max`) ?? 'max').split(' ').map(Number);
    if (!isPositive(quota) || !isPositive(period)) continue;
    const usedMs = () => Number(/usage_usec (\d+)/.exec(read(`${folder}/cpu.stat`) ?? '')?.[1] ?? 0) / 1e3;
    return { kind: 'cgroup v2', cores: quota / period, usedMs };
  }
  return undefined;
}

function cgroupV1(read: ReadText): CpuMeter | undefined {
  for (const folder of folders(read, 'cpu', '/sys/fs/cgroup/cpu')) {
    const quota = Number(read(`${folder}/cpu.cfs_quota_us`) ?? -1);
    const period = Number(read(`${folder}/cpu.cfs_period_us`) ?? -1);
    if (isPositive(quota) && isPositive(period))
      return { kind: 'cgroup v1', cores: quota / period, usedMs: usedIn(read, folder) };
  }
  return undefined;
}

/**
 * The accounting of that group. cpu and cpuacct may be mounted apart, and the group may exist for cpu only: then this
 * process speaks for it, since the accounting of any group around it is that of others, too.
 */
function usedIn(read: ReadText, cpuFolder: string): () => number {
  const apart = cpuFolder.replace('/sys/fs/cgroup/cpu', '/sys/fs/cgroup/cpuacct');
  const file = [cpuFolder, apart].map((folder) => `${folder}/cpuacct.usage`).find((path) => read(path) !== undefined);
  return file === undefined ? processMs : () => Number(read(file) ?? 0) / 1e6;
}

/** This process's cgroup and those around it, innermost first. `9:cpu,cpuacct:/a/b` → mount/a/b, mount/a, mount. */
function folders(read: ReadText, controller: string, mount: string): readonly string[] {
  const lines = (read('/proc/self/cgroup') ?? '').split('\n').map((line) => line.split(':'));
  const own = lines.find(([, controllers = '?']) => controllers.split(',').includes(controller))?.[2];
  if (own === undefined) return [];
  const parts = own.split('/').filter((part) => part !== '');
  return parts.map((_, i) => `${mount}/${parts.slice(0, parts.length - i).join('/')}`).concat(mount);
}

/** Per cent of the memory that may be used. */
export function memoryPercent(read: ReadText = readText): number {
  for (const folder of folders(read, '', '/sys/fs/cgroup')) {
    const limit = Number(read(`${folder}/memory.max`) ?? 'max');
    if (isPositive(limit)) return share(Number(read(`${folder}/memory.current`) ?? 0), limit);
  }
  for (const folder of folders(read, 'memory', '/sys/fs/cgroup/memory')) {
    const limit = Number(read(`${folder}/memory.limit_in_bytes`) ?? Infinity);
    if (isPositive(limit) && limit < totalmem())
      return share(Number(read(`${folder}/memory.usage_in_bytes`) ?? 0), limit);
  }
  return share(totalmem() - freemem(), totalmem());
}

/** Bytes that all interfaces but loopback have received and sent. */
export function networkBytes(read: ReadText = readText): { readonly in: number; readonly out: number } {
  const totals = { in: 0, out: 0 };
  for (const line of (read('/proc/net/dev') ?? '').split('\n')) {
    const [name, counters] = line.split(':');
    if (counters === undefined || name?.trim() === 'lo') continue;
    const numbers = counters.trim().split(/\s+/).map(Number);
    totals.in += numbers[0] ?? 0;
    totals.out += numbers[8] ?? 0;
  }
  return totals;
}

const share = (used: number, limit: number): number => Math.min(100, (used / limit) * 100);
const isPositive = (value: number | undefined): value is number =>
  value !== undefined && Number.isFinite(value) && value > 0;

export const processMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e3;
};

const machineMs = (): number =>
  cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0);

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
}
