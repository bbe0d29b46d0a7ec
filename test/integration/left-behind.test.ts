// What tests start ends with them, however they end.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { runningIn, temporaryFolder } from '../helpers/temporary-folder.ts';
import { until } from '../helpers/until.ts';

const HELPER = join(import.meta.dirname, '../helpers/temporary-folder.ts');
/** As a manager starts a VM: it lives on by itself. */
const START = `spawn('sleep', ['300'], { detached: true, stdio: 'ignore', env: { ...process.env, OWN: folder.path } }).unref();`;

describe('a temporary folder', function () {
  this.timeout(60_000);

  it('takes with it what still runs in it, and nothing else', async () => {
    const [folder, other] = [temporaryFolder(), temporaryFolder()];
    const env = (path: string) => ({ env: { ...process.env, OWN: join(path, 'address.json') }, detached: true });
    const mine = spawn('sleep', ['300'], env(folder.path));
    const others = spawn('sleep', ['300'], env(other.path));
    await until('both run', () => [folder, other].every(({ path }) => runningIn(path).length === 1));
    folder.remove();
    await until('mine has ended', () => mine.signalCode === 'SIGKILL');
    expect(runningIn(other.path)).to.deep.equal([others.pid]);
    other.remove();
    await until('the other one has, too', () => others.signalCode === 'SIGKILL');
    expect([folder, other].some(({ path }) => existsSync(path))).to.equal(false);
  });

  for (const [end, how, status] of [
    ['process.exit(3);', 'exit', 3],
    [`process.kill(process.pid, 'SIGTERM');`, 'a signal', 143],
  ] as const) {
    it(`goes, and what runs in it, when the tests are ended by ${how}`, async () => {
      const program = `import { spawn } from 'node:child_process';
        import { temporaryFolder } from ${JSON.stringify(HELPER)};
        const folder = temporaryFolder();
        ${START}
        process.stdout.write(folder.path + '\\n');
        process.stdin.once('data', () => { ${end} });`;
      const tests = spawn(process.execPath, ['--no-warnings', '--input-type=module-typescript', '--eval', program]);
      let said = '';
      tests.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
      await until('it has a folder', () => said.endsWith('\n'));
      const path = said.trim();
      await until('something runs there', () => runningIn(path).length === 1);
      tests.stdin.write('go\n');
      expect((await once(tests, 'exit'))[0]).to.equal(status);
      await until('nothing runs there', () => runningIn(path).length === 0);
      expect(existsSync(path)).to.equal(false);
    });
  }
});
