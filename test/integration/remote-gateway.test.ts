import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { startControlServer, type ControlServer } from '../../src/balance/remote/control-server.ts';
import { GATEWAY_DEFAULTS } from '../../src/balance/core/options.ts';
import { startGateway } from '../../src/balance/gateway.ts';
import type { Gateway } from '../../src/balance/core/contract.ts';
import { NO_TLS } from '../helpers/gatekeeper.ts';
import { connectGateway, deps } from '../helpers/gateway.ts';
import { until } from '../helpers/until.ts';

const log = { info: () => undefined, warn: () => undefined };

describe('gateway in another process', () => {
  let vm: Server;
  let gateway: Gateway;
  let control: ControlServer;
  let remote: Gateway;
  let answering: PromiseWithResolvers<void> | undefined;

  const url = () => `http://${control.address.host}:${control.address.port}`;

  beforeEach(async () => {
    answering = undefined;
    vm = createServer((_request, response) => {
      void (answering?.promise ?? Promise.resolve()).then(() => response.end('answer'));
    }).listen(0, '127.0.0.1');
    gateway = await startGateway({ ...GATEWAY_DEFAULTS, port: 0 }, { now: () => performance.now(), log });
    control = await startControlServer(
      gateway,
      { host: '127.0.0.1', port: 0, secrets: () => ['hush'], tls: NO_TLS },
      deps.log,
    );
    remote = await connectGateway({ url: url(), secrets: () => ['hush'] }, log);
  });

  afterEach(async () => {
    await remote.close();
    await control.close();
    await gateway.close();
    vm.close();
  });

  const address = () => ({ host: '127.0.0.1', port: (vm.address() as AddressInfo).port });
  const ask = async () => (await fetch(`http://127.0.0.1:${gateway.address.port}/`)).text();

  it('is steered and read as one in this process', async () => {
    expect(remote.address).to.deep.equal(gateway.address);
    await remote.add('vm-1', address());
    expect(await ask()).to.equal('answer');
    expect(remote.fleet().map((one) => one.id)).to.deep.equal(['vm-1']);
    const answered = await until('it was counted', () => {
      const counters = remote.counters();
      return counters.answered === 1 && counters;
    });
    expect(answered.vms.get('vm-1')?.responseTime.count).to.equal(1);
    await remote.remove('vm-1');
    expect(gateway.fleet()).to.deep.equal([]);
  });

  it('answers a drain when the last request has ended, and is read meanwhile', async () => {
    await remote.add('vm-1', address());
    answering = Promise.withResolvers<void>();
    const request = ask();
    await until('the request is at the VM', () => gateway.counters().inFlight === 1);
    let drained: boolean | undefined;
    const drain = remote.drain('vm-1', 10_000).then((empty) => (drained = empty));
    await until('the drain is seen', () => remote.fleet()[0]?.state === 'draining');
    expect(drained).to.equal(undefined);
    answering.resolve();
    await drain;
    expect(drained).to.equal(true);
    expect(await request).to.equal('answer');
  });

  it('refuses a wrong secret in one sentence', async () => {
    const error = await connectGateway({ url: url(), secrets: () => ['wrong'] }, log).catch(
      (refusal: Error) => refusal,
    );
    expect(error)
      .to.be.instanceOf(Error)
      .and.have.property('message')
      .that.matches(/secret/);
  });

  it('refuses what is no control door in one sentence', async () => {
    const { port } = address();
    const error = await connectGateway({ url: `http://127.0.0.1:${port}`, secrets: () => ['hush'] }, log).catch(
      (one: Error) => one,
    );
    expect(error).to.have.property(
      'message',
      `What answers at http://127.0.0.1:${port} is no control door of a gateway.`,
    );
  });

  it('refuses one that lacks tenants in one sentence, and warns once of one that lost them', async () => {
    const tenants = ['north', 'south'];
    const refusal = await connectGateway({ url: url(), secrets: () => ['hush'], tenants }, log).catch(
      (error: Error) => error,
    );
    expect(refusal)
      .to.have.property('message')
      .that.matches(/does not know north, south: give it .*epcis\.tenants/);
    const { port } = control.address;
    const startAgain = async (known: readonly string[]) => {
      await control.close();
      const options = { host: '127.0.0.1', port, secrets: () => ['hush'], tls: NO_TLS, tenants: known };
      control = await startControlServer(gateway, options, deps.log);
    };
    await startAgain(['south', 'north', 'east']);
    const warned: string[] = [];
    const steered = await connectGateway(
      { url: url(), secrets: () => ['hush'], tenants },
      { ...log, warn: (_: object, text: string) => void warned.push(text) },
    );
    const complaints = () => warned.filter((text) => text.includes('epcis.tenants'));
    try {
      await startAgain(['north']);
      await until('it is told', () => complaints().length > 0);
      await startAgain([]);
      await until('it is told again', () => complaints().length === 2);
    } finally {
      await steered.close();
    }
    expect(complaints().map((text) => /know (.*?):/.exec(text)?.[1])).to.deep.equal(['south', 'north, south']);
  });

  it('refuses calls that make no sense', async () => {
    const call = (method: string, path: string, body: string) =>
      fetch(`${url()}${path}`, { method, body, headers: { authorization: 'Bearer hush' } });
    expect((await call('PUT', '/vms/vm-1', '{"host":1}')).status).to.equal(400);
    expect((await call('PUT', '/vms/vm-1', 'no json')).status).to.equal(400);
    expect((await call('POST', '/vms/vm-1/dance', '{}')).status).to.equal(404);
  });

  it('keeps its last reading while the gateway is away, and rejects changes', async () => {
    await remote.add('vm-1', address());
    await control.close();
    const error = await remote.add('vm-2', address()).catch((refusal: Error) => refusal);
    expect(error)
      .to.have.property('message')
      .that.matches(/does not answer/);
    expect(remote.fleet().map((one) => one.id)).to.deep.equal(['vm-1']);
    control = await startControlServer(
      gateway,
      { host: '127.0.0.1', port: control.address.port, secrets: () => ['hush'], tls: NO_TLS },
      deps.log,
    );
    await remote.add('vm-2', address());
    expect(remote.fleet()).to.have.length(2);
  });

  it('says of one that is away that it is, until it is back', async () => {
    expect(remote.problems).to.deep.equal([]);
    const { port } = control.address;
    await control.close();
    const [problem] = await until('it is told', () => remote.problems?.length === 1 && remote.problems);
    expect(problem).to.equal(`The gateway at ${url()} does not answer (ECONNREFUSED).`);
    control = await startControlServer(
      gateway,
      { host: '127.0.0.1', port, secrets: () => ['hush'], tls: NO_TLS },
      deps.log,
    );
    await until('it is well', () => remote.problems?.length === 0);
  });
});
