// WebSockets of clients that have to be known: what ends what a client showed ends what was opened with it.
import { once } from 'node:events';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import { keyOf } from '../helpers/gatekeeper.ts';
import { GuardedGateway } from '../helpers/guarded-gateway.ts';
import { until } from '../helpers/until.ts';

const HOUR = 3_600_000;

for (const dataPlane of ['builtin', 'haproxy'] as const) {
  describe(`WebSockets of clients that have to be known (${dataPlane})`, function () {
    this.timeout(60_000);
    const guarded = new GuardedGateway(dataPlane);
    const { issuer } = guarded;
    const [acme, beta] = [keyOf('acme'), keyOf('beta')];
    const brief = keyOf('brief', { expiresAt: new Date(Date.now() + HOUR).toISOString() });
    const keys = [acme.record, beta.record, brief.record];
    let passed = 0;

    before(() => guarded.start(keys, { now: () => Date.now() + passed }));
    beforeEach(() => guarded.gateway.setKeys(keys));
    after(() => guarded.close());

    /** Of a client that is known for long: an HAProxy vouches for it by itself. */
    async function open(authorization: string): Promise<WebSocket> {
      await guarded.vouchesByItself(authorization);
      const url = `ws://127.0.0.1:${guarded.port}/queries/SimpleEventQuery/events?stream=true`;
      const socket = new WebSocket(url, { headers: { authorization } });
      socket.on('error', () => undefined);
      await once(socket, 'open');
      guarded.bench.atEnd(async () => socket.terminate());
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
      await guarded.gateway.setKeys([beta.record, brief.record]);
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
