// A terminal that is closed under what runs in it.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { FREE_PORTS, PROGRAM, startProgram, temporaryFolder } from '../helpers/mmeliot.ts';
import { runningIn } from '../helpers/temporary-folder.ts';
import { until } from '../helpers/until.ts';

describe('a terminal that is closed', function () {
  this.timeout(120_000);
  const folder = temporaryFolder();
  after(() => folder.remove());

  it('ends the system in order: its VMs are released, and nothing runs on', async () => {
    const data = join(folder.path, 'data');
    const settings = [`dataDir=${data}`, ...FREE_PORTS].map((one) => `--set ${one}`).join(' ');
    const command = `exec ${process.execPath} ${PROGRAM} up ${settings}`;
    // it holds the terminal: without it there is none
    const terminal = startProgram(['--quiet', '--flush', '--command', command, '/dev/null'], { program: 'script' });
    await terminal.says(/Ctrl-C stops everything/);
    expect(readdirSync(join(data, 'vms'))).to.include('vm-1');
    await terminal.kill();
    await until('nothing runs any more', () => runningIn(data).length === 0, 60_000);
    expect(readdirSync(join(data, 'vms')).filter((name) => /^vm-/.test(name))).to.deep.equal([]);
  });
});
