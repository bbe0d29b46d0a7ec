// A VM, or a node, that somebody took over: what it answers to the manager is bounded, and keeps nobody else from being served.
import { createServer as createPlain, type RequestListener, type Server } from 'node:http';
import { createServer } from 'node:https';
import { expect } from 'chai';
import { loadConfig } from '../../src/config/load.ts';
import { readiness } from '../../src/manager/readiness.ts';
import { createDoor, nodeName, type Door } from '../../src/node/door.ts';
import { newOrderKey } from '../../src/node/signed-orders.ts';
import { groupCertificate, trustIn, VM_NAME } from '../../src/tls/group.ts';
import { listening } from '../helpers/listening.ts';

const SECRET = 'the group';
const MARK = 'node-1';
const REFUSED = { malformed: 0, misdirected: 0, forged: 0, old: 0, replayed: 0 };
const WORKER = { mark: 'w', id: 'w-1', size: { cpu: 1, memoryBytes: 1 }, state: 'running', createdAt: 1 };

let written = 0;
/** Whatever is to be said, as long as somebody listens. */
const endless =
  (piece: string, everyMs?: number): RequestListener =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    if (everyMs !== undefined) {
      const timer = setInterval(() => response.write(piece), everyMs);
      response.once('close', () => clearInterval(timer));
      return;
    }
    const more = (): void => {
      do written += piece.length;
      while (!response.destroyed && response.write(piece));
      response.once('drain', more);
    };
    more();
  };
const saying =
  (answer: unknown, status = 200): RequestListener =>
  (_, response) => {
    response.writeHead(status).end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  };

describe('a VM or a node that was taken over', function () {
  this.timeout(60_000);
  const servers: Server[] = [];
  let door: Door;
  let said: RequestListener = saying('');
  let port: number;

  before(async () => {
    const { cert, key } = groupCertificate(SECRET, nodeName(MARK), Date.now());
    const node = createServer({ cert, key }, (request, response) => said(request, response));
    port = await started(node);
    const keys = [newOrderKey()];
    door = createDoor({ secret: SECRET, keys: () => keys, now: Date.now });
  });
  after(async () => {
    await door.close();
    for (const server of servers) server.closeAllConnections();
    await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  });

  function started(server: Server): Promise<number> {
    servers.push(server);
    return listening(server);
  }
  const ask = (): Promise<unknown> =>
    door.ask({ mark: MARK, address: { host: '127.0.0.1', port } }, { what: 'report' });

  it('is heard where it reports as nodes do', async () => {
    const report = { at: 1, workers: [{ ...WORKER, port: 80, monitoring: { at: 1, cpu: 5 } }], refused: REFUSED };
    said = saying(report);
    expect(await ask()).to.deep.equal(report);
  });

  for (const [what, answer] of [
    ['nothing', ''],
    ['no JSON', '<html>'],
    ['null', null],
    ['a list', []],
    ['no workers', { at: 1, refused: REFUSED }],
    ['workers that are none', { at: 1, workers: [null], refused: REFUSED }],
    ['workers as text', { at: 1, workers: 'w', refused: REFUSED }],
    ['a time that is none', { at: '1', workers: [], refused: REFUSED }],
    ['no counts', { at: 1, workers: [] }],
    ['a state that there is not', { at: 1, workers: [{ ...WORKER, state: 'up' }], refused: REFUSED }],
    ['a size below nothing', { at: 1, workers: [{ ...WORKER, size: { cpu: -1, memoryBytes: 1 } }], refused: REFUSED }],
    ['a port that there is not', { at: 1, workers: [{ ...WORKER, port: 70_000 }], refused: REFUSED }],
    ['a mark that is an object', { at: 1, workers: [{ ...WORKER, mark: {} }], refused: REFUSED }],
    ['monitoring that is none', { at: 1, workers: [{ ...WORKER, monitoring: { cpu: 'x' } }], refused: REFUSED }],
  ] as const)
    it(`that reports ${what} is told from one that reports`, async () => {
      said = saying(answer);
      expect(await ask().catch(String)).to.equal('MmeliotError: What the node answers is no report.');
    });

  for (const [what, answer] of [
    ['null', null],
    ['what is no sentence', { error: { toString: 1 }, refusal: 7 }],
    ['no JSON', '<html>'],
  ] as const)
    it(`that refuses with ${what} is told to have refused`, async () => {
      said = saying(answer, 500);
      expect(await ask().catch(String)).to.equal('MmeliotError: The node could not do it: 500');
    });

  it('that answers without end is hung up on, and takes no memory', async () => {
    said = endless(`"${'x'.repeat(65_536)}",`);
    expect(await ask().catch(String)).to.match(/ResponseExceededMaxSizeError|larger|exceeded/);
    expect(written).to.be.below(100e6);
    said = endless(' ', 50);
    expect(await ask().catch(String)).to.match(/Timeout|aborted/);
  });

  it('that says of its readiness a byte now and then, without end, is not ready', async () => {
    const isReady = readiness(loadConfig({ env: {} }).gateway, trustIn(SECRET, VM_NAME));
    const vm = await started(createPlain((request, response) => said(request, response)));
    const check = (): Promise<unknown> => isReady('vm-1', { host: '127.0.0.1', port: vm });
    said = saying('');
    expect(await check()).to.equal(true);
    said = endless(' ', 50);
    expect(await check().catch(({ name }: Error) => name)).to.equal('TimeoutError');
  });
});
