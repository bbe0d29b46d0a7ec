// A folder of a test's own. With it goes whatever still runs there: a VM outlives its manager, so a test that fails, or that kills
// a manager, would leave VMs behind for ever; and so would tests that are ended by a signal.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TemporaryFolder {
  readonly path: string;
  readonly remove: () => void;
}

const open = new Set<TemporaryFolder>();

export function temporaryFolder(prefix = 'mmeliot-test-'): TemporaryFolder {
  if (open.size === 0) {
    process.off('exit', removeAll).once('exit', removeAll);
    process.off('SIGTERM', endBySignal).once('SIGTERM', endBySignal);
  }
  const path = mkdtempSync(join(tmpdir(), prefix));
  const folder = {
    path,
    remove: () => {
      open.delete(folder);
      for (const pid of process.platform === 'linux' ? runningIn(path) : []) end(pid);
      // what was ended may write for a moment yet
      rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
    },
  };
  open.add(folder);
  return folder;
}

function removeAll(): void {
  for (const folder of open) folder.remove();
}

function endBySignal(): void {
  process.exit(143);
}

/** Those whose arguments or environment name the folder; its name is nobody else's. */
export function runningIn(path: string): readonly number[] {
  const names = (pid: string, what: string): boolean => {
    try {
      return readFileSync(`/proc/${pid}/${what}`).includes(path);
    } catch {
      return false; // it has ended, or is somebody else's
    }
  };
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && Number(pid) !== process.pid)
    .filter((pid) => names(pid, 'cmdline') || names(pid, 'environ'))
    .map(Number);
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it has ended meanwhile, or is somebody else's
  }
}
