// The admin API's description, held against what the API has and answers.
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect } from 'chai';
import type { Router } from 'express';
import { EventStream } from '../../src/admin/events.ts';
import { openapi } from '../../src/admin/openapi.ts';
import { apiRoutes } from '../../src/admin/routes.ts';
import { startAdminServer, type AdminServer } from '../../src/admin/server.ts';
import { undescribed } from '../helpers/admin-description.ts';
import { NO_AUDIT, NO_KEYS, NO_TLS } from '../helpers/gatekeeper.ts';
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

describe("the admin API's description", function () {
  this.timeout(30_000);
  const source = new ScriptedSource();
  const described = openapi('1.2.3') as Description;
  let admin: AdminServer;
  before(async () => {
    playRiseAndFall(source);
    source.fleet = [vm('vm-1', 'ready', 'a note'), vm('vm-2', 'ready')];
    source.play(81, { action: 'allocate', failed: 'no room', deltaTp: 23 });
    source.problems = [{ since: source.now, severity: 'error', message: 'Disk full.', condition: 'disk' }];
    admin = await startAdminServer(
      { host: '127.0.0.1', port: 0, token: '', viewerToken: '', tls: NO_TLS },
      {
        ...{ source, keys: NO_KEYS, audit: NO_AUDIT },
        metrics: { contentType: 'text/plain', text: async () => '' },
        log: { error: () => undefined },
      },
    );
  });
  after(() => admin.close());

  it('is valid OpenAPI', async () => {
    expect(await new Validator().validate(JSON.parse(JSON.stringify(described)) as Spec)).to.deep.include({
      valid: true,
    });
  });

  it('names each route that there is, and none besides', () => {
    const api: Router = apiRoutes({ source, keys: NO_KEYS, audit: NO_AUDIT }, new EventStream(source));
    const there = routesIn(api.stack as unknown as readonly Layer[]);
    // where one logs in stands before the door
    const all = [...there, 'post /session', 'delete /session'];
    const said = Object.entries(described.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method} ${path}`),
    );
    expect(said.toSorted()).to.deep.equal(all.toSorted());
  });

  it('says what is answered, to the field', async () => {
    const ask = async (method: string, path: string, query = '', body?: object): Promise<void> => {
      const at = path.replace('{id}', 'vm-1');
      const answer = await fetch(`${admin.url}api${at}${query}`, {
        method: method.toUpperCase(),
        ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      });
      expect(undescribed(method, path, answer.status, await answer.json()), at + query).to.equal(undefined);
    };
    const readable = Object.keys(described.paths).filter(
      (path) => 'get' in (described.paths[path] ?? {}) && path !== '/events',
    );
    for (const path of readable) await ask('get', path);
    await ask('get', '/settings', '?policy=hpa');
    await ask('get', '/settings', '?policy=none');
    await ask('get', '/preview', '?set=high=50&span=10m');
    await ask('get', '/preview', '?set=low=90');
    await ask('get', '/history', '?span=never');
    await ask('post', '/vms', '', { count: 1 });
    await ask('post', '/vms', '', { count: 0 });
    for (const deed of ['replace', 'drain', 'keep', 'release']) await ask('post', `/vms/{id}/${deed}`);
    await ask('post', '/problems/acknowledge', '', { problem: 'disk' });
    await ask('post', '/problems/acknowledge', '', { problem: 'none' });
    await ask('patch', '/parameters', '', { high: 75 });
    await ask('patch', '/parameters', '', { low: 99 });
    await ask('post', '/parameters/undo');
    await ask('delete', '/parameters');
    await ask('get', '/state');
  });
});
