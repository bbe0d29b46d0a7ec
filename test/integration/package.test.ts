// What a user installs: `npm pack`, then globally into an empty prefix, in a path with a space, on the oldest Node.js.
import { execFile } from 'node:child_process';
import { mkdirSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { install, oldestNode } from '../helpers/installed.ts';
import { FREE_PORTS, startProgram, temporaryFolder } from '../helpers/mmeliot.ts';

const run = promisify(execFile);

describe('the package that is installed', function () {
  this.timeout(180_000);
  const temporary = temporaryFolder();
  const home = join(temporary.path, 'a home with 100% spaces');
  const program = join(home, 'prefix/bin/mmeliot');
  let tarball = '';
  let env: NodeJS.ProcessEnv = {};

  before(async () => {
    mkdirSync(home);
    tarball = await install(join(home, 'prefix'), home);
    env = { ...process.env, PATH: `${await oldestNode()}${delimiter}${process.env['PATH']}` };
  });
  after(() => temporary.remove());

  const mmeliot = (...args: readonly string[]) => run(program, args, { cwd: home, env });

  it('is built, small, and without tests', async () => {
    const files = (await run('tar', ['-tzf', tarball])).stdout.split('\n');
    expect(files).to.include.members([
      'package/bin/mmeliot.js',
      'package/dist/src/cli/index.js',
      'package/dist/src/admin/dashboard/app.js',
      'package/dist/src/config/mmeliot.example.yaml',
      'package/dist/src/telemetry/grafana/mmeliot.json',
      'package/dist/loadgen/report/fonts/Inter-Regular.ttf',
      'package/dist/opennebula/templates/install-vm.sh',
      'package/CHANGELOG.md',
      'package/LICENSE',
    ]);
    expect(files.filter((file) => /\.ts$|^package\/(dist\/)?test\//.test(file))).to.deep.equal([]);
    expect(statSync(tarball).size).to.be.lessThan(3e6);
  });

  it('says its version, checks a configuration, and describes its commands', async () => {
    expect((await mmeliot('--version')).stdout).to.match(/^\d+\.\d+\.\d+\n$/);
    expect(await mmeliot('config', 'check')).to.deep.equal({ stdout: 'The configuration is right.\n', stderr: '' });
    expect((await mmeliot('--help')).stdout).to.include('simulate');
  });

  it('starts the whole system, takes an event and shows the page', async () => {
    const system = startProgram(['up', ...FREE_PORTS.flatMap((one) => ['--set', one])], { program, cwd: home, env });
    try {
      await system.says(/Put load on it[^]*\n {2}mmeliot load/);
      const [, capture = '', query = ''] = /^ {2}(curl .*)\n {2}(curl .*)$/m.exec(system.output()) ?? [];
      await run('bash', ['-c', capture]);
      expect((await run('bash', ['-c', query])).stdout).to.include('urn:epc:id:sgtin:0614141.107346.2018');
      const [, page = ''] = await system.says(/operator looks at\s+(\S+)/);
      expect(await (await fetch(page)).text()).to.include('<title>');
      expect((await fetch(`${page}dashboard/app.js`)).status).to.equal(200);
      expect((await fetch(`${page}vendor/preact.js`)).status).to.equal(200);
      expect(system.output()).not.to.include('Warning');
      expect((await system.stop()).status).to.equal(0);
    } finally {
      await system.kill();
    }
  });

  it('says which Node.js it wants on one that is too old', async () => {
    const old = 'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } })';
    const preload = { ...env, NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(old)}"` };
    const { code, stderr } = (await run(program, ['up'], { env: preload }).catch((error: unknown) => error)) as {
      code: number;
      stderr: string;
    };
    expect(code).to.equal(2);
    expect(stderr).to.match(/^mmeliot needs Node\.js 22\.19 or later and this is .*\n$/);
  });
});
