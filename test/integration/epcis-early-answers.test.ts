// A document that is refused before all of it has come: the answer arrives, whatever the client does meanwhile.
import { mkdtempSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Client } from 'undici';
import { answerEarly } from '../../epcis/bindings/http/early-answer.ts';
import { startEpcisServer, type EpcisServer } from '../../epcis/server.ts';
import { upload } from '../helpers/uploads.ts';

const XML = 'application/xml';
const LIMIT = 1_000_000;

describe('EPCIS: answers before the body has ended', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mmeliot-early-'));
  let server: EpcisServer;
  before(async () => {
    const log = { error: () => {}, warn: () => {}, info: () => {} };
    server = await startEpcisServer({
      repository: { url: `sqlite://${folder}/events.db` },
      port: 0,
      limits: { captureBytes: LIMIT },
      log,
    });
  });
  after(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });

  for (const [path, type, announced, chunks] of [
    ['/capture', 'text/weird', 415, 415],
    ['/nowhere', XML, 404, 404],
    ['/capture', XML, 413, 400], // what comes in chunks is found to be no document before it is found too large
    ['/events', 'application/json', 413, 413],
    ['/epcis/capture', 'text/weird', 400, 400],
  ] as const) {
    it(`refuses ${type} at ${path}`, async () => {
      for (const reads of ['meanwhile', 'at the end'] as const) {
        const client = { size: 4 * LIMIT, path, type, reads };
        expect((await upload(server.port, client)).status).to.equal(announced);
        expect((await upload(server.port, { ...client, framing: 'chunks' })).status).to.equal(chunks);
      }
      // who asks first is not told to send what is refused by its head
      const asked = await upload(server.port, { size: 4 * LIMIT, path, type, expects: true });
      expect([asked.status, asked.informed, asked.wrote]).to.deep.equal([announced, [], 0]);
      const silent = await upload(server.port, { size: 4 * LIMIT, path, type, stopsAfter: 0 });
      expect([silent.status, silent.wrote]).to.deep.equal([announced, 0]);
    });
  }

  it('has one function that closes a connection, however many requests come by it', async () => {
    const closes: unknown[] = [];
    const plain = createServer(({ socket }, response) => {
      closes.push(Reflect.get(socket, 'destroySoon'));
      response.end();
    }).listen(0);
    answerEarly(plain);
    await once(plain, 'listening');
    const client = new Client(`http://127.0.0.1:${(plain.address() as AddressInfo).port}`);
    for (let n = 0; n < 3; n++) await (await client.request({ path: '/', method: 'GET' })).body.dump();
    await client.close();
    plain.close();
    expect([closes.length, new Set(closes.slice(1)).size]).to.deep.equal([3, 1]);
  });

  it('tells a client that asks first to send what can be read', async () => {
    const { status, informed } = await upload(server.port, { size: 100, path: '/capture', type: XML, expects: true });
    expect([status, informed]).to.deep.equal([400, [100]]);
  });
});
