// Odd requests, and odd answers of VMs: both planes make the same of them, or it is said here what HAProxy makes of them and why.
import { expect } from 'chai';
import type { Gateway } from '../../src/balance/core/contract.ts';
import { Bench, raw } from '../helpers/gateway.ts';
import { startRawVm, type RawAnswer, type RawRequest } from '../helpers/raw-vm.ts';

const PLANES = ['builtin', 'haproxy'] as const;

/** The statuses that the client gets, or how they differ by plane. */
type Expected = string | { readonly builtin: string; readonly haproxy: string; readonly why: string };

const get = (target: string, fields = 'Host: a'): string => `GET ${target} HTTP/1.1\r\n${fields}\r\n\r\n`;
const line = (text: string): string => `${text}\r\nHost: a\r\n\r\n`;
const post = (fields: string, body: string): string => `POST /a HTTP/1.1\r\nHost: a\r\n${fields}\r\n\r\n${body}`;
const NODE_STRICTER =
  'Node takes HTTP by the letter, HAProxy what can be meant in one way only; a VM gets it in good order';
const HAPROXY_KEEPS = 'HAProxy keeps the connection: it has read the whole request';
const MENDED = 'HAProxy drops what is said twice in the same way';

const REQUESTS: Readonly<Record<string, readonly [string, Expected]>> = {
  'a target in absolute form': [get('http://a/x'), '200'],
  'one in capitals': [get('HTTP://A/x'), '200'],
  'one of https': [get('https://a/x'), '200'],
  'one without a path': [get('http://a'), '200'],
  'one for another host': [get('http://b/x'), '400'],
  'one of another scheme': [get('ftp://a/x'), '400'],
  'one with a login': [get('http://u@a/x'), '400'],
  'one of no host': [get('http:///x'), '400'],
  'one without Host': [get('http://a/x', 'X: y'), '400'],
  'an asterisk': [line('OPTIONS * HTTP/1.1'), '400'],
  'an asterisk by GET': [get('*'), '400'],
  'a path without its slash': [get('a/b'), '400'],
  'a fragment': [get('/a#b'), '400'],
  'a fragment in absolute form': [get('http://a/b#c'), '400'],
  'a backslash and a brace': [get('/a\\{b}'), '200'],
  'a letter beyond ASCII': [get('/\xe4'), '400'],
  'a space': [get('/a b'), '400'],
  'a tab': [line('GET\t/a HTTP/1.1'), { builtin: '400', haproxy: '200', why: NODE_STRICTER }],
  'an unknown method': [
    line('FOO /a HTTP/1.1'),
    { builtin: '400', haproxy: '200', why: 'it is the VM that does not know it' },
  ],
  TRACE: [line('TRACE /a HTTP/1.1'), '200'],
  'HTTP/1.0 without Host': ['GET /a HTTP/1.0\r\n\r\n', '200'],
  'HTTP/0.9 by its name': [line('GET /a HTTP/0.9'), { builtin: '505', haproxy: '200', why: NODE_STRICTER }],
  'HTTP/2.0 by its name': [line('GET /a HTTP/2.0'), { builtin: '505', haproxy: '200', why: NODE_STRICTER }],
  'a handshake of TLS': ['\x16\x03\x01\x00\x05\x01\x00\x00\x01\x03\r\n\r\n', '400'],
  'no Host': [get('/a', 'X: y'), '400'],
  'Host twice, differently': [get('/a', 'Host: a\r\nHost: b'), '400'],
  'Host twice, the same': [get('/a', 'Host: a\r\nHost: a'), { builtin: '400', haproxy: '200', why: MENDED }],
  'a Host that is none': [get('/a', 'Host: a/b'), '400'],
  'a folded field': [get('/a', 'Host: a\r\nX: y\r\n z'), { builtin: '400', haproxy: '200', why: NODE_STRICTER }],
  'a name with a space': [get('/a', 'Host: a\r\nX Y: z'), '400'],
  'a field without a colon': [get('/a', 'Host: a\r\nX'), '400'],
  'a bare carriage return': [get('/a', 'Host: a\r\nX: y\rz'), '400'],
  'a length and chunks': [
    post('Content-Length: 3\r\nTransfer-Encoding: chunked', '3\r\nabc\r\n0\r\n\r\n'),
    { builtin: '400', haproxy: '200', why: 'HAProxy goes by the chunks, drops the length and closes (RFC 9112 §6.3)' },
  ],
  'a length twice, the same': [
    post('Content-Length: 3\r\nContent-Length: 3', 'abc'),
    { builtin: '400', haproxy: '200', why: MENDED },
  ],
  'a length twice': [post('Content-Length: 3\r\nContent-Length: 4', 'abcd'), '400'],
  'an odd transfer encoding': [
    post('Transfer-Encoding: x', 'abc'),
    { builtin: '501', haproxy: '400', why: NODE_STRICTER },
  ],
  'another coding before chunks': [
    post('Transfer-Encoding: gzip, chunked', '3\r\nabc\r\n0\r\n\r\n'),
    { builtin: '501', haproxy: '422', why: 'HAProxy has a status of its own for it' },
  ],
  'a chunk size that is none': [post('Transfer-Encoding: chunked', 'x\r\nabc\r\n0\r\n\r\n'), '400'],
  'a trailer': [post('Transfer-Encoding: chunked', '3\r\nabc\r\n0\r\nX-A: 1\r\n\r\n'), '200'],
  'bytes behind a body': [`${post('Content-Length: 3', 'abc')}XYZ\r\n\r\n`, '200 400'],
  'a bad request behind a good one': [get('/a') + get('/b', 'Host: a\r\nX Y: z'), '200 400'],
  'a request behind the last one': [get('/a', 'Host: a\r\nConnection: close') + get('/b'), '200'],
  'three at once': [get('/a') + get('/b') + get('/c'), '200 200 200'],
  'a request behind one that is refused': [
    get('*') + get('/b'),
    { builtin: '400', haproxy: '400 200', why: HAPROXY_KEEPS },
  ],
  'a request behind one for no host': [
    get('/a', 'Host: a/b') + get('/b'),
    { builtin: '400', haproxy: '400 200', why: HAPROXY_KEEPS },
  ],
};

