import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect as http2, constants } from 'node:http2';
import type { ClientHttp2Session, IncomingHttpHeaders, IncomingHttpStatusHeader } from 'node:http2';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectByTls } from 'node:tls';
import { expect } from 'chai';
import WebSocket, { WebSocketServer } from 'ws';
import { gatherChunks } from '../../src/balance/builtin/gather-chunks.ts';
import { RestReading } from '../../src/balance/builtin/rest-reading.ts';
import { LIMIT_START } from '../../src/balance/core/concurrency-limit.ts';
import { Authority } from '../helpers/certificates.ts';
import { accessOf, keyOf } from '../helpers/gatekeeper.ts';
import { ask, Bench, raw } from '../helpers/gateway.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { until } from '../helpers/until.ts';

const GET = 'GET /events HTTP/1.1\r\nHost: a\r\n\r\n';
const MB = 1 << 20;

describe('gateway: fairness between clients', () => {
  const bench = new Bench();
  const sockets: Socket[] = [];
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await bench.close();
  });

  /** Another client than the test's others. */
  function other(port: number): Socket {
    const socket = connect({ host: '127.0.0.1', port, localAddress: '127.0.0.2' }).on('error', () => {});
    sockets.push(socket);
    return socket;
  }

  async function gatewayTo(
    listener: (request: IncomingMessage, response: ServerResponse) => void,
    changes: Parameters<Bench['gateway']>[0] = {},
  ) {
    const vm = await bench.vm(listener);
    const gateway = await bench.gateway(changes);
    await gateway.add('vm', { host: '127.0.0.1', port: vm.port });
    return gateway;
  }

  it('gives the slot of a slow reader to others, and goes on when it reads', async () => {
    const size = 40 * MB;
    const gateway = await gatewayTo(
      (request, response) => response.end(request.url === '/large' ? Buffer.alloc(size) : 'small'),
      { perVm: 1 },
    );
    const slow = other(gateway.address.port).pause();
    slow.write(GET.replace('/events', '/large'));
    await until('it is at the VM', () => gateway.fleet()[0]?.inFlight === 1);
    expect((await ask(gateway.address.port)).text).to.equal('small');
    let read = 0;
    slow.on('data', (chunk) => (read += chunk.length)).resume();
    await until('it has all', () => read > size);
    await until('all is over', () => gateway.counters().answered === 2);
  });

  it('gives the slot of a slow upload to others, and takes it again', async () => {
    const gateway = await gatewayTo((request, response) => request.on('end', () => response.end('taken')).resume(), {
      perVm: 1,
    });
    const slow = other(gateway.address.port);
    slow.write(`POST /capture HTTP/1.1\r\nHost: a\r\nContent-Length: ${MB}\r\n\r\nfirst`);
    await until('it is at the VM', () => gateway.fleet()[0]?.inFlight === 1);
    expect((await ask(gateway.address.port)).text).to.equal('taken');
    let answer = '';
    slow.on('data', (chunk) => (answer += chunk.toString())).write(Buffer.alloc(MB - 5));
    await until('it is answered', () => answer.endsWith('taken'));
  });

  it('does not let one client have all slots while another is there', async () => {
    const held: ServerResponse[] = [];
    const gateway = await gatewayTo(
      (request, response) => (request.url === '/long' ? held.push(response) : response.end('short')),
      { perVm: 4 },
    );
    const ofOther = () => ask(gateway.address.port, '/short').then(({ text }) => text);
    expect(await ofOther()).to.equal('short');
    for (let i = 0; i < 8; i++) other(gateway.address.port).write(GET.replace('/events', '/long'));
    await until('it has its share, the rest waits', () => held.length === 3 && gateway.counters().queued === 5);
    expect(await ofOther()).to.equal('short');
    for (const response of held) response.end();
    await until('its next come', () => held.length === 6);
    for (const response of held) response.end();
    await until('its last come', () => held.length === 8);
    for (const response of held) response.end();
  });

  const ABANDONED = {
    requests: GET.replace('/events', '/long'),
    uploads: 'POST /long HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n',
  };
  for (const [what, bytes] of Object.entries(ABANDONED)) {
    it(`lets a client that abandons ${what} have no more of them at a VM than its share`, async () => {
      const held: ServerResponse[] = [];
      const vm = await bench.vm((request, response) =>
        request.url === '/long' ? held.push(response) : response.end('short'),
      );
      // as one that has no time to look who has left
      Object.assign(vm.server, { httpAllowHalfOpen: true });
      vm.server.on('clientError', () => {});
      const gateway = await bench.gateway({ perVm: 4, timeouts: { connectMs: 60_000 } });
      await gateway.add('vm', { host: '127.0.0.1', port: vm.port });
      const { port } = gateway.address;
      expect((await ask(port, '/short')).text).to.equal('short');
      for (let i = 1; i <= 10; i++) {
        const leaving = other(port);
        leaving.write(bytes);
        await until('it is here', () => gateway.counters().arrived === 1 + i);
        await until('it is at the VM, or waits', () => held.length === Math.min(i, 3));
        leaving.destroy();
        await until('it has gone', () => gateway.counters().lost['client-gone'] === i);
      }
      expect((await ask(port, '/short')).text).to.equal('short');
      expect(held).to.have.length(3);
      expect(gateway.fleet()[0]).to.include({ state: 'ready', inFlight: 3 });
      for (const { socket } of held) socket?.destroy();
      await until('the VM has let go of all', () => gateway.fleet()[0]?.inFlight === 0);
    });

    it(`waits no longer for a VM to look at abandoned ${what} than for a connection`, async () => {
      let held = 0;
      const vm = await bench.vm(() => held++);
      Object.assign(vm.server, { httpAllowHalfOpen: true });
      vm.server.on('clientError', () => {});
      const gateway = await bench.gateway({ timeouts: { connectMs: 100 } });
      await gateway.add('vm', { host: '127.0.0.1', port: vm.port });
      const leaving = other(gateway.address.port);
      leaving.write(bytes);
      await until('it is at the VM', () => held === 1);
      leaving.destroy();
      expect(await gateway.drain('vm', 10_000), 'nothing is left of it').to.equal(true);
    });
  }

  it('keeps slots for others at once where one client takes all that it gets, found limits and HAProxy included', async () => {
    for (const dataPlane of ['builtin', 'haproxy'] as const) {
      let held = 0;
      const gateway = await gatewayTo(
        (request, response) => (request.url === '/long' ? held++ : response.end('short')),
        { dataPlane, perVm: 'auto' },
      );
      const { port } = gateway.address;
      const agent = new Agent({ keepAlive: true });
      const ofOther = () => ask(port, '/short', { agent }).then(({ text }) => text);
      expect(await ofOther()).to.equal('short');
      for (let i = 0; i < 2 * LIMIT_START; i++) other(port).write(GET.replace('/events', '/long'));
      await until('it has its share of a VM', () => held >= 0.75 * LIMIT_START);
      // nothing of it ends, so no limit grows: the other is served by what it may not have
      expect(await ofOther(), dataPlane).to.equal('short');
      agent.destroy();
      for (const socket of sockets.splice(0)) socket.destroy();
    }
  });

  it('reads on from a connection only when its requests have been answered, and ends it beyond a limit', async () => {
    let asked = 0;
    const gateway = await gatewayTo(
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
    const gateway = await gatewayTo((_, response) => response.end('answer'), { limits: { pipelined: 5 } });
    const flood = other(gateway.address.port);
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
    const gateway = await gatewayTo((_, response) => response.end('answer'), { limits: { pipelined: 5 } });
    let made = 0;
    const count = () => void made++;
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
    const gateway = await gatewayTo((_, response) => response.end('answer'));
    const { port } = gateway.address;
    sockets.push(connect(port, '127.0.0.1'));
    const many = Array.from({ length: connections }, () => other(port));
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

  it('lets one client have only so much of large answers in a second', async () => {
    const rate = 10 * MB;
    const gateway = await gatewayTo((_, response) => response.end(Buffer.alloc(6 * MB)), {
      limits: { answerBytesPerSecond: rate },
    });
    const since = performance.now();
    const { text } = await ask(gateway.address.port);
    expect(text.length).to.equal(6 * MB);
    // a tenth of a second's worth is saved up, and the last piece is not waited for
    expect(performance.now() - since).to.be.greaterThan(((5 * MB - 2 * 65_536) / rate) * 1000 - 50);
  });

  it('sends chunks of a byte each on together, and lets one client have only so many of them in a second', async () => {
    const chunks = 26_000;
    const ofARead = 65_536 / '1;a=b\r\n1\r\n'.length;
    const rate = 128 * MB;
    let pieces = 0;
    let body = '';
    const gateway = await gatewayTo(
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
    const flooding = other(port);
    flooding.write('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n');
    flooding.write('1\r\nx\r\n'.repeat(100_000));
    await until('it has rested', () => inRests.length >= 3);
    expect(inRests).to.deep.equal(inRests.map(() => 0));
    expect(chunks).to.be.below(100_000);
  });

  it('counts chunks of a byte as connections, so that nobody sends them by ever new ones', async () => {
    const gateway = await gatewayTo((request, response) => request.on('end', () => response.end('taken')).resume(), {
      limits: { connectionsPerSecond: 2 },
    });
    const { port } = gateway.address;
    const head = 'POST /capture HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
    const answerTo = async (sent: string) => {
      let answer = '';
      other(port)
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
    const gateway = await gatewayTo((request, response) => request.on('end', () => response.end('taken')).resume(), {
      tls,
      limits: { connectionsPerSecond: 20 },
      timeouts: { headMs: 120_000 },
    });
    const { port } = gateway.address;
    const connection = other(port);
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
    const again = other(port);
    await until('it is not let in again', () => again.destroyed);
    const trusting = { agent: new TlsAgent({ ca: authority.pem }), protocol: 'https:' };
    expect((await ask(port, '/', trusting)).status).to.equal(200);
    client.destroy();
    folder.remove();
  });

  it('serves a connection with more requests than it reads at once, one after the other', async () => {
    const gateway = await gatewayTo((request, response) => response.end(String(request.headers['x-number'])));
    const client = other(gateway.address.port);
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

  it('bounds the connections of a client (429) where they are scarce, and of all (503), and says when to come again', async () => {
    const limits = { connectionsPerClient: 2, connections: 4 };
    const gateway = await gatewayTo((_, response) => response.end('answer'), { limits });
    const { port } = gateway.address;
    for (let i = 0; i < 2; i++) other(port).write(GET);
    await until('both are served', () => gateway.counters().answered === 2);
    const refused = other(port);
    let said = '';
    refused.on('data', (chunk) => (said += chunk.toString()));
    await until('the third is refused', () => /^HTTP\/1\.1 429 [^]*Retry-After: 1/.test(said));
    expect(said).to.include('Connections are scarce');
    expect(gateway.counters().refused, 'the operator is told').to.equal(1);
    refused.destroy();
    const agent = new Agent({ keepAlive: true });
    const both = await Promise.all([1, 2].map(() => ask(port, '/', { agent })));
    expect(both.map(({ text }) => text)).to.deep.equal(['answer', 'answer']);
    expect(await raw(port, GET)).to.match(/^HTTP\/1\.1 429 /);
    agent.destroy();
    await until('others are served again', async () => (await ask(port, '/')).status === 200);
  });

  it('lets who connects all the time wait, not the others', async () => {
    const gateway = await gatewayTo((_, response) => response.end('answer'), { limits: { connectionsPerSecond: 10 } });
    const { port } = gateway.address;
    let served = 0;
    for (let i = 0; i < 15; i++)
      other(port)
        .on('data', () => served++)
        .write(GET);
    await until('those of a second are served', () => served >= 10);
    expect((await ask(port)).text).to.equal('answer');
    await until('the others are as well', () => served === 15);
  });

  for (const dataPlane of ['builtin', 'haproxy'] as const) {
    it(`lets one client open only so many WebSockets, and says when to come again (${dataPlane})`, async () => {
      const most = 10;
      const gateway = await bench.gateway({ dataPlane, limits: { upgradesPerSecond: most / 10 } });
      const vm = await bench.vm((_, response) => response.end('answer'));
      const server = new WebSocketServer({ server: vm.server });
      await gateway.add('vm', { host: '127.0.0.1', port: vm.port });
      await until('it is served', async () => (await ask(gateway.address.port)).status === 200);
      const open = (localAddress: string) => openSocket(gateway.address.port, localAddress);
      const statuses: number[] = [];
      for (let i = 0; i < most; i++) statuses.push((await open('127.0.0.2')).status);
      expect(statuses).to.deep.equal(Array<number>(most).fill(101));
      const refused: Awaited<ReturnType<typeof open>>[] = [];
      await until('it is told that these are too many', async () => {
        const more = await Promise.all(Array.from({ length: 2 * most }, () => open('127.0.0.2')));
        refused.push(...more.filter(({ status }) => status === 429));
        return refused.length > 0;
      });
      for (const { headers } of refused) expect(headers).to.include({ 'retry-after': '1' });
      expect((await open('127.0.0.3')).status).to.equal(101);
      expect((await ask(gateway.address.port, '/', { localAddress: '127.0.0.2' })).text).to.equal('answer');
      await until('the operator is told', () => gateway.counters().refused === refused.length);
      server.close();
      for (const one of server.clients) one.terminate();
    });
  }

  for (const dataPlane of ['builtin', 'haproxy'] as const) {
    it(`answers who shows wrong keys all the time later and later, not who shows a good one (${dataPlane})`, async () => {
      const { key, record } = keyOf('acme');
      const limits = { strangersPerSecond: 1 };
      const gateway = await bench.gateway({ dataPlane, limits }, { access: accessOf([record]) });
      const vm = await bench.vm((_, response) => response.end('answer'));
      await gateway.add('vm', { host: '127.0.0.1', port: vm.port });
      const agent = new Agent({ keepAlive: true });
      bench.atEnd(async () => agent.destroy());
      const by = async (authorization: string) =>
        (await ask(gateway.address.port, '/', { agent, headers: { authorization } })).status;
      await until('it is served', async () => (await by(`Bearer ${key}`)) === 200);
      const answered: number[] = [];
      const since = performance.now();
      for (let i = 0; i < 30; i++) {
        by('Basic YWNtZTpndWVzcw==').then(
          (status) => answered.push(status),
          () => {},
        );
      }
      // ten seconds' worth is saved up
      await until('those are answered that may be', () => answered.length >= 10);
      expect(await by(`Bearer ${key}`)).to.equal(200);
      const seconds = (performance.now() - since) / 1_000;
      expect(answered).to.deep.equal(Array(answered.length).fill(401));
      expect(answered.length).to.be.below(11 + seconds);
    });
  }

  it('refuses who abandons request after request, and goes on serving others and who abandons some (builtin)', async () => {
    let abandoned = 0;
    const gateway = await gatewayTo((request, response) => {
      if (request.url !== '/long') response.end('answer');
    });
    const { port } = gateway.address;
    const abandon = async (count: number) => {
      const leaving = Array.from({ length: count }, () => other(port));
      for (const one of leaving) one.write(GET.replace('/events', '/long'));
      await until('they are here', () => gateway.counters().inFlight + gateway.counters().queued >= count);
      for (const one of leaving) one.destroy();
      abandoned += count;
      await until('they have gone', () => gateway.counters().lost['client-gone'] === abandoned);
    };
    const asks = (localAddress: string) => ask(port, '/', { localAddress });
    await abandon(100);
    expect((await asks('127.0.0.2')).text).to.equal('answer');
    let refused = await asks('127.0.0.2');
    while (refused.status === 200) {
      await abandon(100);
      refused = await asks('127.0.0.2');
    }
    expect(refused).to.include({ status: 429 });
    expect(refused.headers).to.include({ 'retry-after': '1' });
    expect(refused.text).to.include('abandon');
    expect((await asks('127.0.0.3')).text).to.equal('answer');
  });

  it('refuses who takes back request after request by HTTP/2, ends its connections, and serves others and who takes back some', async () => {
    const gateway = await gatewayTo(
      (request, response) => (request.url === '/long' ? undefined : response.end('answer')),
      {
        dataPlane: 'haproxy',
        http2: true,
      },
    );
    const { port } = gateway.address;
    await until('it is served', async () => (await ask(port)).status === 200);
    const from = (localAddress: string) => {
      const createConnection = () => connect({ host: '127.0.0.1', port, localAddress });
      const session = http2(`http://127.0.0.1:${port}`, { createConnection }).on('error', () => {});
      bench.atEnd(async () => session.destroy());
      return session;
    };
    const takeBack = (session: ClientHttp2Session) => {
      for (let i = 0; i < 30; i++) {
        const stream = session.request({ ':path': '/long' }).on('error', () => {});
        setImmediate(() => stream.close(constants.NGHTTP2_CANCEL));
      }
    };
    const session = from('127.0.0.2');
    for (let i = 0; i < 10; i++) {
      takeBack(session);
      expect((await askBy(session)).status).to.equal(200);
    }
    // many, so that they are quick enough on a busy machine
    const sessions = Array.from({ length: 20 }, () => from('127.0.0.2'));
    const refused = await until('it is refused', async () => {
      for (const one of sessions) takeBack(one);
      const told = await askBy(session);
      return told.status === 429 && told;
    });
    expect(refused).to.include({ status: 429, again: '10' });
    expect(refused.text).to.include('abandon');
    expect((await ask(port)).text).to.equal('answer');
    await until('its connection is ended', async () => {
      const all = [session, ...sessions];
      await Promise.allSettled(all.flatMap((one) => Array.from({ length: 30 }, () => askBy(one))));
      return all.every(({ destroyed }) => destroyed);
    });
    const again = from('127.0.0.2');
    expect(await askBy(again).catch(() => 'ended')).to.equal('ended');
    expect((await askBy(from('127.0.0.3'))).text).to.equal('answer');
  });

  it('answers a head that is too large with 431, and one that comes too slowly with 408', async () => {
    const gateway = await gatewayTo((_, response) => response.end('answer'), {
      limits: { headBytes: 2_048 },
      timeouts: { headMs: 300 },
    });
    const { port } = gateway.address;
    expect(await raw(port, GET.replace('\r\n\r\n', `\r\nX: ${'x'.repeat(3_000)}\r\n\r\n`))).to.match(
      /^HTTP\/1\.1 431 /,
    );
    expect(await raw(port, 'GET /events HTTP/1.1\r\nHost:', 5_000)).to.match(/^HTTP\/1\.1 408 /);
  });
});

/** What a client gets that asks for a WebSocket; it stays open. */
function openSocket(
  port: number,
  localAddress: string,
): Promise<Pick<IncomingMessage, 'headers'> & { status: number }> {
  const client = new WebSocket(`ws://127.0.0.1:${port}/`, { localAddress });
  const told = ({ statusCode: status = 0, headers }: IncomingMessage) => ({ status, headers });
  return new Promise((resolve, reject) => {
    client.on('upgrade', (answer) => resolve(told(answer))).on('error', reject);
    client.on('unexpected-response', (_, answer) => resolve(told(answer.resume())));
  });
}

async function askBy(session: ClientHttp2Session): Promise<{ status: number; again: unknown; text: string }> {
  const stream = session.request({ ':path': '/events' }).setEncoding('utf8');
  const headed = once(stream, 'response') as Promise<[IncomingHttpHeaders & IncomingHttpStatusHeader]>;
  let text = '';
  stream.on('data', (piece: string) => (text += piece));
  const [headers] = await headed;
  if (!stream.readableEnded) await once(stream, 'end');
  return { status: Number(headers[':status']), again: headers['retry-after'], text };
}
