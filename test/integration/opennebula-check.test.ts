// The program that a user points at a front end, run as a program, against the emulator.
import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '../../opennebula/client.ts';
import { mmeliot, startProgram, temporaryFolder } from '../helpers/mmeliot.ts';
import { until } from '../helpers/until.ts';
import { LOGIN, openCloud, type Cloud } from '../opennebula/emulated.ts';

describe('mmeliot check opennebula', function () {
  this.timeout(60_000);
  let cloud: Cloud;
  beforeEach(async () => {
    cloud = await openCloud();
  });
  afterEach(() => cloud.stop());

  const start = (...args: readonly string[]) =>
    startProgram(['check', 'opennebula', '--url', cloud.emulator.url, '--user', LOGIN.user, ...args], {
      env: { ONE_PASSWORD: LOGIN.password },
    });
  const notDone = () => [...cloud.emulator.cloud.vms.values()].filter((vm) => vm.state[0] !== 6);

  it('goes from version to release, with timings, and leaves nothing', async () => {
    const check = start('--template', 'mmeliot', '--nic', 'private');
    const { status, output } = await check.ended();
    expect(status).to.equal(0);
    const steps = [...output.matchAll(/^ok +(\w+) .*\(\d+ ms\)$/gm)].map(([, step]) => step);
    expect(steps).to.deep.equal(['version', 'rights', 'template', 'allocate', 'again', 'run', 'network', 'release']);
    expect(output).to.include('7.4.0').and.include('answers').and.not.include(LOGIN.password);
    expect(cloud.emulator.cloud.vms.size).to.equal(1);
    expect(notDone()).to.have.length(0);
  });

  it('takes the login token from the configured file', async () => {
    const folder = temporaryFolder();
    const passwordFile = join(folder.path, 'token');
    writeFileSync(passwordFile, `${LOGIN.password}\n`);
    const set = ['--set', `opennebula.passwordFile=${passwordFile}`];
    const login = ['--url', cloud.emulator.url, '--user', LOGIN.user];
    const check = startProgram(['check', 'opennebula', ...login, '--template', '0', ...set]);
    const { status, output } = await check.ended();
    folder.remove();
    expect(status, output).to.equal(0);
    expect(output).to.not.include(LOGIN.password);
  });

  it('gives back what it allocated when it is interrupted', async () => {
    await cloud.emulator.setFaults({ noCapacity: true });
    const check = start('--template', '0');
    await until('the VM waits for room', () => check.output().includes('no host for it'));
    check.child.kill('SIGINT');
    await check.says(/Interrupted/);
    check.child.kill('SIGINT'); // the second one that npm sends
    expect((await check.ended()).status).to.equal(1);
    expect(check.output())
      .to.include('Interrupted')
      .and.match(/^ok +release/m);
    expect(notDone()).to.have.length(0);
  });

  it('does not wait for a VM that somebody else gives back, as a second check would', async () => {
    await cloud.emulator.setFaults({ noCapacity: true });
    const check = start('--template', '0');
    await until('the VM waits for room', () => check.output().includes('no host for it'));
    const [vm] = notDone();
    cloud.emulator.cloud.terminate(vm ?? expect.fail('there is none'), false, { uid: 2, gid: 1 });
    const { status, output } = await check.ended();
    expect(output).to.match(/^FAILED +run +VM \d+ is gone: another check may run/m);
    expect(status).to.equal(1);
  });

  it('gives back what an earlier check left, and a VM that does not boot', async () => {
    const left = cloud.provider({ group: 'mmeliot-check' });
    await left.allocate({ mark: 'left' });
    const locked = Number(await left.allocate({ mark: 'locked' }));
    const user = createClient({ ...LOGIN, url: cloud.emulator.url });
    await user.call('one.vm.lock', locked, 2);
    await user.close();
    await cloud.emulator.setFaults({ bootFailure: true });
    const check = start('--template', '0');
    expect((await check.ended()).status).to.equal(1);
    expect(check.output())
      .to.match(/^ok +rights .*1 of an earlier check given back; VM \d+ stays: .*onevm unlock/m)
      .and.match(/^FAILED +run .*BOOT_FAILURE/m)
      .and.match(/^ok +release/m);
    expect(notDone().map(({ id }) => id)).to.deep.equal([locked]);
  });

  it('fails when the VM does not answer, and when none is to be had there is nothing to give back', async () => {
    cloud.room.status = 503; // something listens there, and can't reach its database
    const notReady = start('--template', '0', '--patience', '2s');
    expect((await notReady.ended()).status).to.equal(1);
    expect(notReady.output()).to.match(/^FAILED +network .*GET \/ready answers with status 503/m);
    cloud.room.silent = true;
    const silent = start('--template', '0', '--patience', '2s');
    expect((await silent.ended()).status).to.equal(1);
    expect(silent.output())
      .to.match(/^FAILED +network .*does not answer from here .*nothing listens on that port/m)
      .and.match(/^ok +release +the VM is gone/m);
    await cloud.emulator.setFaults({ noLease: true });
    const none = start('--template', '0');
    expect((await none.ended()).status).to.equal(1);
    expect(none.output())
      .to.match(/^FAILED +allocate .*Cannot get IP\/MAC lease/m)
      .and.match(/^- +release +there is nothing to give back/m);
  });

  it('says what is wrong with login, template and NIC, and allocates nothing then', async () => {
    for (const [args, words] of [
      [['--template', '99'], /FAILED +template .*template \[99\]/],
      [['--template', 'mmeliot', '--nic', 'dmz'], /FAILED +template .*no NIC dmz; its networks are: private/],
      [['--template', '0', '--user', 'nobody'], /FAILED +version .*refuses the login/],
    ] as const) {
      const check = start(...args);
      expect((await check.ended()).status).to.equal(1);
      expect(check.output()).to.match(words);
    }
    expect(cloud.emulator.cloud.vms.size).to.equal(0);
    const nameless = await mmeliot('check', 'opennebula', '--url', cloud.emulator.url);
    expect(nameless.status).to.equal(2);
    expect(nameless.output).to.match(/^mmeliot: Which user owns the VMs\? Say it by --user, or opennebula.user.\n$/);
  });
});
