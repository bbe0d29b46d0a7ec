// A disk without room costs the log of a VM, not the VM.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, openSync, closeSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { PROGRAM } from '../../src/manager/program.ts';
import { toEnvironment } from '../../src/manager/vm-environment.ts';
import { until } from '../helpers/until.ts';

describe('a VM whose log has no room', function () {
  this.timeout(60_000);
  const folder = mkdtempSync(join(tmpdir(), 'mmeliot-full-'));
  const addressFile = join(folder, 'address.json');
  let vm: ChildProcess;

  before(() => {
    const env = toEnvironment({
      ...{ id: 'vm-1', group: 'full', secret: '', reportEvery: 10_000, addressFile },
      repositoryUrl: `sqlite://${join(folder, 'epcis.db')}`,
      listen: { host: '127.0.0.1', port: 0 },
    });
    const full = openSync('/dev/full', 'a'); // refuses every byte with ENOSPC
    vm = spawn(process.execPath, [PROGRAM, 'vm'], { stdio: ['ignore', full, full], env });
    closeSync(full);
  });
  after(async () => {
    const ended = once(vm, 'exit');
    if (vm.kill()) await ended;
    rmSync(folder, { recursive: true });
  });

  it('starts, is ready and answers queries', async () => {
    await until('it listens', () => vm.exitCode !== null || existsSync(addressFile));
    expect(vm.exitCode).to.equal(null);
    const { port } = JSON.parse(readFileSync(addressFile, 'utf8')) as { port: number };
    for (const path of ['ready', 'events', 'events']) {
      const answer = await fetch(`http://127.0.0.1:${port}/${path}`, { headers: { 'GS1-EPCIS-Version': '2.0.0' } });
      expect(answer.status, path).to.equal(200);
      await answer.text();
    }
    expect(vm.exitCode).to.equal(null);
  });
});