/** Fields of this hop, and what names them: of none a VM hears. */
const HOP_BY_HOP: Readonly<Record<string, readonly [string, readonly string[]]>> = {
  'named in Connection': ['Connection: X-Mine\r\nX-Mine: 1', ['x-mine']],
  'named twice': [
    'Connection: X-Mine\r\nConnection: keep-alive, X-Other\r\nX-Mine: 1\r\nX-Other: 1',
    ['x-mine', 'x-other'],
  ],
  'credentials, named': ['Connection: Authorization\r\nAuthorization: Basic eA==', ['authorization']],
  h2c: ['Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMA', ['upgrade', 'http2-settings']],
  'another protocol': ['Connection: Upgrade\r\nUpgrade: foo/2', ['upgrade']],
  'of a proxy': [
    'Proxy-Connection: keep-alive\r\nProxy-Authorization: Basic eA==\r\nKeep-Alive: timeout=5\r\nTE: trailers',
    ['proxy-connection', 'proxy-authorization', 'keep-alive', 'te'],
  ],
  'of our own': [
    'X-Mmeliot-Client: 6.6.6.6\r\nX-Mmeliot-Front: x\r\nX-Mmeliot-Certificate: CN=x\r\nMmeliot-Client: me',
    ['x-mmeliot-client', 'x-mmeliot-front', 'x-mmeliot-certificate', 'mmeliot-client'],
  ],
};

const ok = (fields: string, body = ''): string => `HTTP/1.1 200 OK\r\n${fields}\r\n\r\n${body}`;
const OK: RawAnswer = { bytes: ok('Content-Length: 2', 'ok') };
const HINT = 'HTTP/1.1 103 Early Hints\r\nLink:';

