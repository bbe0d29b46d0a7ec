import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { startControlServer, type ControlServer } from '../../src/balance/remote/control-server.ts';
import { gatewayCluster } from '../../src/balance/builtin/gateway-cluster.ts';
import { GATEWAY_DEFAULTS } from '../../src/balance/core/options.ts';
import { startGateway } from '../../src/balance/gateway.ts';
import type { Gateway } from '../../src/balance/core/contract.ts';
import { connectGateways } from '../../src/balance/remote/remote-gateway.ts';
import { NO_TLS } from '../helpers/gatekeeper.ts';
import { deps } from '../helpers/gateway.ts';
import { until } from '../helpers/until.ts';

const log = { info: () => undefined, warn: () => undefined };

interface Member {
  readonly gateway: Gateway;
  control: ControlServer;
}

describe('two gateways over one manager', function () {
  this.timeout(60_000);
  let vm: Server;
  let members: [Member, Member];
  let cluster: Gateway;

  const startMember = async (port = 0, controlPort = 0): Promise<Member> => {
    const gateway = await startGateway({ ...GATEWAY_DEFAULTS, port }, { now: () => performance.now(), log });
    return {
      gateway,
      control: await startControlServer(
        gateway,
        { host: '127.0.0.1', port: controlPort, secrets: () => ['hush'], tls: NO_TLS },
        deps.log,
      ),
    };
  };
  const stopMember = async ({ gateway, control }: Member) => {
    await control.close();
    await gateway.close();
  };
  const steer = async (ports: readonly number[]): Promise<Gateway> => {
    const all = ports.map((port) => ({ url: `http://127.0.0.1:${port}`, secrets: () => ['hush'] }));
    return gatewayCluster((await connectGateways(all, log)) as [Gateway, ...Gateway[]], log);
  };
  const ask = async ({ gateway }: Member) => (await fetch(`http://127.0.0.1:${gateway.address.port}/`)).text();

  beforeEach(async () => {
    vm = createServer((_request, response) => response.end('answer')).listen(0, '127.0.0.1');
    members = [await startMember(), await startMember()];
    cluster = await steer(members.map(({ control }) => control.address.port));
    await cluster.add('vm-1', { host: '127.0.0.1', port: (vm.address() as AddressInfo).port });
  });

  afterEach(async () => {
    await cluster.close();
    await Promise.all(members.map(stopMember));
    vm.close();
  });

  it('agree on the fleet and are counted together', async () => {
    for (const member of members) expect(await ask(member)).to.equal('answer');
    await until('both were counted', () => cluster.counters().answered === 2);
    expect(cluster.counters().vms.get('vm-1')?.responseTime.count).to.equal(2);
    expect(await cluster.drain('vm-1', 1000)).to.equal(true);
    expect(members.map(({ gateway }) => gateway.fleet()[0]?.state)).to.deep.equal(['draining', 'draining']);
  });

  it('lose nothing but the connections of the one that is lost, which is brought in line when it is back', async () => {
    const [lost, left] = members;
    const ports = [lost.gateway.address.port, lost.control.address.port] as const;
    await ask(lost);
    await until('it was counted', () => cluster.counters().answered === 1);
    await stopMember(lost);
    expect(await ask(left)).to.equal('answer');
    await cluster.add('vm-2', { host: '127.0.0.1', port: (vm.address() as AddressInfo).port });
    await cluster.remove('vm-1');
    const back = await startMember(...ports);
    members[0] = back;
    await until(
      'it knows the fleet',
      () =>
        back.gateway
          .fleet()
          .map(({ id }) => id)
          .join() === 'vm-2',
    );
    expect(await ask(back)).to.equal('answer');
    // 1 before it was lost, 1 at the other, 1 since it is back: a restart takes nothing away
    await until('all are counted', () => cluster.counters().answered === 3);
  });

  it('are steered from the start where the first is away, which is brought in line and counted from when it is back', async () => {
    const [lost, left] = members;
    for (const { gateway } of members) await gateway.setKeys([]);
    await ask(lost);
    await ask(lost);
    const { port } = lost.control.address;
    await lost.control.close();
    const steered = await steer([port, left.control.address.port]);
    try {
      expect(steered.address).to.deep.equal(left.gateway.address);
      expect(steered.problems).to.deep.equal([
        `The gateway at http://127.0.0.1:${port} does not answer (ECONNREFUSED).`,
      ]);
      await steered.add('vm-2', { host: '127.0.0.1', port: (vm.address() as AddressInfo).port });
      const options = { host: '127.0.0.1', port, secrets: () => ['hush'], tls: NO_TLS };
      lost.control = await startControlServer(lost.gateway, options, deps.log);
      await until('it knows the fleet', () => lost.gateway.fleet().some(({ id }) => id === 'vm-2'));
      expect(steered.problems).to.deep.equal([]);
      expect(steered.counters().arrived).to.equal(0);
      await ask(lost);
      await until('what came since is counted', () => steered.counters().answered === 1);
      expect(steered.counters().vms.get('vm-1')?.sent).to.be.at.most(1);
    } finally {
      await steered.close();
    }
  });

  it('that were started with different settings are told of, by the settings that both know', async () => {
    const [one, other] = members;
    const restart = async (member: Member, settings: Readonly<Record<string, string>>) => {
      const { port } = member.control.address;
      await member.control.close();
      const options = { host: '127.0.0.1', port, secrets: () => ['hush'], tls: NO_TLS, settings };
      member.control = await startControlServer(member.gateway, options, deps.log);
    };
    await restart(one, { access: 'a', 'gateway.perVm': 'b', 'gateway.older': 'c' });
    await restart(other, { access: 'a', 'gateway.perVm': 'd', 'gateway.newer': 'e' });
    await until('it is told', () => cluster.problems?.some((problem) => problem.includes('different settings')));
    const ports = members.map(({ gateway }) => `127.0.0.1:${gateway.address.port}`).join(' and ');
    expect(cluster.problems).to.deep.equal([
      `The gateways at ${ports} were started with different settings, and clients get the one or the other: give both the same gateway.perVm.`,
    ]);
    await restart(other, { access: 'a', 'gateway.perVm': 'b' });
    await until('it is over', () => cluster.problems?.length === 0);
  });

  it('that are all away are told in one sentence, and nobody waits for them', async () => {
    const ports = members.map(({ control }) => control.address.port);
    for (const { control } of members) await control.close();
    const refusal = await steer(ports).catch((error: Error) => error);
    expect(refusal)
      .to.have.property('message')
      .that.matches(/^The gateway at http:\/\/127\.0\.0\.1:\d+ does not answer \(ECONNREFUSED\)\.$/);
  });
});
