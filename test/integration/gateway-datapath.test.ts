import { createHash, randomBytes } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { request as httpRequest } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import WebSocket, { WebSocketServer } from 'ws';
import { ask, Bench, raw } from '../helpers/gateway.ts';
import { until } from '../helpers/until.ts';

const HOST = '127.0.0.1';

describe('gateway: data path', () => {
  const bench = new Bench();
  afterEach(() => bench.close());

  it('passes status, fields and body on, without those of one hop', async () => {
    const seen: IncomingMessage[] = [];
    const gateway = await bench.gatewayTo((request, response) => {
      seen.push(request);
      response.writeHead(201, [
        'X-A',
        '1',
        'Set-Cookie',
        'a=1',
        'Set-Cookie',
        'b=2',
        'Connection',
        'X-Hop',
        'X-Hop',
        'x',
      ]);
      response.end('made');
    });
    const answer = await ask(gateway.address.port, '/a/b?c=%20d', {
      headers: { connection: 'keep-alive, x-mine', 'x-mine': 'hop', 'x-other': 'end', te: 'trailers', accept: '*/*' },
    });
    expect(answer).to.include({ status: 201, text: 'made' });
    expect(answer.headers).to.include({ 'x-a': '1', 'content-length': '4' });
    expect(answer.headers['set-cookie']).to.deep.equal(['a=1', 'b=2']);
    expect(answer.headers).not.to.have.property('x-hop');
    expect(seen[0]?.url).to.equal('/a/b?c=%20d');
    expect(seen[0]?.headers).to.include({ 'x-other': 'end', host: `${HOST}:${gateway.address.port}`, accept: '*/*' });
    expect(seen[0]?.headers).not.to.have.any.keys('x-mine', 'te');
  });

  it('says who asked, and gives each request an id', async () => {
    const gateway = await bench.gatewayTo((request, response) => response.end(JSON.stringify(request.headers)));
    const mine = { 'x-request-id': 'abc-1', 'x-forwarded-for': '6.6.6.6', forwarded: 'for=6.6.6.6' };
    const answer = await ask(gateway.address.port, '/', { headers: mine });
    const seen = JSON.parse(answer.text) as Record<string, string>;
    expect(seen).to.include({ 'x-forwarded-for': HOST, 'x-forwarded-proto': 'http', 'x-request-id': 'abc-1' });
    expect(seen['forwarded']).to.match(/^for=127\.0\.0\.1;proto=http;host="127\.0\.0\.1:\d+"$/);
    expect(seen['via']).to.equal('1.1 mmeliot');
    expect(answer.headers['x-request-id']).to.equal('abc-1');
    const ids = new Set<unknown>();
    for (let i = 0; i < 3; i++) ids.add((await ask(gateway.address.port)).headers['x-request-id']);
    expect(ids.size).to.equal(3);
    expect(ids).not.to.include(undefined);
  });

  for (const [name, headers] of [
    ['of known length', { 'content-length': String(8 << 20) }],
    ['in chunks', { 'transfer-encoding': 'chunked' }],
  ] as const) {
    it(`carries a large body ${name} up and down unchanged`, async () => {
      const gateway = await bench.gatewayTo((request, response) => request.pipe(response));
      const body = randomBytes(8 << 20);
      const answer = await ask(gateway.address.port, '/capture', { method: 'POST', headers }, body);
      expect(hash(answer.body)).to.equal(hash(body));
      expect(gateway.fleet()[0]?.responseTime, 'its time tells nothing of the VM').to.equal(0);
    });
  }

  it('holds a client back whose VM does not read', async () => {
    const gateway = await bench.gatewayTo(() => {});
    const client = connect(gateway.address.port, HOST);
    client.write('POST /capture HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\n');
    const chunk = Buffer.alloc(64 << 10);
    let written = 0;
    const more = () => {
      do written += chunk.length;
      while (client.writable && written < 100 << 20 && client.write(chunk));
    };
    client.on('drain', more).on('error', () => {});
    more();
    await settles(() => written);
    client.destroy();
    expect(written).to.be.within(64 << 10, 32 << 20);
  });

  it('holds a VM back whose client does not read', async () => {
    let written = 0;
    const gateway = await bench.gatewayTo((_, response) => {
      const chunk = Buffer.alloc(64 << 10);
      const more = () => {
        do written += chunk.length;
        while (!response.destroyed && written < 100 << 20 && response.write(chunk));
      };
      response.on('drain', more);
      more();
    });
    const client = connect(gateway.address.port, HOST).pause();
    client.write('GET /events HTTP/1.1\r\nHost: a\r\n\r\n');
    await until('something was sent', () => written > 0);
    await settles(() => written);
    client.destroy();
    expect(written).to.be.within(64 << 10, 32 << 20);
  });

  it('sends the head of an answer, and each part of it, as they come', async () => {
    const steps: (() => void)[] = [];
    const gateway = await bench.gatewayTo((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      steps.push(
        () => response.write('one\n'),
        () => response.end('two\n'),
      );
    });
    const parts: string[] = [];
    const request = httpRequest({ host: HOST, port: gateway.address.port }, (response) => {
      parts.push(`head ${response.statusCode}`);
      response.on('data', (chunk: Buffer) => parts.push(chunk.toString()));
    }).end();
    await until('the head is here', () => parts.length === 1);
    steps[0]?.();
    await until('the first part is here', () => parts.length === 2);
    steps[1]?.();
    await until('the second part is here', () => parts.length === 3);
    request.destroy();
    expect(parts).to.deep.equal(['head 200', 'one\n', 'two\n']);
  });

  it('passes the trailers of an answer', async () => {
    const gateway = await bench.gatewayTo((_, response) => {
      response.writeHead(200, { trailer: 'x-checksum' });
      response.write('body');
      response.addTrailers({ 'x-checksum': '42' });
      response.end();
    });
    const answer = await ask(gateway.address.port);
    expect(answer.text).to.equal('body');
    expect(answer.trailers).to.deep.equal({ 'x-checksum': '42' });
  });

  it('answers HEAD, 204 and 304 without a body and keeps the connection', async () => {
    const gateway = await bench.gatewayTo((request, response) => {
      if (request.url === '/204') response.writeHead(204).end();
      else if (request.url === '/304') response.writeHead(304, { etag: '"x"' }).end();
      else response.writeHead(200, { 'content-length': 5 }).end(request.method === 'HEAD' ? undefined : 'hello');
    });
    const head = await raw(
      gateway.address.port,
      ['HEAD /', 'GET /204', 'GET /304', 'GET /'].map((line) => `${line} HTTP/1.1\r\nHost: a\r\n\r\n`).join(''),
    );
    expect(head.match(/HTTP\/1\.1 \d+/g)).to.deep.equal([200, 204, 304, 200].map((code) => `HTTP/1.1 ${code}`));
    expect(head.match(/content-length: 5/gi)).to.have.length(2);
    expect(head).to.match(/\r\n\r\nhello$/);
  });

  it('asks for the body of a client that waits for it (100), and passes early hints (103)', async () => {
    const gateway = await bench.gatewayTo(
      (request, response) => {
        response.writeEarlyHints({ link: '</style>; rel=preload' });
        request.on('data', () => {}).on('end', () => response.end('got it'));
      },
      { retry: { replayBytes: 4 } },
    );
    for (const body of ['tiny', 'too large to be held']) {
      const events: string[] = [];
      const answer = await new Promise<string>((resolve, reject) => {
        const headers = { expect: '100-continue', 'content-length': body.length };
        const request = httpRequest({ host: HOST, port: gateway.address.port, method: 'POST', headers });
        request.on('continue', () => {
          events.push('continue');
          request.end(body);
        });
        request.on('information', (info) => events.push(String(info.statusCode)));
        request.on('response', (response) => {
          response.setEncoding('utf8').on('data', resolve);
        });
        request.on('error', reject).flushHeaders();
      });
      expect(answer).to.equal('got it');
      expect(events).to.include('continue').and.to.include('103');
    }
  });

  it('serves the requests of one connection one after the other, also when they come at once', async () => {
    const steps: string[] = [];
    const gateway = await bench.gatewayTo((request, response) => {
      steps.push(`begin ${request.url}`);
      setTimeout(
        () => {
          steps.push(`end ${request.url}`);
          response.end(request.url);
        },
        request.url === '/1' ? 50 : 0,
      );
    });
    const first = 'POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab';
    const answers = await raw(gateway.address.port, `${first}GET /2 HTTP/1.1\r\nHost: a\r\n\r\n`, 500);
    expect(answers).to.match(/\/1HTTP[^]*\/2$/);
    expect(steps).to.deep.equal(['begin /1', 'end /1', 'begin /2', 'end /2']);
  });

  it('keeps the connection of a client that it turns away, unless part of a body is still to come', async () => {
    const gateway = await bench.gateway({ queue: { capacity: 0 } });
    const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
    expect((await raw(gateway.address.port, get + get)).match(/ 503 /g)).to.have.length(2);
    const large = 'POST /capture HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n';
    const answer = await raw(gateway.address.port, large + 'x'.repeat(1_000_000) + get, 4_000);
    expect(answer.match(/ 503 /g)).to.have.length(1);
    expect(answer).to.match(/connection: close/i);
  });

  it('speaks HTTP/1.0 to clients that do', async () => {
    const gateway = await bench.gatewayTo((_, response) => {
      response.write('part, ');
      response.end('and end');
    });
    const answer = await raw(gateway.address.port, 'GET / HTTP/1.0\r\n\r\n');
    expect(answer).to.match(/^HTTP\/1\.1 200/);
    expect(answer).not.to.match(/transfer-encoding/i);
    expect(answer).to.match(/\r\n\r\npart, and end$/);
  });

  it('joins a WebSocket with the VM, and cuts it when the VM is removed', async () => {
    const vm = await bench.vm((_, response) => response.end());
    const sockets = new WebSocketServer({ server: vm.server, path: '/ws' });
    sockets.on('connection', (socket) =>
      socket.on('message', (data: Buffer) => socket.send(`echo ${data.toString()}`)),
    );
    const gateway = await bench.gatewayTo(vm);
    const client = new WebSocket(`ws://${HOST}:${gateway.address.port}/ws`);
    const said: string[] = [];
    client.on('message', (data: Buffer) => said.push(data.toString()));
    client.on('open', () => client.send('hello'));
    await until('the echo is here', () => said.length === 1);
    expect(said).to.deep.equal(['echo hello']);
    expect(gateway.fleet()[0]).to.include({ tunnels: 1, inFlight: 0 });
    expect(await gateway.drain('vm', 20)).to.equal(false);
    let closed = false;
    client.on('close', () => (closed = true));
    await gateway.remove('vm');
    await until('it is closed', () => closed);
    sockets.close();
  });

  it('survives a client that asks for an upgrade before it has its last answer', async () => {
    const gateway = await bench.gatewayTo((request, response) => setTimeout(() => response.end(request.url), 50));
    const upgrade = 'GET /ws HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
    await raw(gateway.address.port, `GET /1 HTTP/1.1\r\nHost: a\r\n\r\n${upgrade}`);
    expect((await ask(gateway.address.port, '/2')).text).to.equal('/2');
  });

  it('ends WebSockets when it closes', async () => {
    const vm = await bench.vm((_, response) => response.end());
    const sockets = new WebSocketServer({ server: vm.server });
    const gateway = await bench.gatewayTo(vm);
    const client = new WebSocket(`ws://${HOST}:${gateway.address.port}/ws`);
    let state = '';
    client.on('open', () => (state = 'open')).on('close', () => (state = 'closed'));
    await until('it is open', () => state === 'open');
    await gateway.close();
    await until('it is closed', () => state === 'closed');
    sockets.close();
  });

  it('passes a refusal of an upgrade on, and takes nothing after it for part of a tunnel', async () => {
    const urls: (string | undefined)[] = [];
    const gateway = await bench.gatewayTo((request, response) => {
      urls.push(request.url);
      response.writeHead(403).end('no');
    });
    const head = 'Host: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
    const answer = await raw(
      gateway.address.port,
      `GET /ws HTTP/1.1\r\n${head}GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n`,
    );
    expect(answer).to.match(/^HTTP\/1\.1 403/);
    expect(urls).to.deep.equal(['/ws']);
  });

  it('serves a request for another protocol as if it had not asked', async () => {
    const gateway = await bench.gatewayTo((request, response) => response.end(String(request.headers.upgrade)));
    const headers = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMA' };
    expect((await ask(gateway.address.port, '/', { headers })).text).to.equal('undefined');
  });

  it('stops a request at the VM when its client hangs up: before the answer, in it, and in the body', async () => {
    let started = 0;
    let stopped = 0;
    const gateway = await bench.gatewayTo((request, response) => {
      started++;
      request.on('error', () => {});
      response.on('close', () => stopped++);
      if (request.url === '/answering') response.write('some');
    });
    const heads = [
      'GET /silent HTTP/1.1\r\nHost: a\r\n\r\n',
      'GET /answering HTTP/1.1\r\nHost: a\r\n\r\n',
      'POST /capture HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n',
    ];
    for (const [i, head] of heads.entries()) {
      const client = connect(gateway.address.port, HOST);
      client.write(head);
      await until('the VM has it', () => started === i + 1);
      client.destroy();
      await until('the VM sees that it is over', () => stopped === i + 1);
    }
    // the slot is the client's until the VM has let go
    await until('nothing is under way', () => gateway.fleet()[0]?.inFlight === 0);
    expect(gateway.counters()).to.deep.include({ inFlight: 0 });
    expect(gateway.counters().lost['client-gone']).to.equal(3);
    expect(gateway.fleet()[0]).to.include({ state: 'ready' });
  });

  it('keeps nothing of an upload whose client hangs up in the middle', async () => {
    const gateway = await bench.gatewayTo((request) => request.on('error', () => {}).resume());
    let request: WeakRef<object> | undefined;
    const remember = (of: unknown) => {
      const one = (of as { request: IncomingMessage }).request;
      if (one.url === '/capture') request ??= new WeakRef(one);
    };
    subscribe('http.server.request.start', remember);
    const client = connect(gateway.address.port, HOST);
    client.write('POST /capture HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n');
    await until('it is at the VM', () => gateway.fleet()[0]?.inFlight === 1);
    unsubscribe('http.server.request.start', remember);
    client.destroy();
    await until('it has gone', () => gateway.counters().lost['client-gone'] === 1);
    const collect = garbageCollector();
    await until('nothing of it is left', () => {
      collect();
      return request?.deref() === undefined;
    });
  });

  it('gives a client up that stalls in its body: 408', async () => {
    const gateway = await bench.gatewayTo((request) => request.resume(), { timeouts: { uploadIdleMs: 200 } });
    for (const length of [10, 1_000_000]) {
      const head = `POST /capture HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n123`;
      expect(await raw(gateway.address.port, head, 2_000)).to.match(/^HTTP\/1.1 408 /);
    }
    await until('nothing is under way', () => gateway.counters().inFlight === 0);
  });
});

function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}

function hash(data: Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}

/** Resolves when a number has stopped growing. */
async function settles(value: () => number): Promise<void> {
  let last = -1;
  let same = 0;
  await until('it has stopped growing', async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    same = value() === last ? same + 1 : 0;
    last = value();
    return same >= 10;
  });
}
