// The admin API's description, held against what the API has and answers.
import { request } from 'node:http';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect } from 'chai';
import type { Router } from 'express';
import { EventStream } from '../../src/admin/events.ts';
import { openapi } from '../../src/admin/openapi.ts';
import { apiRoutes, roleRoutes } from '../../src/admin/routes.ts';
import { startAdminServer, type AdminServer } from '../../src/admin/server.ts';
import type { ClientKeys } from '../../src/admin/source.ts';
import { MmeliotError } from '../../src/errors.ts';
import { undescribed } from '../helpers/admin-description.ts';
import { keyOf, NO_AUDIT, NO_TLS } from '../helpers/gatekeeper.ts';
import { playRiseAndFall, ScriptedSource, vm } from '../src/admin/scripted-source.ts';

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: object }>>>>;
  readonly components: { readonly schemas: object };
}

type Spec = Parameters<Validator['validate']>[0];

interface Layer {
  readonly route?: { readonly path: string; readonly methods: Readonly<Record<string, boolean>> };
  readonly handle: { readonly stack?: readonly Layer[] };
}

/** `get /vms/{id}` of each route; keys are mounted at a path of their own. */
function routesIn(stack: readonly Layer[], below = ''): readonly string[] {
  return stack.flatMap(({ route, handle }) => {
    if (route === undefined) {
      const inner = routesIn(handle.stack ?? []);
      const isOfKeys = inner.includes('get /');
      return isOfKeys ? routesIn(handle.stack ?? [], '/keys') : inner;
    }
    const path = `${below}${route.path}`.replace(/(.)\/$/, '$1').replaceAll(/:(\w+)/g, '{$1}');
    return Object.keys(route.methods).map((method) => `${method} ${path}`);
  });
}

/** What is asked where all is well, by path. */
const BODIES: Readonly<Record<string, object>> = {
  'patch /parameters': { high: 75 },
  'post /vms': { count: 1 },
  'post /problems/acknowledge': { problem: 'disk' },
  'post /keys': { client: 'acme', roles: ['query'] },
  'post /session': { token: 'operate' },
};
/** And where it is not: by which status it is refused, and what is asked then. */
const REFUSED: readonly (readonly [path: string, status: number, asked: { at?: string; body?: unknown }])[] = [
  ['get /decisions', 400, { at: '/decisions?limit=0' }],
  ['get /periods', 400, { at: '/periods?holds=no' }],
  ['get /audit', 400, { at: '/audit?limit=some' }],
  ['get /settings', 400, { at: '/settings?policy=none' }],
  ['get /history', 400, { at: '/history?span=never' }],
  ['get /preview', 400, { at: '/preview?set=hgh=50' }],
  ['get /preview', 422, { at: '/preview?set=low=90' }],
  ['patch /parameters', 400, { body: [] }],
  ['patch /parameters', 422, { body: { low: 99 } }],
  ['post /parameters/undo', 400, { body: { at: 1 } }],
  ['post /parameters/undo', 422, {}],
  ['post /vms', 400, { body: { count: 0 } }],
  ['get /vms/{id}', 404, { at: '/vms/none' }],
  ['get /vms/{id}', 400, { at: '/vms/%E0%A4%A' }],
  ...['keep', 'release', 'drain', 'replace'].flatMap((deed) => [
    [`post /vms/{id}/${deed}`, 404, { at: `/vms/none/${deed}` }] as const,
    [`post /vms/{id}/${deed}`, 400, { at: `/vms/%E0%A4%A/${deed}` }] as const,
  ]),
  ['post /problems/acknowledge', 404, { body: { problem: 'none' } }],
  ['post /problems/acknowledge', 400, { body: [1] }],
  ['post /keys', 400, { body: { client: 'acme' } }],
  ['delete /keys/{id}', 400, { at: '/keys/none' }],
  ['post /session', 400, { body: { token: 1 } }],
];

