// One tenant with many clients beside another with one: slots and places in the queue go by tenant first.
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { expect } from 'chai';
import { accessOf, keyOf } from '../helpers/gatekeeper.ts';
import { ask, Bench } from '../helpers/gateway.ts';
import { until } from '../helpers/until.ts';

const CLIENTS = 12;

describe('gateway: fairness between tenants', () => {
  const bench = new Bench();
  const sockets: Socket[] = [];
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await bench.close();
  });

  const north = keyOf('acme', { tenant: 'north' });
  const south = Array.from({ length: CLIENTS }, (_, i) => keyOf(`scanner ${i}`, { tenant: 'south' }));
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

  /** One VM; what is asked for under /long is held. */
  async function gatewayWith(changes: Parameters<Bench['gateway']>[0]) {
    const held: ServerResponse[] = [];
    const order: string[] = [];
    const vm = await bench.vm((request, response) => {
      order.push(request.url ?? '');
      if (request.url === '/long') held.push(response);
      else response.end('short');
    });
    const access = accessOf(
      [north, ...south].map(({ record }) => record),
      {
        tenants: [{ name: 'north' }, { name: 'south' }],
      },
    );
    let asked = 0;
    const admit = access.admit.bind(access);
    access.admit = (request) => {
      asked++;
      return admit(request);
    };
    const gateway = await bench.gatewayTo(vm, changes, { access });
    const { port } = gateway.address;
    /** Of clients at an address each. */
    const send = (i: number, path: string) => {
      const socket = connect({ host: '127.0.0.1', port, localAddress: `127.0.1.${i + 1}` }).on('error', () => {});
      sockets.push(socket);
      socket.resume().write(`GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${south[i]?.key}\r\n\r\n`);
      return socket;
    };
    const ofNorth = () => ask(port, '/north', { headers: bearer(north.key) }).then(({ text }) => text);
    return { gateway, held, order, send, ofNorth, recognised: () => asked };
  }

  it("keeps slots for another tenant's requests, however many clients one has", async () => {
    const { gateway, held, send, ofNorth } = await gatewayWith({ perVm: 4 });
    expect(await ofNorth()).to.equal('short');
    for (let i = 0; i < CLIENTS; i++) send(i, '/long');
    await until('south has its share', () => held.length === 3 && gateway.counters().queued === CLIENTS - 3);
    expect(await ofNorth()).to.equal('short');
    expect(held.length, 'of south, still').to.equal(3);
  });

  it("serves another tenant's request before those that wait of one with many clients", async () => {
    const { gateway, held, order, send, ofNorth } = await gatewayWith({ perVm: 1 });
    send(0, '/long');
    await until('it is at the VM', () => held.length === 1);
    for (let i = 1; i < CLIENTS; i++) send(i, `/south`);
    await until('they wait', () => gateway.counters().queued === CLIENTS - 1);
    const answered = ofNorth();
    await until('north does, too', () => gateway.counters().queued === CLIENTS);
    held[0]?.end();
    expect(await answered).to.equal('short');
    await until('all are served', () => order.length === CLIENTS + 1);
    expect(order.indexOf('/north'), order.join(' ')).to.equal(2);
  });

  it("turns away whom the tenant with most waiting sent last where the queue is full, not another tenant's", async () => {
    const { gateway, held, send, ofNorth } = await gatewayWith({ perVm: 1, queue: { capacity: CLIENTS - 1 } });
    send(0, '/long');
    await until('it is at the VM', () => held.length === 1);
    for (let i = 1; i < CLIENTS; i++) send(i, '/south');
    await until('the queue is full', () => gateway.counters().queued === CLIENTS - 1);
    const answered = ofNorth();
    await until('one of south was turned away', () => gateway.counters().lost['queue-full'] === 1);
    held[0]?.end();
    expect(await answered).to.equal('short');
  });

  it('keeps slots for another tenant on HAProxy: what is above a share goes through the built-in plane', async () => {
    const { held, order, send, ofNorth, recognised } = await gatewayWith({ dataPlane: 'haproxy', perVm: 4 });
    await until('HAProxy knows whose they are', async () => {
      const before = recognised();
      // one after the other: what is above a share does not go by HAProxy alone
      for (let i = 0; i < CLIENTS; i++) {
        const answered = order.length + 1;
        send(i, '/south');
        await until('it is answered', () => order.length === answered);
      }
      await ofNorth();
      return recognised() === before;
    });
    expect(await ofNorth()).to.equal('short');
    for (let i = 0; i < CLIENTS; i++) send(i, '/long');
    await until('south has its share', () => held.length >= 3);
    expect(await ofNorth()).to.equal('short');
  });
});
