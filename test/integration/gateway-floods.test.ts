import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectByTls } from 'node:tls';
import { expect } from 'chai';
import { gatherChunks } from '../../src/balance/builtin/gather-chunks.ts';
import { RestReading } from '../../src/balance/builtin/rest-reading.ts';
import { Authority } from '../helpers/certificates.ts';
import { ask, Bench, raw } from '../helpers/gateway.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { until } from '../helpers/until.ts';

const GET = 'GET /events HTTP/1.1\r\nHost: a\r\n\r\n';
const MB = 1 << 20;

describe('gateway: floods on a connection', () => {
  const bench = new Bench();
  afterEach(() => bench.close());

  it('reads on from a connection only when its requests have been answered, and ends it beyond a limit', async () => {
    let asked = 0;
    const gateway = await bench.gatewayTo(
      (_, response) => {
        asked++;
        response.end('answer');
      },
      { limits: { pipelined: 5 } },
    );
    const fine = await raw(gateway.address.port, GET.repeat(6));
    expect(fine.match(/HTTP\/1\.1 200/g)).to.have.length(6);
    const tooMany = await raw(gateway.address.port, GET.repeat(50));
    expect(tooMany.match(/HTTP\/1\.1 \d+/g)).to.deep.equal([...Array<string>(6).fill('HTTP/1.1 200'), 'HTTP/1.1 429']);
    expect(tooMany).to.match(/retry-after: 1/i);
    expect(asked).to.equal(12);
  });

  it('reads little of what floods a connection on which nothing is served any more', async () => {
    const gateway = await bench.gatewayTo((_, response) => response.end('answer'), { limits: { pipelined: 5 } });
    const flood = bench.other(gateway.address.port);
    let sent = 0;
    flood.once('close', () => (sent = flood.bytesWritten - flood.writableLength));
    const more = () => {
      while (flood.writable && flood.write(GET.repeat(100)));
    };
    flood.on('drain', more).resume();
    more();
    await until('it is closed', () => sent > 0);
    // what the kernel takes in is not read
    expect(sent).to.be.lessThan(20 * MB);
    expect(gateway.counters()).to.include({ arrived: 6, answered: 6, refused: 1 });
  });

  it('makes nothing of thousands of requests that come in one piece behind the last that may wait', async () => {
    const gateway = await bench.gatewayTo((_, response) => response.end('answer'), { limits: { pipelined: 5 } });
    let made = 0;
    // whether the VM is well is asked beside them
    const count = (message: unknown) => {
      if ((message as { request: IncomingMessage }).request.url === '/events') made++;
    };
    subscribe('http.server.request.start', count);
    try {
      const answers = await raw(gateway.address.port, GET.repeat(1_000));
      expect(answers).to.match(/HTTP\/1\.1 429/);
    } finally {
      unsubscribe('http.server.request.start', count);
    }
    // by the gateway the first, those that wait and the one that is refused; by the VM those that are served
    expect(made).to.equal(7 + 6);
  });

  it('reads of what one client sends at once on many connections some in each turn of the loop, where another is there', async () => {
    const [connections, each] = [40, 20];
    const gateway = await bench.gatewayTo((_, response) => response.end('answer'));
    const { port } = gateway.address;
    bench.other(port, '127.0.0.3');
    const many = Array.from({ length: connections }, () => bench.other(port));
    const texts = new Array<string>(connections).fill('');
    for (const [n, socket] of many.entries()) socket.on('data', (piece) => (texts[n] += String(piece))).write(GET);
    const answers = () => texts.join('').split('HTTP/1.1 200').length - 1;
    await until('all are open', () => answers() === connections);
    let [inTurn, most] = [0, 0];
    const count = (message: unknown) => {
      if ((message as { socket: Socket }).socket.localPort !== port) return;
      if (inTurn++ === 0)
        setImmediate(() => {
          most = Math.max(most, inTurn);
          inTurn = 0;
        });
    };
    subscribe('http.server.request.start', count);
    try {
      for (const socket of many) socket.write(GET.repeat(each));
      await until('all are answered', () => answers() === connections * (1 + each));
    } finally {
      unsubscribe('http.server.request.start', count);
    }
    // (what comes with the last one is read with it)
    expect(most).to.be.lessThan(50 + each);
  });

  it('sends chunks of a byte each on together, and lets one client have only so many of them in a second', async () => {
    const chunks = 26_000;
    const ofARead = 65_536 / '1;a=b\r\n1\r\n'.length;
    const rate = 128 * MB;
    let pieces = 0;
    let body = '';
    const gateway = await bench.gatewayTo(
      (request, response) => {
        request.setEncoding('latin1').on('data', (piece: string) => {
          pieces++;
          body += piece;
        });
        request.on('end', () => response.end('taken'));
      },
      { limits: { uploadBytesPerSecond: rate } },
    );
    const sent = Array.from({ length: chunks }, (_, i) => `1;a=b\r\n${i % 10}\r\n`).join('');
    const head = 'POST /capture HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n';
    const since = performance.now();
    expect(await raw(gateway.address.port, `${head}${sent}0\r\n\r\n`, 10_000)).to.include('taken');
    expect(body).to.equal('0123456789'.repeat(chunks / 10));
    // nothing is written for a chunk: of each read one piece goes on, which the VM may get in two
    expect(pieces).to.be.below(chunks / 100);
    // each is worth 4 KB; a tenth of a second's worth is saved up, and what was read last is not waited for
    expect(performance.now() - since).to.be.greaterThan((((chunks - 2 * ofARead) * 4_096) / rate) * 1000 - 150);
  });

  it('reads nothing of chunks of a byte while their client has to rest', async () => {
    let chunks = 0;
    const inRests: number[] = [];
    const { port } = await bench.vm((request) => {
      gatherChunks(request, (count) => (chunks += count));
      let atRest = 0;
      const reading = new RestReading(request, () => {
        inRests.push(chunks - atRest);
        request.resume();
      });
      const begin = () =>
        request.on('data', () => {
          atRest = chunks;
          reading.rest(50);
        });
      // as behind a VM that has to be reached first
      void until('some have come', () => chunks > 0).then(begin);
    });
    const flooding = bench.other(port);
    flooding.write('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n');
    flooding.write('1\r\nx\r\n'.repeat(100_000));
    await until('it has rested', () => inRests.length >= 3);
    expect(inRests).to.deep.equal(inRests.map(() => 0));
    expect(chunks).to.be.below(100_000);
  });

  it('counts chunks of a byte as connections, so that nobody sends them by ever new ones', async () => {
    const gateway = await bench.gatewayTo(
      (request, response) => request.on('end', () => response.end('taken')).resume(),
      {
        limits: { connectionsPerSecond: 2 },
      },
    );
    const { port } = gateway.address;
    const head = 'POST /capture HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
    const answerTo = async (sent: string) => {
      let answer = '';
      bench
        .other(port)
        .on('data', (piece) => (answer += piece.toString()))
        .write(sent);
      await until('it is answered', () => answer !== '');
      return answer;
    };
    expect(await answerTo(`${head}${'1\r\nx\r\n'.repeat(20_000)}0\r\n\r\n`)).to.include('taken');
    expect(await answerTo(GET)).to.match(/^HTTP\/1\.1 429 /);
    expect((await ask(port)).text).to.equal('taken');
  });

  it('counts records of TLS of a byte each as connections, too', async () => {
    const folder = temporaryFolder();
    const authority = new Authority(folder.path);
    const tls = { ...authority.issue('gateway'), clientCa: '' };
    const gateway = await bench.gatewayTo(
      (request, response) => request.on('end', () => response.end('taken')).resume(),
      {
        tls,
        limits: { connectionsPerSecond: 20 },
        timeouts: { headMs: 120_000 },
      },
    );
    const { port } = gateway.address;
    const connection = bench.other(port);
    // what it sends goes out together: thousands of records in one read
    const held: Buffer[] = [];
    let holds = false;
    const through = new Duplex({
      read: () => {},
      write: (piece: Buffer, _, done) => {
        if (holds) held.push(piece);
        else connection.write(piece);
        done();
      },
    });
    connection.on('data', (piece) => through.push(piece));
    const client = connectByTls({ socket: through, ca: authority.pem, host: '127.0.0.1' });
    let answer = '';
    client.on('data', (piece: Buffer) => (answer += piece.toString()));
    await once(client, 'secureConnect');
    holds = true;
    const write = (text: string) => new Promise((resolve) => client.write(text, resolve));
    const bytes = 15_000;
    await write(`POST /capture HTTP/1.1\r\nHost: a\r\nContent-Length: ${bytes}\r\n\r\n`);
    for (let i = 0; i < bytes; i++) await write('x');
    connection.write(Buffer.concat(held));
    await until('it is answered', () => answer.includes('taken'));
    const again = bench.other(port);
    await until('it is not let in again', () => again.destroyed);
    const trusting = { agent: new TlsAgent({ ca: authority.pem }), protocol: 'https:' };
    expect((await ask(port, '/', trusting)).status).to.equal(200);
    client.destroy();
    folder.remove();
  });

  it('serves a connection with more requests than it reads at once, one after the other', async () => {
    const gateway = await bench.gatewayTo((request, response) => response.end(String(request.headers['x-number'])));
    const client = bench.other(gateway.address.port);
    let answers = '';
    client.on('data', (chunk) => (answers += chunk.toString()));
    const filler = 'x'.repeat(3_000);
    for (let i = 0; i < 200; i++)
      client.write(GET.replace('\r\n\r\n', `\r\nX-Number: ${i}.\r\nX-Filler: ${filler}\r\n\r\n`));
    await until('all are answered', () => answers.endsWith('199.'));
    expect([...answers.matchAll(/(\d+)\.(?=HTTP|$)/g)].map(([, number]) => Number(number))).to.deep.equal(
      Array.from({ length: 200 }, (_, i) => i),
    );
  });
});