describe("the admin API's description", function () {
  this.timeout(60_000);
  const described = openapi('1.2.3') as Description;
  const operations = Object.entries(described.paths).flatMap(([path, of]) =>
    Object.entries(of).map(([method, { responses }]) => ({
      method,
      path,
      statuses: Object.keys(responses).map(Number),
    })),
  );
  const keys: ClientKeys = {
    administrator: (one) => (one === hash ? 'acme' : undefined),
    list: () => [shown],
    create: async (asked) => {
      if (!('roles' in (asked as object))) throw new MmeliotError('BAD_REQUEST', 'roles is not given.');
      return { ...shown, key: 'mm_x' };
    },
    revoke: async (id) => {
      if (id === 'none') throw new MmeliotError('BAD_REQUEST', 'There is no key none.');
      return shown;
    },
  };
  const { hash, ...shown } = keyOf('acme', { tenant: 'acme', expiresAt: '2030-01-01T00:00:00.000Z' }).record;
  let source: ScriptedSource;
  let work: ScriptedSource;
  let admin: AdminServer;

  /** As if some operator, a worker of the same group among its VMs, had been at it. */
  function played(): ScriptedSource {
    const one = new ScriptedSource();
    playRiseAndFall(one);
    one.fleet = [vm('vm-1', 'ready', 'a note'), vm('vm-2', 'ready')];
    one.play(81, { action: 'allocate', failed: 'no room', deltaTp: 23 });
    one.problems = [{ since: one.now, severity: 'error', message: 'Disk full.', condition: 'disk' }];
    return one;
  }
  async function serve(token = ''): Promise<void> {
    source = played();
    work = played();
    Object.assign(source, { work });
    admin = await startAdminServer(
      { host: '127.0.0.1', port: 0, token, viewerToken: token === '' ? '' : 'look', tls: NO_TLS },
      {
        ...{ source, keys, audit: { ...NO_AUDIT, latest: async () => [{ at: '', who: '', from: '', what: '' }] } },
        metrics: { contentType: 'text/plain', text: async () => '' },
        log: { error: () => undefined },
      },
    );
  }
  afterEach(() => admin.close());

  interface Asked {
    readonly at?: string;
    readonly body?: unknown;
    readonly headers?: Readonly<Record<string, string>>;
  }
  /** Its status, after its answer was held against the description. */
  async function ask(method: string, path: string, { at = path.replace('{id}', 'vm-1'), body, headers }: Asked = {}) {
    const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
    const all = {
      'content-length': Buffer.byteLength(text ?? ''),
      ...(text !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    };
    const { status, answer } = await new Promise<{ status: number; answer: unknown }>((resolve, reject) => {
      const asking = request(`${admin.url}api${at}`, { method: method.toUpperCase(), headers: all, agent: false });
      asking.on('error', reject).on('response', (response) => {
        let said = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (said += chunk));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, answer: JSON.parse(said) as unknown }));
      });
      asking.end(text);
    });
    expect(undescribed(method, path, status, answer), `${method} ${at}`).to.equal(undefined);
    return status;
  }

  it('is valid OpenAPI', async () => {
    await serve();
    expect(await new Validator().validate(JSON.parse(JSON.stringify(described)) as Spec)).to.deep.include({
      valid: true,
    });
  });

  it('names each route that there is, and none besides', async () => {
    await serve();
    const stackOf = (router: Router) => router.stack as unknown as readonly Layer[];
    const all = routesIn(stackOf(apiRoutes({ source: played(), keys, audit: NO_AUDIT }, new EventStream(source))));
    const ofWork = routesIn(stackOf(roleRoutes(source))).map((route) => route.replace(' ', ' /roles/work'));
    // where one logs in stands before the door
    const there = [...all, ...ofWork, 'post /session', 'delete /session'];
    expect(operations.map(({ method, path }) => `${method} ${path}`).toSorted()).to.deep.equal(there.toSorted());
  });

  it('says what is answered, to the field: where all is well, and in each refusal', async () => {
    await serve();
    for (const { method, path, statuses } of operations) {
      if (path === '/events' || path === '/session') continue;
      const own = path.replace('/roles/work', '');
      const name = `${method} ${own}`;
      const seen: number[] = [];
      const see = async (asked: Asked = {}) => {
        const at = asked.at === undefined ? undefined : path.replace(own, asked.at);
        const status = await ask(method, path, { ...asked, ...(at !== undefined && { at }) });
        seen.push(status);
        return status;
      };
      prepare(name);
      for (const [of, status, asked] of REFUSED)
        if (of === name) expect(await see(asked), `${name} ${JSON.stringify(asked)}`).to.equal(status);
      const body = BODIES[name];
      if (name === 'post /parameters/undo') await ask('patch', path.replace('/undo', ''), { body: { high: 71 } });
      expect(await see({ ...(body && { body }) }), name).to.be.oneOf([200, 201, 202]);
      await see({ headers: { host: 'evil.example' } });
      if (method !== 'get') {
        await see({ headers: { origin: 'http://evil.example' } });
        await see({ body: 'high=1', headers: { 'content-type': 'text/plain' } });
      }
      if (statuses.includes(413)) {
        await see({ body: { all: 'x'.repeat(70_000) } });
        expect(await see({ body: '{"high": ' }), name).to.equal(400);
      }
      const elsewhere = [401, 429, 500];
      expect([...new Set(seen)].toSorted(), name).to.deep.equal(statuses.filter((one) => !elsewhere.includes(one)));
    }
  });

  /** What is to be taken back contradicts what stays. */
  function prepare(name: string): void {
    if (name !== 'post /parameters/undo') return;
    for (const one of [source, work]) one.changes = [{ at: 2, who: 'ada', patch: { low: 40 }, before: { low: 99 } }];
  }

  it('says what is answered to whoever has no token, a viewer, and who tries too much', async () => {
    await serve('operate');
    for (const { method, path } of operations) {
      if (path === '/session' && method !== 'get') continue;
      expect(await ask(method, path), `${method} ${path}`).to.equal(401);
      if (method === 'get') continue;
      const headers = { authorization: 'Bearer look' };
      expect(await ask(method, path, { headers }), `${method} ${path}`).to.equal(403);
    }
    const logIn = (body: unknown, headers = {}) => ask('post', '/session', { body, headers });
    expect(await logIn({ token: 'operate' })).to.equal(200);
    expect(await logIn({ token: 1 })).to.equal(400);
    expect(await logIn('{"token": ')).to.equal(400);
    expect(await logIn({ token: 'x'.repeat(5_000) })).to.equal(413);
    expect(await logIn({ token: 'operate' }, { origin: 'http://evil.example' })).to.equal(403);
    expect(await logIn('token', { 'content-type': 'text/plain' })).to.equal(415);
    expect(await ask('delete', '/session')).to.equal(200);
    const tried = await Promise.all(Array.from({ length: 24 }, () => logIn({ token: 'guess' })));
    expect(new Set(tried)).to.deep.equal(new Set([401, 429]));
  });

  it('says what is answered when the manager fails, and when too many look', async () => {
    await serve();
    source.view = () => {
      throw new Error('a defect');
    };
    expect(await ask('get', '/state')).to.equal(500);
    Reflect.deleteProperty(source, 'view');
    const pages = await Promise.all(Array.from({ length: 100 }, () => fetch(`${admin.url}api/events`)));
    expect(await ask('get', '/events')).to.equal(503);
    for (const { body } of pages) await body?.cancel();
  });
});
