import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect } from 'chai';
import { countHttpBytes } from '../../src/monitor/udp/http-bytes.ts';
import { listening } from '../helpers/listening.ts';

describe('bytes of HTTP connections', () => {
  it('are counted in both directions, of open and of closed connections', async () => {
    const bytes = countHttpBytes();
    const server = createServer((request, response) =>
      request.resume().on('end', () => response.end('x'.repeat(5000))),
    );
    const url = `http://127.0.0.1:${await listening(server)}/`;
    const before = bytes();
    await (await fetch(url, { method: 'POST', body: 'y'.repeat(3000) })).text();
    const after = bytes();
    expect(after.in - before.in).to.be.within(3000, 4000);
    expect(after.out - before.out).to.be.within(5000, 6000);
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
    expect(bytes()).to.deep.equal(after);
  });
});
