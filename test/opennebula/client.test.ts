import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { createServer as createSecureServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { inspect } from 'node:util';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { createClient, type ClientOptions } from '../../opennebula/client.ts';
import { OpenNebulaError, type ErrorKind } from '../../opennebula/error.ts';
import { encodeAnswer, type RpcValue } from '../../opennebula/documents/xml-rpc.ts';
import { MmeliotError } from '../../src/errors.ts';
import { listening } from '../helpers/listening.ts';
import { until } from '../helpers/until.ts';

const PASSWORD = 'hunter2-hunter2';

describe('OpenNebula client', () => {
  let server: Server | undefined;
  const clients: ReturnType<typeof createClient>[] = [];

  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
    server?.closeAllConnections();
    await new Promise((resolve) => (server?.listening ? server.close(resolve) : resolve(undefined)));
  });

  async function against(listener: RequestListener, options: Partial<ClientOptions> = {}) {
    server = createServer(listener);
    const url = `http://127.0.0.1:${await listening(server)}/RPC2`;
    const client = createClient({ url, user: 'scaler', password: PASSWORD, ...options });
    clients.push(client);
    return client;
  }

  const answering = (value: RpcValue) => (_: IncomingMessage, response: ServerResponse) =>
    response.end(encodeAnswer({ value }));

  async function failure(call: Promise<unknown>, kind: ErrorKind): Promise<OpenNebulaError> {
    const error = await call.then(
      (value) => expect.fail(`answered ${inspect(value)}`),
      (reason: unknown) => reason,
    );
    expect(error).to.be.instanceOf(OpenNebulaError);
    expect((error as OpenNebulaError).kind).to.equal(kind);
    expect(inspect(error, { depth: 9, showHidden: true }), 'no secret in an error').not.to.include(PASSWORD);
    return error as OpenNebulaError;
  }

  it('sends the session first, with Content-Length and Connection: close, never chunked', async () => {
    let headers: IncomingMessage['headers'] = {};
    let body = '';
    const client = await against((request, response) => {
      headers = request.headers;
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => response.end(encodeAnswer({ value: [true, '7.4.0', 0] })));
    });
    expect(await client.call('one.vm.action', 'terminate', 7)).to.equal('7.4.0');
    expect(headers['content-length']).to.equal(String(Buffer.byteLength(body)));
    expect(headers['transfer-encoding']).to.equal(undefined);
    expect(headers.connection).to.equal('close');
    expect(body).to.match(/<string>scaler:hunter2-hunter2<\/string>[^]*<string>terminate<\/string>[^]*<int>7<\/int>/);
  });

  it('tells errors by code and the server’s sentence', async () => {
    const sentence = '[one.vm.info] Error getting virtual machine [99].';
    const client = await against(answering([false, sentence, 1024, 99, -1n]));
    const error = await failure(client.call('one.vm.info', 99, false), 'no-such-object');
    expect(error).to.include({ serverCode: 1024, sentence, code: 'PROVIDER_REFUSED' });
    expect(error.message).to.equal('OpenNebula, one.vm.info: Error getting virtual machine [99].');
  });

  const CODES: readonly (readonly [number, string, ErrorKind, string])[] = [
    [256, "[m] User couldn't be authenticated, aborting call.", 'authentication', 'PROVIDER_REFUSED'],
    [512, '[m] User [2] : Not authorized to perform ADMIN VM [184].', 'authorization', 'PROVIDER_REFUSED'],
    [512, '[m] User [2] : user [2] limit of 2 reached for VMS quota in VM.', 'quota', 'NO_CAPACITY'],
    [2048, '[m] Could not terminate VM 24, wrong state BOOT.', 'action', 'PROVIDER_FAILED'],
    [4096, '[m] x', 'bad-use', 'PROVIDER_FAILED'],
    [8192, '[m] x', 'internal', 'PROVIDER_FAILED'],
    [16384, '[m] Cannot get IP/MAC lease from virtual network 1.', 'allocation', 'NO_CAPACITY'],
    [16384, '[m] CPU attribute must be a positive float or integer value.', 'template', 'PROVIDER_REFUSED'],
    [16384, '[m] Cannot find VM Group to associate the VM', 'template', 'PROVIDER_REFUSED'],
    [32768, '[m] x', 'locked', 'PROVIDER_FAILED'],
    [65536, '[m] x', 'replication', 'PROVIDER_FAILED'],
    [99, '[m] x', 'internal', 'PROVIDER_FAILED'],
  ];
  for (const [code, sentence, kind, ours] of CODES)
    it(`takes ${code} "${sentence.slice(4, 40)}" for ${kind}`, async () => {
      const client = await against(answering([false, sentence, code, -1, -1n]));
      const error = await failure(client.call('m'), kind);
      expect(error.code).to.equal(ours);
    });

  it('tells faults', async () => {
    const fault = { code: -506, message: "Method 'one.nothing' not defined" };
    const client = await against((_, response) => response.end(encodeAnswer({ fault })));
    expect((await failure(client.call('one.nothing'), 'fault')).serverCode).to.equal(-506);
  });

  it('gives up on a silent server at the deadline', async () => {
    const client = await against(() => undefined, { deadlineMs: 100 });
    const error = await failure(client.call('one.system.version'), 'late');
    expect(error.message).to.include('did not answer in time');
  });

  it('gives up at the deadline on an answer that never ends', async () => {
    const client = await against((_, response) => void response.write('<methodResponse>'), { deadlineMs: 100 });
    await failure(client.call('one.system.version'), 'late');
  });

  it('never has more than 15 calls under way', async () => {
    const waiting: ServerResponse[] = [];
    let most = 0;
    const client = await against((_, response) => {
      waiting.push(response);
      most = Math.max(most, waiting.length);
    });
    const calls = Array.from({ length: 40 }, () => client.call('one.system.version'));
    for (let answered = 0; answered < 40; answered++) {
      const response = await until('a call arrives', () => waiting[0]);
      if (answered === 0) await until('all that may come have come', () => waiting.length === 15);
      waiting.shift();
      response.end(encodeAnswer({ value: [true, 'x', 0] }));
    }
    expect(await Promise.all(calls)).to.have.length(40);
    expect(most).to.equal(15);
  });

  it('repeats a question whose connection broke, once, and an instantiate never', async () => {
    let calls = 0;
    const client = await against((request) => {
      calls++;
      request.destroy();
    });
    await failure(client.call('one.vmpool.infoextended', -3, -1, -1, -1), 'no-answer');
    expect(calls).to.equal(2);
    for (const method of ['one.template.instantiate', 'one.vm.action', 'one.vm.update', 'one.vm.allocate']) {
      calls = 0;
      await failure(client.call(method), 'no-answer');
      expect(calls, method).to.equal(1);
    }
  });

  it('takes the answer of the repetition', async () => {
    let calls = 0;
    const client = await against((request, response) =>
      calls++ === 0 ? request.destroy() : answering([true, '7.4.0', 0])(request, response),
    );
    expect(await client.call('one.system.version')).to.equal('7.4.0');
  });

  it('tells a front end that is not there from one that broke off', async () => {
    const client = await against(answering([true, 'x', 0]));
    await new Promise((resolve) => server?.close(resolve));
    await failure(client.call('one.template.instantiate'), 'unreachable');
  });

  it('logs in again where the password was replaced while a call was under way, and not otherwise', async () => {
    let valid = 'token-1';
    let password = 'token-1';
    const sent: string[] = [];
    const listener = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const login = /scaler:[\w-]+/.exec((await buffer(request)).toString())?.[0] ?? '';
      sent.push(login);
      if (sent.length === 1) password = valid = 'token-2'; // in the middle of the call
      const refusal = [false, "[m] User couldn't be authenticated, aborting call.", 256, -1, -1n] as const;
      answering(login === `scaler:${valid}` ? [true, 7, 0] : [...refusal])(request, response);
    };
    const client = await against((request, response) => void listener(request, response), { password: () => password });
    expect(await client.call('one.template.instantiate')).to.equal(7);
    expect(sent).to.deep.equal(['scaler:token-1', 'scaler:token-2']);
    valid = 'token-3'; // and nobody has told us
    await failure(client.call('one.template.instantiate'), 'authentication');
    expect(sent).to.have.length(3);
  });

  it('speaks HTTPS, and sends nothing to a server whose certificate it does not trust', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mmeliot-tls-'));
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    execFileSync('openssl', ['req', '-x509', ...curve, '-keyout', key, '-out', cert, ...subject], { stdio: 'ignore' });
    let calls = 0;
    const options = { key: readFileSync(key), cert: readFileSync(cert) };
    server = createSecureServer(options, (request, response) => {
      calls++;
      answering([true, '7.4.0', 0])(request, response);
    });
    rmSync(folder, { recursive: true });
    const url = `https://127.0.0.1:${await listening(server)}/RPC2`;
    const client = createClient({ url, user: 'scaler', password: PASSWORD });
    clients.push(client);
    const error = await failure(client.call('one.template.instantiate'), 'unreachable');
    expect(error.message).to.include('certificate');
    expect(calls).to.equal(0);
    const trusted = getCACertificates('default');
    setDefaultCACertificates([...trusted, options.cert]);
    try {
      expect(await client.call('one.system.version')).to.equal('7.4.0');
    } finally {
      setDefaultCACertificates(trusted);
    }
  });

  it('refuses answers that are no answers', async () => {
    const bodies = ['', '<html>', '<html></html>', encodeAnswer({ value: 'x' }), encodeAnswer({ value: [true] })];
    const cut = encodeAnswer({ value: [true, 'x'.repeat(99), 0] }).slice(0, 150);
    for (const body of [...bodies, cut]) {
      const client = await against((_, response) => response.end(body));
      await failure(client.call('one.vm.info'), 'malformed');
      await new Promise((resolve) => server?.close(resolve));
    }
  });

  it('says so when what answers is no web server, or wants TLS', async () => {
    for (const greeting of ['SSH-2.0-OpenSSH_9\r\n', '\x15\x03\x01\x00\x02\x02\x46']) {
      const other = createTcpServer((socket) => {
        socket.on('error', () => undefined);
        socket.once('data', () => socket.end(greeting, 'latin1'));
      });
      const url = `http://127.0.0.1:${await listening(other)}/RPC2`;
      const client = createClient({ url, user: 'scaler', password: PASSWORD });
      clients.push(client);
      const { message } = await failure(client.call('one.template.instantiate'), 'malformed');
      expect(message).to.match(/check that opennebula\.url .* \(what answers there speaks no HTTP; is it HTTPS\?\)$/);
      await new Promise((resolve) => other.close(resolve));
    }
  });

  it('says so when there is a web server, but no front end', async () => {
    const client = await against((_, response) => response.writeHead(404).end('nope'));
    expect((await failure(client.call('one.vm.info'), 'malformed')).message).to.include('HTTP 404');
  });

  it('says where the front end has gone, and follows nobody there with the login', async () => {
    let asked = 0;
    const client = await against((_, response) => {
      asked += 1;
      response.writeHead(301, { location: '/elsewhere' }).end();
    });
    expect((await failure(client.call('one.template.instantiate'), 'malformed')).message).to.include(
      'moved to /elsewhere',
    );
    expect(asked).to.equal(1);
  });

  it('reads what a proxy before it has compressed, up to the size that is allowed', async () => {
    const packed = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync };
    for (const [encoding, pack] of Object.entries(packed)) {
      const reply = (value: string) => (_: IncomingMessage, response: ServerResponse) =>
        response
          .writeHead(200, { 'content-encoding': encoding })
          .end(pack(Buffer.from(encodeAnswer({ value: [true, value, 0] }))));
      const client = await against(reply('7.4.0'));
      expect(await client.call('one.system.version'), encoding).to.equal('7.4.0');
      await new Promise((resolve) => server?.close(resolve));
      const bounded = await against(reply('x'.repeat(50_000)), { maxAnswerBytes: 4_000 });
      expect((await failure(bounded.call('one.vm.info'), 'too-large')).message).to.include('larger than 4000 bytes');
      await new Promise((resolve) => server?.close(resolve));
    }
    const other = await against((_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('plain'));
    expect((await failure(other.call('one.vm.info'), 'malformed')).message).to.include('no gzip');
  });

  it('says so when a proxy before it has lost it, where the call may have been carried out', async () => {
    const client = await against((_, response) => response.writeHead(504).end('<html>'));
    const error = await failure(client.call('one.template.instantiate'), 'late');
    expect(error.message).to.include('HTTP 504: does the front end behind it answer?');
  });

  it('refuses an answer that is too large, and does not ask for it again', async () => {
    let asked = 0;
    const client = await against(
      (request, response) => answering([true, 'x'.repeat((asked = 1 + asked) * 5_000), 0])(request, response),
      {
        maxAnswerBytes: 4_000,
      },
    );
    const { message } = await failure(client.call('one.vmpool.infoextended'), 'too-large');
    expect(message).to.include('let opennebula.user be one who has no others').and.include('larger than 4000 bytes');
    expect(asked).to.equal(1);
  });

  it('refuses a URL that is none, or that holds a login', () => {
    for (const url of ['one.example.org', 'ftp://one/RPC2', `http://scaler:${PASSWORD}@one:2633/RPC2`]) {
      const make = () => createClient({ url, user: 'u', password: PASSWORD });
      expect(make).to.throw(MmeliotError, /opennebula\.url/);
      expect(make).not.to.throw(PASSWORD);
    }
  });
});
