// The load generator against real servers on loopback: what it counts must be what they saw.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http, { type RequestListener, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runLoad, type LoadOptions } from '../../loadgen/cli.ts';
import { startEpcisServer } from '../../epcis/server.ts';
import { listening } from '../helpers/listening.ts';
import { temporaryFolder } from '../helpers/mmeliot.ts';
import { PROGRAM } from '../../src/manager/program.ts';
import { isSeeded, runSeed } from '../../loadgen/seed.ts';

let server: Server | undefined;

async function spawnMmeliot(
  args: readonly string[],
): Promise<{ status: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [PROGRAM, ...args]);
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => (printed[name] += text));
  const [status] = (await once(child, 'close')) as [number | null];
  return { status, ...printed };
}

async function serve(listener: RequestListener): Promise<string> {
  server = http.createServer(listener);
  return `http://127.0.0.1:${await listening(server)}`;
}

const load = (url: string, options: Partial<LoadOptions>): ReturnType<typeof runLoad> =>
  runLoad({ url, profile: 'constant', mix: 'get', duration: 1000, ...options });

describe('load generator', () => {
  afterEach(async () => {
    server?.closeAllConnections();
    await new Promise((resolve) => server?.close(resolve));
  });

  it('is a command that fails by what it may not come to, and prints it as JSON', async () => {
    const url = await serve((_request, response) => void response.end());
    const load = (...limits: string[]) =>
      spawnMmeliot([
        ...['load', '--url', url, '--profile', 'constant', '--max', '5', '--mix', 'get'],
        ...['--duration', '300ms', '--step', '100ms', '--json', '--fail-if', ...limits],
      ]);
    const good = await load('lost>0', 'p95>20s');
    expect(good.status).to.equal(0);
    expect(JSON.parse(good.stdout)).to.deep.include({ lost: 0, failures: [] });
    const bad = await load('lost>0', 'ok<1000');
    expect(bad.status).to.equal(1);
    expect(bad.stderr).to.match(/^mmeliot: Failed by ok<1000: it is \d+\.$/m);
    expect((JSON.parse(bad.stdout) as { failures: string[] }).failures).to.have.length(1);
    const wrong = await load('p95');
    expect(wrong).to.include({ status: 2, stdout: '' });
    expect(wrong.stderr).to.match(/^mmeliot: --fail-if "p95": /);
  });

  it('says what the fleet cost meanwhile, where the manager of that gateway says what its VMs cost', async () => {
    let cost = 1.25;
    let state: (gateway: string) => unknown = () => ({});
    const url = await serve(({ url: path = '', headers }, response) =>
      response.end(path === '/api/state' ? JSON.stringify(state(`http://${headers.host}/`)) : ''),
    );
    const load = () =>
      spawnMmeliot([
        ...['load', '--url', url, '--admin', url, '--profile', 'constant', '--max', '5', '--mix', 'get'],
        ...['--duration', '200ms', '--step', '100ms'],
      ]);
    state = (gateway) => ({ gateway, money: { isPriced: true, cost: (cost += 0.0125), rate: 0.31 } });
    expect((await load()).stdout).to.contain('\ncost       0.0125, and 0.31 an hour now\n');
    state = () => ({ gateway: 'http://127.0.0.2:8080/', money: { isPriced: true, cost: 1, rate: 1 } });
    expect((await load()).stdout).not.to.contain('cost');
  });

  it('bursts: goes on with the next step while the requests of the last one are open', async () => {
    let open = 0;
    let mostOpen = 0;
    const url = await serve((_request, response) => {
      mostOpen = Math.max(mostOpen, ++open);
      setTimeout(() => {
        open--;
        response.end();
      }, 400);
    });
    const result = await load(url, { max: 5, step: 100 });
    expect(result).to.include({ sent: 50, ok: 50, lost: 0, notSent: 0 });
    expect(mostOpen).to.be.greaterThan(10);
  });

  it('batch: the next ones only after the last ones have ended, and a step after them at the earliest', async () => {
    const arrived: number[] = [];
    let [open, mostOpen] = [0, 0];
    const url = await serve((_request, response) => {
      mostOpen = Math.max(mostOpen, ++open);
      arrived.push(performance.now());
      setTimeout(() => {
        open--;
        // a loss is an end, too
        response.writeHead(arrived.length === 5 ? 500 : 200).end();
      }, 250);
    });
    const result = await load(url, { drive: 'batch', max: 5, step: 100 });
    expect(mostOpen).to.equal(5);
    expect(result.sent).to.equal(arrived.length).and.to.be.within(15, 20);
    expect(result.ok + result.lost).to.equal(result.sent);
    const starts = arrived.filter((_, i) => i % 5 === 0);
    for (const [i, at] of starts.entries()) expect(at - (starts[i - 1] ?? -Infinity)).to.be.greaterThan(240);
  });

  it('closed loop: never more requests open than there are clients', async () => {
    let [open, mostOpen, seen] = [0, 0, 0];
    const url = await serve((_request, response) => {
      seen++;
      mostOpen = Math.max(mostOpen, ++open);
      setTimeout(() => {
        open--;
        response.end();
      }, 20);
    });
    const result = await load(url, { drive: 'closed', max: 8, thinkTime: 20 });
    expect(mostOpen).to.be.within(2, 8);
    expect(result.ok).to.equal(seen).and.to.be.greaterThan(20);
  });

  it('open loop: latency counts from the intended start, also while the server stands still', async () => {
    // One request at a time, 40 ms each, at 50 a second: a queue that grows by a second each second.
    let free = Promise.resolve();
    const url = await serve((_request, response) => {
      free = free.then(() => new Promise((resolve) => setTimeout(resolve, 40)));
      void free.then(() => response.end());
    });
    const result = await load(url, { drive: 'open', arrivals: 'even', max: 50 });
    expect(result.ok).to.equal(50);
    expect(result.latency.max).to.be.greaterThan(900);
  });

  it('sends the whole workload, each class as its server expects it', async () => {
    const seen: string[] = [];
    const url = await serve((request, response) => {
      seen.push(`${request.method} ${request.url?.split('?')[0]} ${request.headers['content-type'] ?? '-'}`);
      request.resume().on('end', () => response.end());
    });
    const result = await load(`${url}/prefix/`, {
      mix: 'poll,rest,capture-xml,capture-json,event',
      max: 60,
      step: 250,
      headers: { 'x-extra': '1' },
    });
    expect(result.ok).to.equal(240);
    expect(new Set(seen)).to.eql(
      new Set([
        'POST /prefix/epcis-repository/query text/xml; charset=utf-8',
        'GET /prefix/events -',
        'POST /prefix/epcis-repository/capture text/xml; charset=utf-8',
        'POST /prefix/capture application/json',
        'POST /prefix/events application/json',
      ]),
    );
    const byClass = Object.values(result.classes).reduce((sum, { ok }) => sum + ok, 0);
    expect([Object.keys(result.classes).length, byClass]).to.eql([5, 240]);
  });

  it('counts losses by cause, and answers by VM', async () => {
    let count = 0;
    const url = await serve((request, response) => {
      const turn = count++ % 4;
      response.setHeader('X-Mmeliot-Vm', turn === 0 ? 'vm-a' : 'vm-b');
      if (turn === 0) response.end('fine');
      else if (turn === 1) response.writeHead(503).end(JSON.stringify({ status: 503, detail: 'The queue is full.' }));
      else if (turn === 2) request.socket.destroy();
      // the fourth never gets an answer
    });
    const result = await load(url, { max: 4, step: 100, timeout: 500 });
    expect(result).to.include({ sent: 40, ok: 10, lost: 30 });
    expect(result.lossByCause).to.eql({ 'connection reset': 10, 'status 503': 10, timeout: 10 });
    expect(result.saidByCause).to.eql({ 'status 503': 'The queue is full.' });
    expect(result.vms['vm-a']).to.include({ ok: 10, lost: 0 });
    expect(result.vms['vm-b']).to.include({ ok: 0, lost: 10 });
  });

  it('says what is lost when nothing listens', async () => {
    const url = await serve(() => {});
    await new Promise((resolve) => server?.close(resolve));
    const result = await load(url, { max: 3, step: 200 });
    expect(result.lossByCause).to.eql({ 'connection refused': 15 });
  });

  it('says that it was the bottleneck when it could not send', async () => {
    const url = await serve((_request, response) => void setTimeout(() => response.end(), 300));
    const result = await load(url, { max: 10, step: 500, maxOpen: 4 });
    expect(result).to.include({ sent: 8, notSent: 12 });
    expect(result.bottleneck).to.equal('12 requests were not sent because 4 were open already.');
  });

  for (const drive of ['bursts', 'closed', 'open'] as const) {
    it(`${drive}: stops at once when told to, with open requests neither answered nor lost`, async () => {
      const abort = new AbortController();
      const url = await serve(() => abort.abort());
      const result = await load(url, { drive, max: 10, thinkTime: 0, duration: 60_000, signal: abort.signal });
      expect(result).to.include({ ok: 0, lost: 0 });
      expect(result.stopped).to.equal(result.sent).and.to.be.greaterThan(0);
      expect(result.elapsed).to.be.lessThan(30_000);
    });
  }

  it('replays a trace file at its own speed and height', async () => {
    const arrival = (second: number): string => `2026-01-02 03:04:0${second}.5000000,1\n`;
    const file = join(mkdtempSync(join(tmpdir(), 'mmeliot-trace-')), 'arrivals.csv');
    writeFileSync(file, `TIMESTAMP,Tokens\n${arrival(0).repeat(5)}${arrival(2).repeat(3)}`);
    const url = await serve((_request, response) => void response.end());
    try {
      const options = { url, profile: `trace:${file}`, drive: 'open', arrivals: 'even', mix: 'get' } as const;
      const result = await runLoad(options);
      expect(result).to.include({ max: 5, duration: 3000, ok: 8, lost: 0 });
    } finally {
      rmSync(dirname(file), { recursive: true });
    }
  });

  it('reports progress every second', async () => {
    const url = await serve((_request, response) => void response.setHeader('X-Mmeliot-Vm', 'vm-1').end());
    const seen: number[] = [];
    const result = await load(url, {
      max: 4,
      step: 100,
      duration: 2500,
      onProgress: (progress) => void seen.push(progress.ok, progress.vms['vm-1'] ?? 0),
    });
    expect(seen.length).to.be.greaterThan(1);
    expect(seen[0]).to.equal(seen[1]).and.to.be.greaterThan(0);
    expect(result.ok).to.equal(100);
  });
});

