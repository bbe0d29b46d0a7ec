// What an emulated cloud says to start mmeliot by is a configuration that mmeliot takes.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { PROGRAM, startProgram, temporaryFolder } from '../helpers/mmeliot.ts';

const run = promisify(execFile);

for (const cloud of ['opennebula', 'ec2'])
  describe(`mmeliot emulate-${cloud}`, function () {
    this.timeout(120_000);
    const temporary = temporaryFolder();
    after(() => temporary.remove());

    it('prints a command that starts mmeliot on it', async () => {
      const settings = ['--set', `dataDir=${join(temporary.path, 'cloud')}`];
      const emulator = startProgram([`emulate-${cloud}`, '--port', '0', '--control-port', '0', ...settings]);
      const [, printed = ''] = await emulator.says(/in another terminal:\n([^]*?)\n\nCtrl-C/);
      const check = printed.replace(/^ *\S.*? up /m, '"$NODE" "$PROGRAM" config check ');
      expect(check).to.include(`provider=${cloud}`);
      const env = { ...process.env, NODE: process.execPath, PROGRAM };
      const checked = await run('bash', ['-c', check], { cwd: temporary.path, env }).catch((error: unknown) => error);
      expect((checked as { readonly stderr: string }).stderr).to.equal('');
      expect((await emulator.stop()).status).to.equal(0);
    });
  });
