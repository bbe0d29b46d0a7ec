// Who may do what on the admin server: operators and viewers, by token and by session; what is noted of it.
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import http, { type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { expect } from 'chai';
import { startAdminServer, type AdminServer } from '../../src/admin/server.ts';
import type { AuditEntry } from '../../src/admin/source.ts';
import { hashOf } from '../../src/access/keys.ts';
import { NO_AUDIT, NO_KEYS, NO_TLS } from '../helpers/gatekeeper.ts';
import { startProgram, temporaryFolder } from '../helpers/mmeliot.ts';
import { ScriptedSource } from '../src/admin/scripted-source.ts';

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly json: { readonly error?: { readonly message: string } } & Record<string, unknown>;
}

describe('logins at the admin server', () => {
  let admin: AdminServer;
  let source: ScriptedSource;
  let noted: Omit<AuditEntry, 'at'>[];
  let keys: string[];
  beforeEach(async () => {
    source = new ScriptedSource();
    noted = [];
    keys = ['a key'];
    admin = await startAdminServer(
      { host: '127.0.0.1', port: 0, token: 'operate', viewerToken: 'look', tls: NO_TLS },
      {
        ...{ source, metrics: { contentType: 'text/plain', text: async () => '' }, log: { error: () => undefined } },
        audit: { ...NO_AUDIT, note: (entry) => void noted.push(entry) },
        keys: { ...NO_KEYS, administrator: (hash) => (keys.map(hashOf).includes(hash) ? 'anna' : undefined) },
      },
    );
  });
  afterEach(() => admin.close());

  function ask(method: string, path: string, headers: Record<string, string> = {}, body?: object): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const all = { ...headers, ...(body && { 'content-type': 'application/json' }) };
      const request = http.request(new URL(path, admin.url), { method, headers: all, agent: false }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () => {
          const isJson = response.headers['content-type']?.includes('json') === true;
          const json = (isJson ? JSON.parse(text) : {}) as Answer['json'];
          resolve({ status: response.statusCode ?? 0, headers: response.headers, json });
        });
      });
      request.on('error', reject).end(body && JSON.stringify(body));
    });
  }
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const logIn = async (token: string) => {
    const { status, headers } = await ask('POST', '/api/session', {}, { token });
    const [cookie = ''] = headers['set-cookie'] ?? [];
    return { status, cookie, session: { cookie: cookie.split(';')[0] ?? '' } };
  };
  const change = (headers: Record<string, string>) => ask('PATCH', '/api/parameters', headers, { high: 75 });
  const own = () => ({ origin: new URL(admin.url).origin });

  it('are shown by commands as the configuration says, where it is that of this manager', async () => {
    const temporary = temporaryFolder();
    const status = (port: string, ...more: string[]) => {
      writeFileSync(join(temporary.path, 'mmeliot.yaml'), `admin: { port: ${port}, token: operate }\n`);
      return startProgram(['status', '--admin', admin.url, ...more], { cwd: temporary.path }).ended();
    };
    const { port } = new URL(admin.url);
    expect((await status(port)).status).to.equal(0);
    const elsewhere = await status('1');
    expect(elsewhere.output).to.include('asks for a token');
    expect((await status('1', '--token', 'look')).status).to.equal(0);
    temporary.remove();
  });

  it('let a viewer see everything and change nothing, an operator both', async () => {
    for (const path of ['/api/state', '/api/config', '/api/keys', '/api/audit', '/metrics', '/api/session'])
      for (const token of ['look', 'operate', 'a key'])
        expect((await ask('GET', path, bearer(token))).status, path).to.equal(200);
    const refused = await change(bearer('look'));
    expect([refused.status, refused.json.error?.message]).to.deep.equal([
      403,
      'A viewer changes nothing: that takes the token of an operator.',
    ]);
    expect((await change(bearer('operate'))).status).to.equal(200);
    expect((await change({ ...bearer('a key'), 'x-mmeliot-by': 'the page' })).status).to.equal(200);
    expect(source.changes.map(({ who }) => who)).to.deep.equal(['anna (the page)', 'operator']);
  });

  it('are a session for the page, whose cookie no script and no other site gets', async () => {
    const { status, cookie, session } = await logIn('operate');
    expect(status).to.equal(200);
    expect(cookie).to.match(/^mmeliot-session-\d+=[\w-]{32}; Path=\/; HttpOnly; SameSite=Strict$/);
    expect((await ask('GET', '/api/session', session)).json).to.deep.equal({ name: 'operator', role: 'operator' });
    expect((await change({ ...session, ...own() })).status).to.equal(200);
  });

  it('take no change of a session that does not say from which page it comes, or comes from another', async () => {
    const { session } = await logIn('operate');
    for (const headers of [{}, { origin: 'http://evil.example' }, { origin: 'null' }] as Record<string, string>[])
      expect((await change({ ...session, ...headers })).status, JSON.stringify(headers)).to.equal(403);
    expect(source.changes).to.deep.equal([]);
  });

  it('end when they are ended, and with the key that began them', async () => {
    const { session } = await logIn('operate');
    const ended = await ask('DELETE', '/api/session', { ...session, ...own() });
    expect(ended.headers['set-cookie']?.[0]).to.match(/=; Path=\/; HttpOnly; SameSite=Strict; Max-Age=0$/);
    expect((await ask('GET', '/api/state', session)).status).to.equal(401);
    const other = await logIn('a key');
    expect((await ask('GET', '/api/session', other.session)).json).to.include({ name: 'anna' });
    keys = [];
    expect((await ask('GET', '/api/state', other.session)).status).to.equal(401);
  });

  it('show no more of what happens when they are ended, or their key is', async () => {
    const watch = (headers: Record<string, string>): Promise<http.IncomingMessage> =>
      new Promise((resolve, reject) => {
        const url = new URL('/api/events', admin.url);
        http.get(url, { headers, agent: false }, (stream) => resolve(stream.resume())).on('error', reject);
      });
    const { session } = await logIn('operate');
    const [byKey, bySession, stays] = [await watch(bearer('a key')), await watch(session), await watch(bearer('look'))];
    const ends = [byKey, bySession].map((stream) => once(stream, 'end'));
    keys = [];
    await ask('DELETE', '/api/session', { ...session, ...own() });
    await Promise.all(ends);
    expect(stays.readableEnded).to.equal(false);
  });

  it('answer who tries tokens later and later, and not at all when many wait', async () => {
    const tries = await Promise.all(
      Array.from({ length: 14 }, (_, i) => ask('GET', '/api/state', bearer(`guess ${i}`))),
    );
    const statuses = tries.map(({ status }) => status);
    expect(new Set(statuses)).to.deep.equal(new Set([401, 429]));
    expect(noted.filter(({ what }) => what === 'login refused').length).to.equal(
      statuses.filter((one) => one === 401).length,
    );
  }).timeout(60_000);

  it('are noted, and so is every change and every try of one: who, what and from where, but no token', async () => {
    await logIn('operate');
    await change(bearer('look'));
    await change(bearer('a key'));
    await ask('GET', '/api/state', bearer('operate'));
    const from = '127.0.0.1';
    expect(noted).to.deep.equal([
      { who: 'operator', from, what: 'login' },
      { who: 'viewer', from, what: 'PATCH /api/parameters', status: 403 },
      { who: 'anna', from, what: 'PATCH /api/parameters', status: 200, change: { high: 75 } },
    ]);
  });
});
