// The admin server over real sockets: what it answers, whom it refuses, and how.
import { expect } from 'chai';
import http, { type IncomingHttpHeaders } from 'node:http';
import { startAdminServer, type AdminServer } from '../../src/admin/server.ts';
import { MmeliotError } from '../../src/errors.ts';
import { NO_AUDIT, NO_KEYS, NO_TLS } from '../helpers/gatekeeper.ts';
import { playRiseAndFall, ScriptedSource } from '../src/admin/scripted-source.ts';
import { until } from '../helpers/until.ts';

let admin: AdminServer;
let source: ScriptedSource;
let logged: string[];

async function start(options: { host?: string; port?: number; token?: string } = {}): Promise<AdminServer> {
  return startAdminServer(
    { host: '127.0.0.1', port: 0, token: '', viewerToken: '', tls: NO_TLS, ...options },
    {
      source,
      keys: NO_KEYS,
      audit: NO_AUDIT,
      metrics: { contentType: 'text/plain; version=0.0.4', text: async () => 'mmeliot_up 1\n' },
      log: { error: (_fields, message) => void logged.push(message) },
    },
  );
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly json: () => { error: { code: string; message: string } } & Record<string, unknown>;
}

/** Node's own client, as fetch does not let a test set Host, Origin or Sec-Fetch-Site. */
function ask(
  path: string,
  init: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { method = 'GET', headers = {}, body } = init;
    const request = http.request(new URL(path, admin.url), { method, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          json: () => JSON.parse(text) as never,
        }),
      );
    });
    request.on('error', reject).end(body);
  });
}

const patch = (body: string, headers: Record<string, string> = {}): Promise<Answer> =>
  ask('/api/parameters', { method: 'PATCH', body, headers: { 'content-type': 'application/json', ...headers } });

