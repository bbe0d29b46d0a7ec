// How much memory a local VM's process may use. By cgroup where one may be written; else it is looked at twice a second, and
// a process that has more is killed, as the kernel would.
import { accessSync, constants, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { removeEmpty } from './cpu-quota.ts';
import { mountPoint, ownCgroup } from './cgroup-mounts.ts';
import { residentBytes } from './process-info.ts';

export interface MemoryLimit {
  limit(vm: string, pid: number, bytes: number): void;
  /** After the process has ended. */
  release(vm: string): void;
  /** After all VMs have been released. */
  close(): void;
}

/** `cpuFolder`: the VM's cgroup of version 2, which counts cores and memory together; undefined where there is none. */
export function openMemoryLimit(
  name: string,
  way: 'auto' | 'cgroup' | 'signals',
  cpuFolder: (vm: string) => string | undefined,
): MemoryLimit {
  const watch = new MemoryWatch();
  if (way === 'signals') return watch;
  const v1 = openV1(name);
  if (v1 !== undefined) return v1;
  return {
    limit(vm, pid, bytes) {
      const folder = cpuFolder(vm);
      const file = folder === undefined ? '' : join(folder, 'memory.max');
      if (existsSync(file)) writeFileSync(file, String(bytes));
      else watch.limit(vm, pid, bytes);
    },
    release: (vm) => watch.release(vm),
    close: () => undefined,
  };
}

function openV1(name: string): MemoryLimit | undefined {
  const mount = mountPoint('cgroup', 'memory');
  if (mount === undefined) return undefined;
  const own = ownCgroup((controllers) => controllers.split(',').includes('memory'));
  const folder = [join(mount, own, name), join(mount, name)].find((path) => {
    try {
      mkdirSync(path, { recursive: true });
      accessSync(join(path, 'memory.limit_in_bytes'), constants.W_OK);
      return true;
    } catch {
      return false;
    } finally {
      // made again with the first VM that has a limit: who is killed before leaves nothing
      if (existsSync(path)) removeEmpty(path);
    }
  });
  if (folder === undefined) return undefined;
  return {
    limit(vm, pid, bytes) {
      mkdirSync(join(folder, vm), { recursive: true });
      writeFileSync(join(folder, vm, 'memory.limit_in_bytes'), String(bytes));
      writeFileSync(join(folder, vm, 'cgroup.procs'), String(pid));
    },
    release: (vm) => removeEmpty(join(folder, vm)),
    close: () => removeEmpty(folder),
  };
}

class MemoryWatch implements MemoryLimit {
  static readonly EVERY_MS = 500;
  readonly #vms = new Map<string, { readonly pid: number; readonly bytes: number }>();
  #timer?: NodeJS.Timeout | undefined;

  limit(vm: string, pid: number, bytes: number): void {
    this.#vms.set(vm, { pid, bytes });
    this.#timer ??= setInterval(() => this.#vms.forEach(check), MemoryWatch.EVERY_MS).unref();
  }

  release(vm: string): void {
    this.#vms.delete(vm);
    if (this.#vms.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  close(): void {
    // nothing is looked at where there is no VM
  }
}

function check({ pid, bytes }: { readonly pid: number; readonly bytes: number }): void {
  if ((residentBytes(pid) ?? 0) <= bytes) return;
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it has ended
  }
}
