// The real control loop, the real gateway and the OpenNebula provider against the emulated cloud, under load, with
// each trouble in turn. Time runs ten times faster for loop and provider; the emulator keeps its quick pace.
import { expect } from 'chai';
import { request } from 'undici';
import { createClient } from '../../opennebula/client.ts';
import type { Faults } from '../../opennebula/emulator/faults.ts';
import type { Gateway } from '../../src/balance/core/contract.ts';
import type { ElasticityParameters } from '../../src/decide/parameters.ts';
import type { ControlLoop } from '../../src/loop/control-loop.ts';
import { LOGIN, openCloud, type Cloud } from '../opennebula/emulated.ts';
import { AskingClients } from '../helpers/asking-clients.ts';
import { Bench } from '../helpers/gateway.ts';
import { loopOn, quickNow } from '../helpers/loop-on.ts';
import { until } from '../helpers/until.ts';

describe('the system on OpenNebula', function () {
  this.timeout(90_000);
  const bench = new Bench();
  let cloud: Cloud;
  let gateway: Gateway;
  let loop: ControlLoop;
  let clients: AskingClients;
  /** What the agents report. */
  let cpu: (vm: string) => number;

  async function start(parameters: Partial<ElasticityParameters> = {}) {
    cpu = () => 50;
    cloud = await openCloud();
    gateway = await bench.gateway();
    const provider = cloud.provider({ deadlineMs: 600, slowMs: 4_000, placementMs: 20_000, leaveMs: 5_000 }, quickNow);
    loop = loopOn(provider, gateway, (vm) => cpu(vm), parameters);
    await loop.start();
    await ready(parameters.min ?? 1);
    clients = new AskingClients(`http://127.0.0.1:${gateway.address.port}/`, 4);
  }

  afterEach(async () => {
    await clients.stop();
    await loop.stop();
    await loop.settled();
    await bench.close();
    await cloud.stop();
  });

  const inState = (state: string): string[] =>
    loop
      .state()
      .fleet.filter((vm) => vm.state === state)
      .map((vm) => vm.id);
  const ready = (count: number) => until(`${count} VMs are ready`, () => inState('ready').length === count);
  const notDone = (): number[] =>
    [...cloud.emulator.cloud.vms.values()].filter((vm) => vm.state[0] !== 6).map((vm) => vm.id);
  const onlyAtTheCloud = (count: number) => until(`${count} VMs at the cloud`, () => notDone().length === count);
  const said = (words: RegExp) =>
    until(`it is said: ${words}`, () => loop.state().problems.some((problem) => words.test(problem)));
  /** What is said of VMs that were given up stays for some minutes: it is news, not trouble. */
  const troubles = () => loop.state().problems.filter((problem) => !problem.includes('was given up'));
  const allIsWell = () => until('all is well again', () => troubles().length === 0);
  const served = async () => {
    const before = clients.answered;
    await until('requests are answered', () => clients.answered > before + 20);
    expect(clients.lost).to.deep.equal([]);
  };
  const user = async (method: string, ...params: (string | number)[]) => {
    const client = createClient({ ...LOGIN, url: cloud.emulator.url });
    await client.call(method, ...params);
    await client.close();
  };

  it('allocates under load and releases without, through XML-RPC, and loses no request', async () => {
    await start();
    cpu = () => 90;
    await ready(3);
    cpu = () => 5;
    await ready(1);
    await onlyAtTheCloud(1);
    await served();
    await allIsWell();
  });

  const TROUBLES: readonly (readonly [Partial<Faults>, RegExp])[] = [
    [{ noCapacity: true }, /OpenNebula has no host for it: .*No hosts with enough capacity/],
    [{ bootFailure: true }, /BOOT_FAILURE.*the hypervisor refused/],
    [{ bootHang: true }, /It is in BOOT for .*its host's driver may hang/],
    [{ authLost: true }, /OpenNebula refuses the login/],
    [{ away: true }, /front end cannot be reached/],
    [{ hang: true }, /did not answer in time/],
    [{ slowMs: 1_500 }, /did not answer in time/],
    [{ truncated: true }, /XML is broken/],
    [{ quota: 1 }, /quota is used up/],
    [{ noLease: true }, /Cannot get IP\/MAC lease/],
  ];
  const NONE: Partial<Faults> = {
    ...{ noCapacity: false, bootFailure: false, bootHang: false, authLost: false, away: false, hang: false },
    ...{ slowMs: 0, truncated: false, quota: 0, noLease: false, shutdownFailure: false },
  };

  for (const [trouble, sentence] of TROUBLES) {
    const [name = ''] = Object.keys(trouble);
    it(`keeps serving, says what is wrong, and recovers by itself: ${name}`, async () => {
      await start();
      await cloud.emulator.setFaults(trouble);
      cpu = () => 90;
      await said(sentence);
      await served();
      await cloud.emulator.setFaults(NONE);
      await until('a second VM is ready', () => inState('ready').length >= 2, 60_000);
      await served();
      await until('every VM at the cloud is one of the fleet', () => notDone().length === loop.state().fleet.length);
      await allIsWell();
    });
  }

  it('keeps serving and gets rid of a VM whose shutdown fails silently', async () => {
    await start();
    cpu = () => 90;
    await ready(3);
    await cloud.emulator.setFaults({ shutdownFailure: true });
    cpu = () => 5;
    await ready(1);
    await onlyAtTheCloud(1);
    await served();
  });

  describe('what OneFlow gets wrong', () => {
    it('OneFlow kills the oldest VMs; ours releases the least loaded one, and the newest among equals', async () => {
      await start({ max: 2 });
      cpu = () => 90;
      await ready(2);
      const [oldest] = inState('ready');
      cpu = () => 5;
      await ready(1);
      expect(inState('ready')).to.deep.equal([oldest]);
    });

    it('OneFlow kills without drain; ours lets a VM’s requests in flight finish', async () => {
      await start({ max: 2 });
      cpu = () => 90;
      await ready(2);
      const { promise: held, resolve: finish } = Promise.withResolvers<void>();
      cloud.room.slow = held;
      const slow: Promise<{ statusCode: number }>[] = [];
      await until('both VMs have requests in flight', () => {
        if (cloud.room.inFlight.size < 2) slow.push(request(`http://127.0.0.1:${gateway.address.port}/slow`));
        return cloud.room.inFlight.size === 2;
      });
      cpu = () => 5;
      await until('one drains', () => inState('draining').length === 1);
      expect(notDone()).to.have.length(2);
      finish();
      const statuses = await Promise.all(slow.map(async (response) => (await response).statusCode));
      expect(new Set(statuses)).to.deep.equal(new Set([200]));
      await onlyAtTheCloud(1);
    });

    it('OneFlow stops all autoscaling for one VM in POWEROFF; ours replaces it and goes on', async () => {
      await start({ min: 2 });
      const [victim] = inState('ready');
      await user('one.vm.action', 'poweroff', Number(victim));
      await until('it is given back', () => !notDone().includes(Number(victim)));
      await ready(2);
      cpu = () => 90;
      await ready(3);
    });

    it('OneFlow stays in FAILED_SCALING after a failed boot; ours tries again by itself', async () => {
      await start();
      await cloud.emulator.setFaults({ bootFailure: true });
      cpu = () => 90;
      await said(/BOOT_FAILURE/);
      await cloud.emulator.setFaults({ bootFailure: false });
      await until('a second VM is ready', () => inState('ready').length >= 2, 60_000);
    });

    it('OneFlow waits for room without a limit; ours gives the VM back at the deadline and can still scale in', async () => {
      await start();
      cpu = () => 90;
      await ready(2);
      await cloud.emulator.setFaults({ noCapacity: true });
      await said(/no host for it/);
      cpu = () => 5;
      await ready(1);
      await onlyAtTheCloud(1);
    });

    it('OneFlow does not replace a VM killed from outside above the minimum; ours does', async () => {
      await start({ min: 1, max: 2 });
      cpu = () => 90;
      await ready(2);
      cpu = () => 50;
      const [victim = ''] = inState('ready').slice(1);
      await user('one.vm.action', 'terminate', Number(victim)); // so that it shuts down in peace
      await until(
        'another one is in its place',
        () => inState('ready').length === 2 && !inState('ready').includes(victim),
      );
    });

    it('OneFlow’s policies overwrite the role’s cooldown for good; ours goes back to what was configured', async () => {
      await start({ allocateCooldown: 4_000 });
      await loop.setParameters({ allocateCooldown: 6_000 }, 'test');
      await until('it is in force', () => loop.state().parameters.allocateCooldown === 6_000);
      cpu = () => 90;
      await ready(2);
      await loop.setParameters({ allocateCooldown: null }, 'test');
      await until('the configured one is back', () => loop.state().parameters.allocateCooldown === 4_000);
    });
  });
});
