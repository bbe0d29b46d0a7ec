// How much a systemd unit may do, as systemd rates it: 0 nothing, 10 everything.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

export async function exposureOf(unit: string): Promise<number> {
  const { stdout } = await run('systemd-analyze', ['security', '--offline=true', '--no-pager', unit]);
  const [, level] = /exposure level for .*: ([\d.]+)/.exec(stdout) ?? [];
  if (level === undefined) throw new Error(`systemd-analyze rates ${unit} by no number: ${stdout.slice(-200)}`);
  return Number(level);
}
