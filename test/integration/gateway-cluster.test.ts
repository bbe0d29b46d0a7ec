import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { startControlServer, type ControlServer } from '../../src/balance/remote/control-server.ts';
import { gatewayCluster } from '../../src/balance/builtin/gateway-cluster.ts';
import { GATEWAY_DEFAULTS } from '../../src/balance/core/options.ts';
import { startGateway } from '../../src/balance/gateway.ts';
import type { Gateway } from '../../src/balance/core/contract.ts';
import { connectGateway } from '../../src/balance/remote/remote-gateway.ts';
import { NO_TLS } from '../helpers/gatekeeper.ts';
import { deps } from '../helpers/gateway.ts';
import { until } from '../helpers/until.ts';

const log = { info: () => undefined, warn: () => undefined };

interface Member {
  readonly gateway: Gateway;
  readonly control: ControlServer;
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
        { host: '127.0.0.1', port: controlPort, secret: 'hush', tls: NO_TLS },
        deps.log,
      ),
    };
  };
  const stopMember = async ({ gateway, control }: Member) => {
    await control.close();
    await gateway.close();
  };
  const ask = async ({ gateway }: Member) => (await fetch(`http://127.0.0.1:${gateway.address.port}/`)).text();

  beforeEach(async () => {
    vm = createServer((_request, response) => response.end('answer')).listen(0, '127.0.0.1');
    members = [await startMember(), await startMember()];
    const remotes = members.map(({ control }) =>
      connectGateway({ url: `http://127.0.0.1:${control.address.port}`, secret: 'hush' }, log),
    );
    cluster = gatewayCluster((await Promise.all(remotes)) as [Gateway, Gateway], log);
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
});
