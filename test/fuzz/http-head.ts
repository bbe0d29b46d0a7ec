// The head of a request as the gateway reads it: what it passes on must be one request, and the same one, for every reader.
import { createServer, type IncomingMessage } from 'node:http';
import { Duplex } from 'node:stream';
import { readRequestHead, requestFields } from '../../src/balance/core/headers.ts';
import type { Target } from './fuzz.ts';

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const HOP = { clientAddress: '127.0.0.1', protocol: 'http', requestId: 'r-1', trusted: false } as const;
/** A VM's own that no client may say, and what belongs to one hop. */
const NEVER_PASSED =
  /^(x-mmeliot-client|x-mmeliot-certificate|mmeliot-client|transfer-encoding|te|upgrade|keep-alive|connection)$/i;

/** The requests that Node's parser finds in these bytes. */
export function requestsIn(bytes: Buffer): Promise<IncomingMessage[]> {
  const found: IncomingMessage[] = [];
  const server = createServer({ requireHostHeader: false, maxHeaderSize: 65_536 }, (request, response) => {
    found.push(request);
    request.resume();
    response.end();
  });
  const socket = new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() });
  server.on('clientError', () => socket.destroy());
  server.emit('connection', socket);
  socket.push(bytes);
  return new Promise((resolve) => {
    setImmediate(() => {
      socket.destroy();
      resolve(found);
    });
  });
}

export const httpHead: Target = {
  name: 'http-head',
  samples: [
    'GET /events?a=b HTTP/1.1\r\nHost: a\r\nAccept: */*\r\n\r\n',
    'POST /capture HTTP/1.1\r\nHost: a:80\r\nContent-Length: 3\r\nConnection: close, x-b\r\nX-B: c\r\n\r\nabc',
    'POST /capture HTTP/1.1\r\nHost: [::1]\r\nTransfer-Encoding: chunked\r\nTE: trailers\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
    'GET / HTTP/1.1\r\nhost: a\r\nMmeliot-Client: admin\r\nX-Forwarded-For: 1.2.3.4\r\nVia: 1.0 b\r\nUpgrade: websocket\r\n\r\n',
  ],
  words: [
    '\r\n',
    '\n',
    '\r',
    ': ',
    'Host: b\r\n',
    'Content-Length: 1\r\n',
    'Transfer-Encoding: ',
    'chunked',
    'HTTP/1.0',
    '\t',
    '\x0b',
    'Connection: ',
  ],
  async take(input) {
    for (const request of await requestsIn(input)) {
      const head = readRequestHead(request.rawHeaders, request.httpVersion);
      if (!('fields' in head)) {
        if (head.status < 400 || head.reason === '') throw new Error(`refused by ${head.status} ${head.reason}`);
        continue;
      }
      if (head.chunked && head.contentLength !== undefined) throw new Error('two framings');
      const passed = requestFields(head, HOP);
      const names = passed.filter((_, i) => i % 2 === 0);
      for (const [i, text] of passed.entries()) {
        const isName = i % 2 === 0;
        if (isName ? !TOKEN.test(text) : /[\r\n\0]/.test(text)) throw new Error(`passes on ${JSON.stringify(text)}`);
        if (isName && NEVER_PASSED.test(text)) throw new Error(`passes on the field ${text}`);
      }
      if (names.filter((name) => /^host$/i.test(name)).length > 1) throw new Error('passes on two hosts');
      const lines = passed.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${passed[i + 1]}`] : []));
      const again = Buffer.from(`GET / HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`, 'latin1');
      if ((await requestsIn(again)).length !== 1)
        throw new Error(`what it passes on is not one request: ${lines.join(' | ')}`);
    }
  },
};
