// Where cgroups are mounted, and which one this process is in.
import { readFileSync } from 'node:fs';

export function mountPoint(type: string, option?: string): string | undefined {
  for (const line of readLines('/proc/mounts')) {
    const [, path, fsType, options] = line.split(' ');
    if (fsType === type && (option === undefined || options?.split(',').includes(option))) return path;
  }
  return undefined;
}

export function ownCgroup(isIt: (controllers: string) => boolean): string {
  for (const line of readLines('/proc/self/cgroup')) {
    const [, controllers, path] = line.split(':');
    if (controllers !== undefined && path !== undefined && isIt(controllers)) return path;
  }
  return '/';
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch {
    return [];
  }
}