const ANSWERS: Readonly<Record<string, readonly [RawAnswer, Expected]>> = {
  'to the end of the connection': [{ bytes: ok('Connection: close', 'abc'), then: 'close' }, '200'],
  'by HTTP/1.0': [{ bytes: 'HTTP/1.0 200 OK\r\n\r\nabc', then: 'close' }, '200'],
  'with a coding before its chunks': [
    { bytes: ok('Transfer-Encoding: gzip, chunked', '3\r\nabc\r\n0\r\n\r\n') },
    '502',
  ],
  'with an unknown coding': [{ bytes: ok('Transfer-Encoding: x', 'abc'), then: 'close' }, '502'],
  'with two codings': [
    { bytes: ok('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked', '3\r\nabc\r\n0\r\n\r\n') },
    '502',
  ],
  'behind a hint': [{ bytes: `${HINT} </a>; rel=preload\r\n\r\n${OK.bytes}` }, '103 200'],
  'behind a hint that Node does not take': [
    { bytes: `${HINT} </a>; rel=preload; title="a b"\r\n\r\n${OK.bytes}` },
    { builtin: '200', haproxy: '103 200', why: 'HAProxy passes what it does not read' },
  ],
  'with two lengths': [{ bytes: ok('Content-Length: 3\r\nContent-Length: 2', 'abc') }, '502'],
  'in another protocol': [{ bytes: 'HTTP/1.1 101 Switch\r\nUpgrade: foo\r\nConnection: Upgrade\r\n\r\n' }, '502'],
  'that is none': [{ bytes: 'SSH-2.0-x\r\n', then: 'close' }, '502'],
  'of half a head': [{ bytes: 'HTTP/1.1 200 OK\r\nContent-Le', then: 'close' }, '502'],
  'with more than its length': [{ bytes: `${ok('Content-Length: 3', 'abc')}${ok('Content-Length: 3', 'def')}` }, '200'],
};

const statuses = (answer: string): string =>
  [...answer.matchAll(/HTTP\/1\.[01] (\d{3})/g)].map(([, one]) => one).join(' ');

for (const plane of PLANES)
  describe(`gateway: odd requests (${plane})`, function () {
    this.timeout(60_000);
    const bench = new Bench();
    const seen: RawRequest[] = [];
    let gateway: Gateway;
    let answer = OK;

    before(async () => {
      const port = await startRawVm(bench, (request) => (seen.push(request), answer));
      gateway = await bench.gatewayTo({ port }, { dataPlane: plane });
    });
    after(() => bench.close());
    beforeEach(() => {
      seen.length = 0;
      answer = OK;
    });

    const expected = (of: Expected): string => (typeof of === 'string' ? of : of[plane]);

    it('makes of each what is written here', async () => {
      const got = await Promise.all(
        Object.entries(REQUESTS).map(async ([name, [bytes, of]]) => {
          // where more than one answer comes the last may come late
          const silenceMs = expected(of).includes(' ') ? 3_000 : 300;
          return [name, await raw(gateway.address.port, Buffer.from(bytes, 'latin1'), silenceMs)] as const;
        }),
      );
      const should = Object.entries(REQUESTS).map(([name, [, of]]) => [name, expected(of)] as const);
      expect(Object.fromEntries(got.map(([name, text]) => [name, statuses(text)]))).to.deep.equal(
        Object.fromEntries(should),
      );
      const targets = new Set(seen.map((request) => request.line.split(' ')[1]));
      expect([...targets].filter((target) => !target?.startsWith('/'))).to.deep.equal([]);
      expect(gateway.fleet()[0]?.state).to.equal('ready');
    });

    for (const [name, [fields, gone]] of Object.entries(HOP_BY_HOP))
      it(`passes no field of one hop on: ${name}`, async () => {
        expect(statuses(await raw(gateway.address.port, get('/a', `Host: a\r\nX-End: 1\r\n${fields}`)))).to.equal(
          '200',
        );
        const [request] = seen;
        expect(request?.fields.get('x-end')).to.equal('1');
        expect(gone.filter((field) => request?.fields.has(field))).to.deep.equal([]);
      });

    for (const [name, [bytes, of]] of Object.entries(ANSWERS))
      it(`makes of a VM's answer what is written here: ${name}`, async () => {
        const own = bytes;
        const port = await startRawVm(bench, () => own);
        await gateway.remove('vm');
        await gateway.add('vm', { host: '127.0.0.1', port });
        const text = await raw(gateway.address.port, get('/a'), expected(of).includes(' ') ? 3_000 : 300);
        expect(statuses(text)).to.equal(expected(of));
        if (of === '502') expect(text).to.match(/content-type: application\/problem\+json/i);
      });
  });
