// The program that a user points at a front end, run as a program, against the emulator.
import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { LOGIN, openCloud, type Cloud } from '../opennebula/emulated.ts';
import { until } from '../helpers/until.ts';

const program = fileURLToPath(new URL('../opennebula/check-front-end.ts', import.meta.url));

describe('npm run check:opennebula', function () {
  this.timeout(60_000);
  let cloud: Cloud;
  beforeEach(async () => {
    cloud = await openCloud();
  });
  afterEach(() => cloud.stop());

  function start(...args: readonly string[]) {
    const child = spawn(process.execPath, [program, '--url', cloud.emulator.url, '--user', LOGIN.user, ...args], {
      env: { ...process.env, ONE_PASSWORD: LOGIN.password },
    });
    const running = { child, output: '', ended: once(child, 'exit').then(([code]) => code as number) };
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (running.output += chunk.toString()));
    return running;
  }
  const notDone = () => [...cloud.emulator.cloud.vms.values()].filter((vm) => vm.state[0] !== 6);

  it('goes from version to release, with timings, and leaves nothing', async () => {
    const check = start('--template', 'mmeliot', '--nic', 'private');
    expect(await check.ended).to.equal(0);
    const steps = [...check.output.matchAll(/^ok +(\w+) .*\(\d+ ms\)$/gm)].map(([, step]) => step);
    expect(steps).to.deep.equal(['version', 'rights', 'template', 'allocate', 'again', 'run', 'network', 'release']);
    expect(check.output).to.include('7.4.0').and.include('answers').and.not.include(LOGIN.password);
    expect(cloud.emulator.cloud.vms.size).to.equal(1);
    expect(notDone()).to.have.length(0);
  });

  it('gives back what it allocated when it is interrupted', async () => {
    await cloud.emulator.setFaults({ noCapacity: true });
    const check = start('--template', '0');
    await until('the VM waits for room', () => check.output.includes('No host has room'));
    const noticed = once(check.child.stdout, 'data');
    check.child.kill('SIGINT');
    await noticed;
    check.child.kill('SIGINT'); // the second one that npm sends
    expect(await check.ended).to.equal(1);
    expect(check.output)
      .to.include('Interrupted')
      .and.match(/^ok +release/m);
    expect(notDone()).to.have.length(0);
  });

  it('gives back what an earlier check left, and a VM that does not boot', async () => {
    const left = cloud.provider({ group: 'mmeliot-check' });
    await left.allocate({ mark: 'left' });
    await cloud.emulator.setFaults({ bootFailure: true });
    const check = start('--template', '0');
    expect(await check.ended).to.equal(1);
    expect(check.output)
      .to.include('1 of an earlier check given back')
      .and.match(/^FAILED +run .*BOOT_FAILURE/m);
    expect(notDone()).to.have.length(0);
  });

  it('says what is wrong with login, template and NIC, and allocates nothing then', async () => {
    for (const [args, words] of [
      [['--template', '99'], /FAILED +template .*template \[99\]/],
      [['--template', 'mmeliot', '--nic', 'dmz'], /FAILED +template .*no NIC dmz; its networks are: private/],
      [['--template', '0', '--user', 'nobody'], /FAILED +version .*refuses the login/],
    ] as const) {
      const check = start(...args);
      expect(await check.ended).to.equal(1);
      expect(check.output).to.match(words);
    }
    expect(cloud.emulator.cloud.vms.size).to.equal(0);
    const usage = start();
    expect(await usage.ended).to.equal(2);
    expect(usage.output).to.include('usage: npm run check:opennebula');
  });
});
