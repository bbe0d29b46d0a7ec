import type { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import type { Gateway } from '../../src/balance/core/contract.ts';
import { Bench, raw } from '../helpers/gateway.ts';

// Each attack hides GET /hidden behind another request. It is refused, or the hidden request is (rightly) the body of
// the other one, or the gateway itself saw two requests: the VM never sees one that the gateway didn't.
const HIDDEN = 'GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n'; // 33 (0x21) bytes
const post = (fields: string, body: string) => `POST /a HTTP/1.1\r\nHost: a\r\n${fields}\r\n\r\n${body}`;

const REFUSED: Record<string, string> = {
  'a length and chunks': post('Content-Length: 4\r\nTransfer-Encoding: chunked', `0\r\n\r\n${HIDDEN}`),
  'chunks and a length': post('Transfer-Encoding: chunked\r\nContent-Length: 4', `0\r\n\r\n${HIDDEN}`),
  'two lengths that differ': post('Content-Length: 0\r\nContent-Length: 33', HIDDEN),
  'two lengths that are equal': post('Content-Length: 3\r\nContent-Length: 3', `abc${HIDDEN}`),
  'a list of lengths': post('Content-Length: 3, 3', `abc${HIDDEN}`),
  'a length with a sign': post('Content-Length: +3', `abc${HIDDEN}`),
  'a negative length': post('Content-Length: -1', HIDDEN),
  'a hexadecimal length': post('Content-Length: 0x3', `abc${HIDDEN}`),
  'a length with a point': post('Content-Length: 3.0', `abc${HIDDEN}`),
  'an enormous length': post('Content-Length: 99999999999999999999', HIDDEN),
  'an empty length': post('Content-Length: ', HIDDEN),
  'an unknown transfer encoding': post('Transfer-Encoding: xchunked', `0\r\n\r\n${HIDDEN}`),
  'identity as transfer encoding': post('Transfer-Encoding: identity', HIDDEN),
  'chunked not last': post('Transfer-Encoding: chunked, identity', `0\r\n\r\n${HIDDEN}`),
  'chunked twice': post('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked', `0\r\n\r\n${HIDDEN}`),
  'another coding before chunked': post('Transfer-Encoding: gzip, chunked', `0\r\n\r\n${HIDDEN}`),
  'chunked with a vertical tab': post('Transfer-Encoding: \x0bchunked', `0\r\n\r\n${HIDDEN}`),
  'a quoted chunked': post('Transfer-Encoding: "chunked"', `0\r\n\r\n${HIDDEN}`),
  'a space before the colon': post('Transfer-Encoding : chunked', `0\r\n\r\n${HIDDEN}`),
  'a space before a name': post(' Content-Length: 3', `abc${HIDDEN}`),
  'a folded field': post('Transfer-Encoding:\r\n chunked', `0\r\n\r\n${HIDDEN}`),
  'a folded field with a tab': post('X: a\r\n\tTransfer-Encoding: chunked', HIDDEN),
  'a null byte in a name': post('Content-\0Length: 3', `abc${HIDDEN}`),
  'a null byte in a value': post('X: a\0b\r\nContent-Length: 3', `abc${HIDDEN}`),
  'bare line feeds in the head': `POST /a HTTP/1.1\nHost: a\nContent-Length: 33\n\n${HIDDEN}`,
  'a bare line feed in the head': `GET /a HTTP/1.1\r\nHost: a\r\nX: a\nContent-Length: 33\r\n\r\n${HIDDEN}`,
  'a bare carriage return in the head': `GET /a HTTP/1.1\r\nHost: a\r\nX: a\rContent-Length: 33\r\n\r\n${HIDDEN}`,
  'a chunk size with a sign': post('Transfer-Encoding: chunked', `+3\r\nabc\r\n0\r\n\r\n${HIDDEN}`),
  'a chunk size with 0x': post('Transfer-Encoding: chunked', `0x3\r\nabc\r\n0\r\n\r\n${HIDDEN}`),
  'a chunk size with a space before': post('Transfer-Encoding: chunked', ` 3\r\nabc\r\n0\r\n\r\n${HIDDEN}`),
  'a chunk size that overflows': post('Transfer-Encoding: chunked', `fffffffffffffffff\r\nabc\r\n0\r\n\r\n${HIDDEN}`),
  'a chunk size ended by a line feed': post('Transfer-Encoding: chunked', `3\nabc\r\n0\r\n\r\n${HIDDEN}`),
  'a chunk extension with a line feed': post('Transfer-Encoding: chunked', `3;a\nb\r\nabc\r\n0\r\n\r\n${HIDDEN}`),
  'a chunk ended by a line feed': post('Transfer-Encoding: chunked', `3\r\nabc\n0\r\n\r\n${HIDDEN}`),
  'a chunk longer than its size': post('Transfer-Encoding: chunked', `3\r\nabcde\r\n0\r\n\r\n${HIDDEN}`),
  'an empty chunk size': post('Transfer-Encoding: chunked', `\r\n\r\n${HIDDEN}`),
  'a length in the trailer': post('Transfer-Encoding: chunked', `3\r\nabc\r\n0\r\nContent-Length: 33\r\n\r\n${HIDDEN}`),
  'chunks by HTTP/1.0': `POST /a HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${HIDDEN}`,
  'two hosts': `GET /a HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n${HIDDEN}`,
  'no host': `GET /a HTTP/1.1\r\n\r\n${HIDDEN}`,
  'a target with a space': `GET /a b HTTP/1.1\r\nHost: a\r\n\r\n${HIDDEN}`,
  'a version that is none': `GET /a HTTP/1.1.1\r\nHost: a\r\n\r\n${HIDDEN}`,
  'a tunnel': `CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n${HIDDEN}`,
  'a target that is no path': `GET a HTTP/1.1\r\nHost: a\r\n\r\n`,
};

// Bodies where none is expected, or nothing is announced: one request each, whatever its body looks like.
const HARMLESS: Record<string, string> = {
  'DELETE in chunks': `DELETE /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n21\r\n${HIDDEN}\r\n0\r\n\r\n`,
  'GET in chunks': `GET /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n21\r\n${HIDDEN}\r\n0\r\n\r\n`,
  'OPTIONS in chunks': `OPTIONS /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n21\r\n${HIDDEN}\r\n0\r\n\r\n`,
  'GET with a body': `GET /a HTTP/1.1\r\nHost: a\r\nContent-Length: 33\r\n\r\n${HIDDEN}`,
  'HEAD with a body': `HEAD /a HTTP/1.1\r\nHost: a\r\nContent-Length: 33\r\n\r\n${HIDDEN}`,
  'DELETE with a body': `DELETE /a HTTP/1.1\r\nHost: a\r\nContent-Length: 33\r\n\r\n${HIDDEN}`,
  'Connection: Content-Length': post('Content-Length: 33\r\nConnection: content-length', HIDDEN),
  'Connection: Transfer-Encoding': post(
    'Transfer-Encoding: chunked\r\nConnection: transfer-encoding',
    `21\r\n${HIDDEN}\r\n0\r\n\r\n`,
  ),
  'chunked in capitals': post('Transfer-Encoding: CHUNKED', `21\r\n${HIDDEN}\r\n0\r\n\r\n`),
  'a trailer': post('Transfer-Encoding: chunked', `21\r\n${HIDDEN}\r\n0\r\nX-Sum: 9\r\n\r\n`),
  'a chunk extension': post('Transfer-Encoding: chunked', `21;a=b\r\n${HIDDEN}\r\n0\r\n\r\n`),
};

describe('gateway: request smuggling', () => {
  const bench = new Bench();
  const seen: { url: string | undefined; body: string }[] = [];
  let gateway: Gateway;

  before(async () => {
    // as lenient a VM as Node offers
    const vm = await bench.vm((request: IncomingMessage, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString('latin1')));
      request.on('error', () => {});
      request.on('end', () => {
        seen.push({ url: request.url, body });
        response.end('ok');
      });
    });
    gateway = await bench.gatewayTo(vm);
  });
  beforeEach(() => seen.splice(0));
  after(() => bench.close());

  for (const [name, bytes] of Object.entries(REFUSED)) {
    it(`refuses ${name}`, async () => {
      const answer = await raw(gateway.address.port, bytes, 2_000);
      expect(answer).to.match(/^HTTP\/1\.1 (400|501|505) /);
      expect(answer.match(/HTTP\/1\.1 \d/g)).to.have.length(1);
      expect(seen.map((one) => one.url)).not.to.include('/hidden');
      expect(gateway.fleet()[0]).to.not.have.property('note');
    });
  }

  for (const [name, bytes] of Object.entries(HARMLESS)) {
    it(`takes ${name} for one request`, async () => {
      const next = 'GET /next HTTP/1.1\r\nHost: a\r\n\r\n';
      const answer = await raw(gateway.address.port, bytes + next, 200);
      expect(answer.match(/HTTP\/1\.1 200/g)).to.have.length(2);
      expect(seen).to.deep.equal([
        { url: '/a', body: HIDDEN },
        { url: '/next', body: '' },
      ]);
    });
  }
});
