// Several generators as one load, and what came out as a page.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { expect } from 'chai';
import { loadOf, runLoad, type LoadOptions } from '../../loadgen/cli.ts';
import { joinLoad, leadLoad } from '../../loadgen/together.ts';
import { listening } from '../helpers/listening.ts';
import { mmeliot, startProgram, temporaryFolder } from '../helpers/mmeliot.ts';
import { until } from '../helpers/until.ts';

const two = { of: 2, host: '127.0.0.1', port: 0 };
const three = { ...two, of: 3 };

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
    });
    const port = await listening(server);
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
    const leading = await leadLoad({ ...options, onProgress: ({ sent }) => seen.push(sent) }, three);
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
    const leading = await leadLoad({ ...options, duration: 400 }, { ...three, of: 1 });
    const refusal = async (url: string) => joinLoad(url, undefined).catch((error: unknown) => (error as Error).message);
    expect(await refusal(leading.url.replace(/[^/]+$/, 'guess'))).to.match(
      /^No load waits for generators at .* \(status 404: it has begun, or has ended\)\.$/,
    );
    const [one, other] = await Promise.all([refusal(leading.url), refusal(leading.url)]);
    expect([one, other].filter((said) => said === true)).to.have.length(1);
    await leading.load;
  });

  it('keeps no place for a generator that goes before all have come', async () => {
    const there: number[] = [];
    const leading = await leadLoad({ ...options, duration: 400 }, { ...two, onWaiting: (n) => there.push(n) });
    const given = new AbortController();
    const gone = fetch(`${leading.url}/join`, { method: 'POST', body: '{}', signal: given.signal }).catch(() => 'gone');
    await until('it waits', () => there.length === 1);
    given.abort();
    expect(await gone).to.equal('gone');
    await until('its place is free', () => there.length === 2);
    expect(await Promise.all([joinLoad(leading.url, undefined), joinLoad(leading.url, undefined)])).to.deep.equal([
      true,
      true,
    ]);
    await leading.load;
    expect(there).to.deep.equal([1, 0, 1, 2]);
  });

  it('plays a trace whose file the others do not have', async () => {
    const file = join(temporary.path, 'a trace.csv');
    writeFileSync(file, 'period,count\n2026-01-01 00:00:00,4\n2026-01-01 00:00:01,8\n');
    const leading = await leadLoad({ ...options, profile: `trace:${file}`, max: 8, step: 1000, duration: 2000 }, two);
    rmSync(file);
    await Promise.all([1, 2].map(() => joinLoad(leading.url, undefined)));
    expect((await leading.load).sent).to.be.within(8, 16);
  });

  it('tells which generator was killed, and the other that what it sent counts nowhere', async () => {
    // as one that stops in the middle: it joins, and is never heard of again
    const leading = await leadLoad({ ...options, duration: 30_000 }, { ...two, silenceMs: 1_500 });
    const killed = fetch(`${leading.url}/join`, { method: 'POST', body: '{}' });
    const other = joinLoad(leading.url, undefined);
    const failure = leading.load.catch((error: unknown) => (error as Error).message);
    await killed;
    expect(await failure).to.match(/^Generator [12] of 2 is gone: what it sent is not known\. Run the load again\.$/);
    expect(await other).to.equal(false);
  });

  it('is joined from a folder with a space in its name, and ends with each that is there', async () => {
    const folder = join(temporary.path, 'another machine');
    mkdirSync(folder);
    const arguments_ = ['--url', options.url, '--max', '4', '--duration', '2s', '--workers', '2', '--mix', 'rest=1'];
    const started = (args: string[]) => startProgram(args, { cwd: folder });
    const lead = started(['load', ...arguments_, '--listen', '127.0.0.1:0']);
    const [, url = ''] = await lead.says(/--join (\S+)/);
    const others = [started(['load', '--join', url]), started(['load', '--join', url])];
    const { status, output } = await lead.ended();
    expect(status, output).to.equal(0);
    expect(output)
      .to.include('2 of 2 generators are there.')
      .and.match(/\d+ sent, \d+ answered/);
    for (const other of others) expect((await other.ended()).status, other.output()).to.equal(0);
    const late = await started(['load', '--join', url]).ended();
    expect(late.status).to.equal(2);
    expect(late.output).to.match(/^mmeliot: No load waits for generators at http/);
  });

  it('has exit status 1 where one of its generators was killed: it was tried', async () => {
    const arguments_ = ['--url', options.url, '--max', '4', '--duration', '30s', '--workers', '2', '--mix', 'rest=1'];
    const lead = startProgram(['load', ...arguments_]);
    const { pid } = lead.child;
    const children = () =>
      readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
    await until('its generators send', () => requests > 0);
    process.kill(children()[0] ?? 0, 'SIGKILL');
    const { status, output } = await lead.ended();
    expect(output).to.match(/mmeliot: A generator of this load has ended; what it sent is not known\.\n/);
    expect(status).to.equal(1);
  });

  it('ends when one of them is gone, or when it is stopped before all have come', async () => {
    const leading = await leadLoad(options, two);
    leading.fail(new Error('A generator has ended.'));
    expect(await leading.load.catch((error: unknown) => (error as Error).message)).to.equal('A generator has ended.');
    const stopping = new AbortController();
    const other = await leadLoad({ ...options, signal: stopping.signal }, two);
    stopping.abort();
    expect(await other.load.catch((error: unknown) => (error as Error).message)).to.match(/^Stopped before/);
    expect(
      await leadLoad({ ...options, url: 'nowhere' }, two).catch((error: unknown) => (error as Error).message),
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
