// WebSockets of clients that have to be known: what ends what a client showed ends what was opened with it.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import type { EpcisServer } from '../../epcis/server.ts';
import type { Gateway } from '../../src/balance/core/contract.ts';
import { startGuarded } from '../helpers/access.ts';
import { KINDS } from '../helpers/fresh-repository.ts';
import { accessOf, keyOf, TokenIssuer } from '../helpers/gatekeeper.ts';
import { ask, Bench } from '../helpers/gateway.ts';
import { until } from '../helpers/until.ts';

const [[, freshUrl]] = KINDS as [(typeof KINDS)[number]];
const HOUR = 3_600_000;

for (const dataPlane of ['builtin', 'haproxy'] as const) {
  describe(`WebSockets of clients that have to be known (${dataPlane})`, function () {
    this.timeout(60_000);
    const bench = new Bench();
    const folder = mkdtempSync(join(tmpdir(), 'mmeliot-streams-'));
    const issuer = new TokenIssuer(folder);
    const [acme, beta] = [keyOf('acme'), keyOf('beta')];
    const brief = keyOf('brief', { expiresAt: new Date(Date.now() + HOUR).toISOString() });
    const keys = [acme.record, beta.record, brief.record];
    let passed = 0;
    let asked = 0;
    let vm: EpcisServer;
    let gateway: Gateway;

    before(async () => {
      await issuer.rotate('one');
      vm = await startGuarded(await freshUrl());
      const access = accessOf(keys, { readToken: issuer.reader(), now: () => Date.now() + passed });
      const admit = access.admit.bind(access);
      access.admit = (request) => {
        asked++;
        return admit(request);
      };
      gateway = await bench.gateway({ dataPlane }, { access });
      await gateway.add('vm', { host: '127.0.0.1', port: vm.port });
    });
    beforeEach(() => gateway.setKeys(keys));
    after(async () => {
      await bench.close();
      await vm.close();
      rmSync(folder, { recursive: true });
    });

    /** Of a client that is known for long: an HAProxy vouches for it by itself. */
    async function open(authorization: string): Promise<WebSocket> {
      await until('the data plane vouches by itself', async () => {
        const before = asked;
        const { status } = await ask(gateway.address.port, '/events', { headers: { authorization } });
        return status === 200 && (dataPlane === 'builtin' || asked === before);
      });
      const url = `ws://127.0.0.1:${gateway.address.port}/queries/SimpleEventQuery/events?stream=true`;
      const socket = new WebSocket(url, { headers: { authorization } });
      socket.on('error', () => undefined);
      await once(socket, 'open');
      bench.atEnd(async () => socket.terminate());
      return socket;
    }
    const isAlive = async (socket: WebSocket) => {
      const answered = once(socket, 'pong');
      socket.ping();
      await answered;
    };
    const isOver = (socket: WebSocket) => until('it is over', async () => socket.readyState === WebSocket.CLOSED);

    it('end with their key, and nobody else’s do', async () => {
      const [revoked, other] = [await open(`Bearer ${acme.key}`), await open(`Bearer ${beta.key}`)];
      const byName = await open(`Basic ${Buffer.from(`acme:${acme.key}`).toString('base64')}`);
      await gateway.setKeys([beta.record, brief.record]);
      await Promise.all([isOver(revoked), isOver(byName)]);
      await isAlive(other);
      expect(other.readyState).to.equal(WebSocket.OPEN);
    });

    it('end when their key or token expires', async () => {
      const [key, token] = [await open(`Bearer ${brief.key}`), await open(`Bearer ${await issuer.token()}`)];
      const other = await open(`Bearer ${beta.key}`);
      passed = HOUR + 1;
      await Promise.all([isOver(key), isOver(token)]);
      await isAlive(other);
      passed = 0;
    });
  });
}