describe('seed', () => {
  afterEach(async () => {
    server?.closeAllConnections();
    await new Promise((resolve) => server?.close(resolve));
  });

  /** A server that keeps what it takes; `refuse` says with which status it answers a document instead. */
  async function repository(refuse: (turn: number) => number | undefined): Promise<{ url: string; taken: string[] }> {
    const taken: string[] = [];
    let turn = 0;
    const url = await serve((request, response) => {
      const status = refuse(turn++);
      let body = '';
      request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      request.on('end', () => {
        if (status === undefined) taken.push(body);
        response.writeHead(status ?? 200).end();
      });
    });
    return { url, taken };
  }

  const eventsIn = (documents: readonly string[]): number => documents.join('').match(/<eventTime>/g)?.length ?? 0;

  it('captures as many events as asked for, the same ones for the same seed', async () => {
    const [first, seen] = [await repository(() => undefined), [] as number[]];
    const options = { events: 250, perDocument: 100, concurrency: 2 };
    const result = await runSeed({ url: first.url, ...options, onProgress: (captured) => void seen.push(captured) });
    expect(result).to.include({ events: 250, captured: 250, repeated: 0 });
    expect([eventsIn(first.taken), seen.at(-1)]).to.eql([250, 250]);
    const documents = [...first.taken].sort();
    first.taken.length = 0;
    await runSeed({ url: first.url, ...options });
    expect([...first.taken].sort()).to.eql(documents);
    first.taken.length = 0;
    await runSeed({ url: first.url, ...options, seed: 2 });
    expect([...first.taken].sort()).not.to.eql(documents);
  });

  it('repeats what a busy server did not take', async () => {
    const { url, taken } = await repository((turn) => (turn % 2 === 0 ? 503 : undefined));
    const result = await runSeed({ url, events: 30, perDocument: 10, concurrency: 1 });
    expect(result).to.include({ captured: 30, repeated: 3 });
    expect(eventsIn(taken)).to.equal(30);
  });

  it('says in one sentence that a server does not take events, or does not run', async () => {
    const { url } = await repository(() => 404);
    const refused: unknown = await runSeed({ url, events: 10 }).catch((error: unknown) => error);
    expect((refused as Error).message).to.equal(
      `${url} refuses the events (status 404): is it an EPCIS server that takes captures?`,
    );
    await new Promise((resolve) => server?.close(resolve));
    const silent: unknown = await runSeed({ url, events: 10 }).catch((error: unknown) => error);
    expect((silent as Error).message).to.equal(
      `${url} took no events in 5 attempts (connection refused): does it run?`,
    );
  });

  it('knows a repository that has them, and asks no more of one that answers no such question', async () => {
    const folder = temporaryFolder();
    const service = await startEpcisServer({
      ...{ repository: { url: `sqlite://${join(folder.path, 'epcis.db')}` }, port: 0 },
      log: { error: () => {}, warn: () => {}, info: () => {} },
    });
    const events = { url: service.address, events: 250 };
    expect(await isSeeded(events)).to.equal(false);
    await runSeed({ ...events, events: 200 });
    expect(await isSeeded(events), 'fewer').to.equal(false);
    await runSeed(events);
    expect(await isSeeded(events)).to.equal(true);
    await service.close();
    folder.remove();
    const { url } = await repository(() => 404);
    expect(await isSeeded({ url })).to.equal(false);
  });

  it('asks below the path that a repository stands at', async () => {
    let asked: string | undefined;
    const url = await serve((request, response) => {
      asked = request.url;
      response.end('{"eventTime": "2026-01-01T00:00:00Z"}');
    });
    expect(await isSeeded({ url: `${url}/epcis/` })).to.equal(true);
    expect(asked).to.match(/^\/epcis\/events\?/);
  });

  it('stops when told to', async () => {
    const abort = new AbortController();
    const { url } = await repository((turn) => (turn === 2 ? void abort.abort() : undefined));
    const result = await runSeed({ url, events: 100_000, perDocument: 10, concurrency: 1, signal: abort.signal });
    expect(result.captured).to.be.lessThan(100);
  });
});