describe('admin server', () => {
  beforeEach(async () => {
    source = new ScriptedSource();
    playRiseAndFall(source);
    logged = [];
    admin = await start();
  });
  afterEach(() => admin.close());

  it('answers with state, decisions, configuration, metrics and health', async () => {
    expect((await ask('/api/state')).json()).to.include({ group: 'mmeliot', energy: 12.5 });
    const decisions = JSON.parse((await ask('/api/decisions?limit=3')).text) as { period: number }[];
    expect(decisions.map(({ period }) => period)).to.eql([90, 89, 88]);
    const told = (await ask('/api/periods?limit=90&holds=false')).text;
    const shown = JSON.parse(told) as { action: string; at: number }[];
    expect(shown.map(({ action }) => action)).to.eql(['allocate', 'release', 'allocate', 'release', 'allocate']);
    expect(told).to.not.include('vm-1');
    expect((await ask('/api/config')).json()).to.eql({ group: 'mmeliot' });
    expect((await ask('/api/parameters')).json()).to.include({ high: 70, low: 30 });
    expect((await ask('/metrics')).text).to.equal('mmeliot_up 1\n');
    expect((await ask('/metrics')).headers['content-type']).to.include('version=0.0.4');
    expect((await ask('/health')).json()).to.eql({ status: 'ok' });
  });

  it('changes parameters as a whole, and records who and when', async () => {
    const answer = await patch('{"high": 80, "low": 45}', { 'x-mmeliot-by': 'anna' });
    expect(answer.status).to.equal(200);
    expect(answer.json()['parameters']).to.include({ high: 80, low: 45, max: 4 });
    expect(answer.json()['warnings']).to.have.length(1);
    expect(source.changes[0]).to.deep.include({ who: 'anna', patch: { high: 80, low: 45 } });
    await patch('{"high": 75}');
    expect(source.changes[0]?.who).to.equal('admin API from 127.0.0.1');
  });

  for (const [what, body, status, message] of [
    ['a contradiction', '{"high": 20}', 422, 'low (30) has to be below high (20).'],
    ['broken JSON', '{"high": ', 400, 'The body is not valid JSON.'],
    ['a list', '[1]', 400, 'A change is a JSON object with at least one parameter'],
    ['nothing', '{}', 400, 'A change is a JSON object with at least one parameter'],
    ['too much', `{"high": "${'9'.repeat(70_000)}"}`, 413, 'The body is larger than 64 kB.'],
  ] as const) {
    it(`refuses ${what} in one sentence, and changes nothing`, async () => {
      const answer = await patch(body);
      expect(answer.status).to.equal(status);
      expect(answer.json().error.message).to.include(message);
      expect(source.changes).to.deep.equal([]);
    });
  }

  it('goes back to the configuration, and says what that changed', async () => {
    const reset = (headers: Record<string, string> = {}) => ask('/api/parameters', { method: 'DELETE', headers });
    await patch('{"high": 75, "max": 8}');
    const answer = await reset({ 'x-mmeliot-by': 'eva' });
    expect(answer.status).to.equal(200);
    expect(answer.json()).to.deep.include({ reset: ['high', 'max'], warnings: [] });
    expect(source.parameters).to.include({ high: 70, max: 4 });
    expect(source.changes[0]).to.deep.include({ who: 'eva', patch: { high: null, max: null } });
    expect((await reset()).json()).to.deep.include({ reset: [] });
    expect(source.changes).to.have.lengthOf(2);
    expect((await reset({ origin: 'http://evil.example' })).status).to.equal(403);
  });

  it('keeps a VM for a person and gives it back, and knows who asked', async () => {
    const [{ id } = { id: '' }] = source.fleet;
    const post = (path: string, headers: Record<string, string> = {}) => ask(path, { method: 'POST', headers });
    const kept = await post(`/api/vms/${id}/keep`, { 'x-mmeliot-by': 'ada' });
    expect(kept.status).to.equal(200);
    expect(kept.json()).to.have.nested.property('vm.state', 'kept');
    expect(kept.json()).to.have.nested.property('vm.note', 'Kept by ada.');
    expect((await post(`/api/vms/${id}/release`)).json()).to.have.nested.property('vm.state', 'releasing');
    for (const path of ['/api/vms/no%2Fsuch/keep', '/api/vms/7/release']) {
      const answer = await post(path);
      expect(answer.status, path).to.equal(404);
      expect(answer.json().error.message).to.match(/^There is no VM .* in this group\.$/);
    }
    expect((await post(`/api/vms/${id}/keep`, { origin: 'http://evil.example' })).status).to.equal(403);
    expect((await ask(`/api/vms/${id}/keep`)).status).to.equal(404);
  });

  it('takes writes from its own page and from programs, not from other sites', async () => {
    const own = new URL(admin.url).origin;
    expect((await patch('{"high": 75}', { origin: own, 'sec-fetch-site': 'same-origin' })).status).to.equal(200);
    const foreign: Record<string, string>[] = [
      { origin: 'http://evil.example' },
      { origin: 'null' },
      { origin: `${own}0` },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ];
    for (const headers of foreign) {
      const answer = await patch('{"high": 76}', headers);
      expect(answer.status, JSON.stringify(headers)).to.equal(403);
    }
    expect((await patch('{"high": 76}', { 'content-type': 'text/plain' })).status).to.equal(415);
    expect(source.parameters.high).to.equal(75);
  });

  it('refuses a name that somebody pointed at its address (DNS rebinding), unless a token protects it', async () => {
    expect((await ask('/api/state', { headers: { host: 'evil.example:8081' } })).status).to.equal(421);
    expect((await ask('/api/state', { headers: { host: 'localhost:8081' } })).status).to.equal(200);
    expect((await ask('/api/state', { headers: { host: '[::1]:8081' } })).status).to.equal(200);
    await admin.close();
    admin = await start({ token: 'open sesame' });
    const headers = { host: 'admin.example', authorization: 'Bearer open sesame' };
    expect((await ask('/api/state', { headers })).status).to.equal(200);
  });

  it('asks for the token where one is set; the page itself and /health hold no secret', async () => {
    await admin.close();
    admin = await start({ token: 'open sesame' });
    for (const path of ['/api/state', '/api/events', '/api/decisions', '/metrics', '/api/nothing']) {
      expect((await ask(path)).status, path).to.equal(401);
      expect((await ask(path, { headers: { authorization: 'Bearer open sesam' } })).status, path).to.equal(401);
    }
    expect((await patch('{"high": 75}')).status).to.equal(401);
    expect((await ask('/metrics', { headers: { authorization: 'Bearer open sesame' } })).status).to.equal(200);
    expect((await ask('/')).status).to.equal(200);
    expect((await ask('/health')).status).to.equal(200);
  });

  it('serves a page that can run nothing but its own scripts', async () => {
    const page = await ask('/');
    expect(page.text).to.include('<script type="importmap">{"imports":{"preact":');
    expect(page.headers['content-security-policy']).to.match(/script-src 'self' 'sha256-[^']+';/);
    expect(page.headers).to.include({ 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY' });
    expect(page.headers).not.to.have.property('x-powered-by');
    for (const path of [
      '/vendor/preact.js',
      '/vendor/preact-hooks.js',
      '/vendor/htm.js',
      '/vendor/uplot.js',
      '/dashboard/app.js',
    ]) {
      const { status, headers } = await ask(path);
      expect([status, headers['content-type']], path).to.eql([200, 'text/javascript; charset=utf-8']);
    }
    expect((await ask('/vendor/uplot.css')).headers['content-type']).to.include('text/css');
    expect((await ask('/dashboard/..%2fserver.ts')).status).to.be.within(400, 404);
  });

  it('sends history and state at once, each new period once, and the state again every second', async () => {
    const { events, close } = await readEvents(() => true);
    source.play(66);
    await until('a period was told', () => events.some(([name]) => name === 'period'));
    await until('three states were told', () => events.filter(([name]) => name === 'state').length >= 3);
    close();
    expect(events.slice(0, 2).map(([name]) => name)).to.eql(['history', 'state']);
    expect(events[0]?.[1]).to.have.length(90);
    const periods = events.filter(([name]) => name === 'period');
    expect(periods.map(([, data]) => data['period'])).to.eql([91]);
    expect(events.at(-1)?.[1]['lp']).to.equal(66);
  });

  it('sends a period again when its steps are done', async () => {
    const { events, close } = await readEvents(() => true);
    source.play(80, { action: 'allocate' });
    const decided = source.records.at(-1)!;
    const [step] = decided.outcome;
    source.records[source.records.length - 1] = { ...decided, outcome: [] };
    const outcomes = (): unknown[] => events.filter(([name]) => name === 'period').map(([, data]) => data['outcome']);
    await until('the first outcome', () => outcomes().length === 1);
    source.records[source.records.length - 1] = decided;
    await until('the second outcome', () => outcomes().length === 2);
    close();
    expect(outcomes()).to.eql([[], [step]]);
  });

  it('ends open event streams when it closes', async () => {
    const { ended } = await readEvents(() => true);
    await admin.close();
    await ended;
    admin = await start();
  });

  it('answers in one sentence what it does not have or cannot understand', async () => {
    expect((await ask('/api/nothing')).json().error.message).to.equal('The admin API has no GET /api/nothing.');
    expect((await ask('/nothing')).status).to.equal(404);
    expect((await ask('/api/decisions?limit=many')).json().error.message).to.equal(
      'limit is a whole number from 1 to 8640.',
    );
    expect((await ask('/api/%ZZ')).status).to.be.within(400, 404);
  });

  it('logs its own failures and keeps their details to itself', async () => {
    source.config = () => {
      throw new Error('secret detail');
    };
    const answer = await ask('/api/config');
    expect([answer.status, answer.json().error.code]).to.eql([500, 'INTERNAL']);
    expect(answer.text).not.to.include('secret detail');
    expect(logged).to.eql(['The admin server failed to answer a request']);
  });

  it('does not start open to the network without a token, nor on a port that is taken', async () => {
    const failure = async (options: object): Promise<unknown> => start(options).catch((error: unknown) => error);
    const open = await failure({ host: '0.0.0.0' });
    expect(open).to.be.instanceOf(MmeliotError).and.to.include({ code: 'CONFIG_INVALID' });
    const taken = await failure({ port: Number(new URL(admin.url).port) });
    expect(taken).to.be.instanceOf(MmeliotError).and.to.include({ code: 'PORT_TAKEN' });
    expect((taken as Error).message).to.match(/^Port \d+ of 127[.]0[.]0[.]1 is in use by another process/);
  });
});

type Event = [string, Record<string, unknown>];

async function readEvents(ready: () => boolean): Promise<{ events: Event[]; close: () => void; ended: Promise<void> }> {
  const events: Event[] = [];
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    http.get(new URL('/api/events', admin.url), { agent: false }, resolve).on('error', reject);
  });
  expect(response.headers['content-type']).to.match(/^text[/]event-stream/);
  let text = '';
  response.setEncoding('utf8').on('data', (chunk: string) => {
    const blocks = (text += chunk).split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const match = /^event: (.*)\ndata: (.*)$/.exec(block);
      if (match) events.push([match[1] ?? '', JSON.parse(match[2] ?? '') as Record<string, unknown>]);
    }
  });
  const ended = new Promise<void>((resolve) => void response.on('close', resolve).on('error', () => {}));
  await until('the stream tells what is waited for', ready);
  return { events, close: () => void response.destroy(), ended };
}
