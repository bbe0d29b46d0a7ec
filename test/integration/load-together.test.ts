// Several generators as one load, and what came out as a page.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { loadOf, runLoad, type LoadOptions } from '../../loadgen/cli.ts';
import { joinLoad, leadLoad } from '../../loadgen/together.ts';
import { mmeliot, temporaryFolder } from '../helpers/mmeliot.ts';

describe('a load by several generators', function () {
  this.timeout(60_000);
  const temporary = temporaryFolder();
  let server: Server;
  let options: LoadOptions;
  let requests = 0;

  before(async () => {
    // every tenth is refused
    server = createServer((request, response) => {
      request.resume();
      response
        .writeHead(++requests % 10 === 0 ? 503 : 200, { 'x-mmeliot-vm': 'vm-1' })
        .end('{"detail":"The queue is full."}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    options = {
      url: `http://127.0.0.1:${port}/`,
      profile: 'ascending',
      max: 20,
      duration: 2000,
      step: 200,
      mix: 'rest=1',
    };
  });
  beforeEach(() => (requests = 0));
  after(() => {
    server.close();
    temporary.remove();
  });

  it('sends what one would, and knows of every request what became of it', async () => {
    const alone = await runLoad(options);
    requests = 0;
    const seen: number[] = [];
    const leading = await leadLoad({ ...options, onProgress: ({ sent }) => seen.push(sent) }, 3, '127.0.0.1', 0);
    await Promise.all([1, 2, 3].map(() => joinLoad(leading.url, undefined)));
    const result = await leading.load;
    expect([result.sent, result.ok + result.lost]).to.deep.equal([alone.sent, alone.sent]);
    expect(requests).to.equal(alone.sent);
    expect(result.lost).to.equal(Math.floor(requests / 10));
    expect(result.lossByCause).to.deep.equal({ 'status 503': result.lost });
    expect(result.saidByCause).to.deep.equal({ 'status 503': 'The queue is full.' });
    expect(result.vms['vm-1']?.ok).to.equal(result.ok);
    expect(result.classes['rest']?.ok).to.equal(result.ok);
    expect(result.latency.p99).to.be.within(result.latency.p50, result.latency.max);
    expect(result.distribution).to.have.length(100);
    expect(seen.reduce((sum, sent) => sum + sent, 0)).to.equal(result.sent);
  });

  it('lets nobody in who does not know its address, nor more than are wanted', async () => {
    const leading = await leadLoad({ ...options, duration: 400 }, 1, '127.0.0.1', 0);
    const refusal = async (url: string) => joinLoad(url, undefined).catch((error: unknown) => (error as Error).message);
    expect(await refusal(leading.url.replace(/[^/]+$/, 'guess'))).to.match(
      /^No load waits for generators at .* \(status 404\)\.$/,
    );
    const [one, other] = await Promise.all([refusal(leading.url), refusal(leading.url)]);
    expect([one, other].filter((said) => said === undefined)).to.have.length(1);
    await leading.load;
  });

  it('ends when one of them is gone, or when it is stopped before all have come', async () => {
    const leading = await leadLoad(options, 2, '127.0.0.1', 0);
    leading.fail(new Error('A generator has ended.'));
    expect(await leading.load.catch((error: unknown) => (error as Error).message)).to.equal('A generator has ended.');
    const stopping = new AbortController();
    const other = await leadLoad({ ...options, signal: stopping.signal }, 2, '127.0.0.1', 0);
    stopping.abort();
    expect(await other.load.catch((error: unknown) => (error as Error).message)).to.match(/^Stopped before/);
    expect(
      await leadLoad({ ...options, url: 'nowhere' }, 2, '127.0.0.1', 0).catch(
        (error: unknown) => (error as Error).message,
      ),
    ).to.match(/is no URL/);
  });

  it('is one command, and one page of what came out', async () => {
    const page = join(temporary.path, 'load.html');
    const args = ['--url', options.url, '--max', '10', '--duration', '3s', '--workers', '2', '--html', page];
    const { status, output } = await mmeliot('load', ...args);
    expect(status, output).to.equal(0);
    const { profile } = await loadOf({ ...options, max: 10, duration: 3000 });
    const sent = [0, 1000, 2000].reduce((sum, at) => sum + Math.round(profile(at)), 0);
    expect(output).to.include(`${sent} sent`);
    const html = readFileSync(page, 'utf8');
    expect(html).to.include(`${sent} requests sent`).and.to.include('How long requests took').and.to.include('vm-1');
    expect(html).to.not.match(/(src|href)="http/);
    const refused = await mmeliot('load', '--url', options.url, '--html', join(temporary.path, 'nowhere/x.html'));
    expect(refused).to.deep.include({ status: 2 });
    expect(refused.output).to.include('there is no folder');
  });
});
