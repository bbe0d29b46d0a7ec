import type { KeyObject } from 'node:crypto';
import { expect } from 'chai';
import { clientKey, readClient } from '../../../epcis/access/client-token.ts';
import type { Admitted, Verdict } from '../../../src/access/access.ts';
import type { Refused } from '../../../src/access/refusals.ts';
import { accessOf, keyOf, signer } from '../../helpers/gatekeeper.ts';
import { GROUP_SECRET } from '../../helpers/access.ts';

const NOW = Date.UTC(2026, 0, 1);
const bearer = (key: string) => `Bearer ${key}`;
const basic = (name: string, key: string) => `Basic ${Buffer.from(`${name}:${key}`).toString('base64')}`;

describe('who may come in at the gateway', () => {
  const acme = keyOf('acme', { groups: ['partners'], roles: ['query'] });
  let now: number;
  beforeEach(() => (now = NOW));

  const access = (records = [acme.record], requestsPerSecond = 0) =>
    accessOf(records, { now: () => now, requestsPerSecond });
  const ask = (from: ReturnType<typeof access>, authorization?: string, path = '/events', method = 'GET') =>
    from.admit({ method, path, authorization }) as Verdict;
  const status = (verdict: Verdict) => ('status' in verdict ? verdict.status : 200);
  const told = (verdict: Verdict, path = '/events') =>
    readClient(
      (verdict as Admitted).fields[1] ?? '',
      { method: 'GET', path },
      clientKey(GROUP_SECRET),
      (expires) => expires > now,
    );

  it('is who shows a key, by Bearer or with its name by Basic; the VM is told who it is', () => {
    for (const authorization of [bearer(acme.key), `bearer ${acme.key}`, basic('acme', acme.key)])
      expect(told(ask(access(), authorization))).to.deep.equal({
        client: 'acme',
        groups: ['partners'],
        roles: ['query'],
      });
  });

  it('is told by both keys while the group has a new secret, and in nothing that was said before', () => {
    const next = clientKey('the next secret');
    let keys: readonly KeyObject[] = [clientKey(GROUP_SECRET)];
    const gate = accessOf([acme.record], { now: () => now, signer: { ...signer, keys: () => keys } });
    const said = () => (ask(gate, bearer(acme.key)) as Admitted).fields;
    const readBy = (text: string | undefined, key: KeyObject) =>
      readClient(text ?? '', { method: 'GET', path: '/events' }, key, (expires) => expires > now)?.client;
    expect(said().filter((_, i) => i % 2 === 0)).to.deep.equal(['mmeliot-client']);
    keys = [...keys, next];
    const [name, old, nextName, second] = said();
    expect([name, nextName]).to.deep.equal(['mmeliot-client', 'mmeliot-client-next']);
    expect([readBy(old, clientKey(GROUP_SECRET)), readBy(second, next)]).to.deep.equal(['acme', 'acme']);
    keys = [next];
    const [only, third, ...more] = said();
    expect([only, readBy(third, next), more.length]).to.deep.equal(['mmeliot-client', 'acme', 0]);
  });

  it('is nobody else: 401 says how to say who one is', () => {
    const { fields, reason } = ask(access()) as Refused;
    expect(fields).to.deep.equal([
      'www-authenticate',
      'Bearer realm="mmeliot"',
      'www-authenticate',
      'Basic realm="mmeliot"',
    ]);
    expect(reason).to.equal(
      'Say who you are: send "Authorization: Bearer <key or token>", or by HTTP Basic the client\'s name and its key.',
    );
    const wrong = [
      ...['', 'Bearer', 'Bearer ', bearer('x'), `Digest ${acme.key}`, acme.key, bearer(`${acme.key} `.repeat(2))],
      ...[
        bearer(acme.key.slice(0, -1)),
        bearer(acme.record.hash),
        bearer(acme.record.id),
        bearer(acme.key.toUpperCase()),
      ],
      ...[
        basic('globex', acme.key),
        basic('', acme.key),
        basic('acme', ''),
        'Basic ====',
        'Basic acme',
        bearer('a.b.c'),
      ],
      ...[bearer('__proto__'), basic('__proto__', 'toString')],
    ];
    for (const each of wrong) expect(status(ask(access(), each)), each).to.equal(401);
  });

  it('lets a browser ask whether it may, and a watcher whether somebody is ready', () => {
    expect(ask(access(), undefined, '/events', 'OPTIONS')).to.deep.equal({
      identity: undefined,
      fields: [],
      requestClass: undefined,
    });
    expect(status(ask(access(), undefined, '/ready'))).to.equal(200);
    for (const path of ['/ready/', '/ready?x', '//ready', '/events/ready'])
      expect(status(ask(access(), undefined, path))).to.equal(401);
  });

  it('takes a key no longer than it is good, or than it is known', () => {
    const short = keyOf('short', { expiresAt: new Date(NOW + 1_000).toISOString() });
    const open = access([acme.record, short.record]);
    expect(status(ask(open, bearer(short.key)))).to.equal(200);
    now += 1_000;
    expect(status(ask(open, bearer(short.key)))).to.equal(401);
    expect(status(ask(open, bearer(acme.key)))).to.equal(200);
    open.setKeys([short.record]);
    expect(status(ask(open, bearer(acme.key)))).to.equal(401);
  });

  it('says it of one request only, and says it anew before it is stale', () => {
    const open = access();
    const first = ask(open, bearer(acme.key));
    expect(told(first, '/epcs')).to.equal(undefined);
    now += 119_000;
    expect(told(first)).not.to.equal(undefined);
    expect(told(ask(open, bearer(acme.key)))).not.to.equal(undefined);
    now += 31_000;
    expect(told(first)).to.equal(undefined);
    expect(told(ask(open, bearer(acme.key)))).not.to.equal(undefined);
  });

  it('lets no client make more requests than it may, whichever of its keys it shows', () => {
    const slow = [keyOf('slow', { requestsPerSecond: 2 }), keyOf('slow', { requestsPerSecond: 2 })] as const;
    const open = access([acme.record, ...slow.map(({ record }) => record)]);
    expect(slow.map(({ key }) => status(ask(open, bearer(key))))).to.deep.equal([200, 200]);
    const third = ask(open, basic('slow', slow[0].key)) as Refused;
    expect([third.status, third.fields]).to.deep.equal([429, ['retry-after', '1']]);
    expect(status(ask(open, bearer(acme.key)))).to.equal(200);
    now += 499;
    expect(status(ask(open, bearer(slow[1].key)))).to.equal(429);
    now += 1;
    expect(status(ask(open, bearer(slow[1].key)))).to.equal(200);
  });

  it('holds each of a client’s keys to its own rate, whichever is shown first', () => {
    const slow = keyOf('acme', { requestsPerSecond: 1 });
    const fast = keyOf('acme', { requestsPerSecond: 3 });
    for (const order of [
      [slow, fast],
      [fast, slow],
    ]) {
      const open = access([slow.record, fast.record]);
      const taken = order.map(({ key }) => [0, 0, 0, 0].filter(() => status(ask(open, bearer(key))) === 200).length);
      expect(taken).to.deep.equal(order.map(({ record }) => record.requestsPerSecond));
    }
  });

  it('has a limit for clients of whom nothing else is said', () => {
    const open = access([acme.record], 1);
    expect([0, 0].map(() => status(ask(open, bearer(acme.key))))).to.deep.equal([200, 429]);
  });

  it('tells VMs the limits that they count: of its own, else of all', () => {
    const own = keyOf('own', { eventsPerSecond: 5 });
    const open = accessOf([own.record, acme.record], { now: () => now, eventsPerSecond: 100, subscriptions: 3 });
    const toldOf = (key: string) => told(ask(open, bearer(key)));
    expect(toldOf(own.key)).to.include({ eventsPerSecond: 5, subscriptions: 3 });
    expect(toldOf(acme.key)).to.include({ eventsPerSecond: 100, subscriptions: 3 });
  });

  it('lets in on a tenant’s host its own clients only, however the host is written', () => {
    const [north, south] = [keyOf('acme', { tenant: 'north' }), keyOf('acme', { tenant: 'south' })];
    const tenants = [{ name: 'north', hosts: ['north.example.org'] }];
    const open = accessOf([acme.record, north.record, south.record], { tenants });
    const at = (key: string, host: string) =>
      status(open.admit({ method: 'GET', path: '/events', authorization: bearer(key), host }) as Verdict);
    for (const host of ['north.example.org', 'NORTH.example.org:8443', 'north.example.org.'])
      expect(
        [north, south, acme].map(({ key }) => at(key, host)),
        host,
      ).to.deep.equal([200, 401, 401]);
    for (const host of ['example.org', '', 'north.example.org.evil.org', 'x@north.example.org/'])
      expect(
        [north, south, acme].map(({ key }) => at(key, host)),
        host,
      ).to.deep.equal([200, 200, 200]);
    // and an HAProxy vouches by itself for nobody by what was recognised there
    expect([...open.unlimited()].map(([shown]) => shown).sort()).to.deep.equal(
      [north, south, acme].map(({ key }) => bearer(key)).sort(),
    );
  });

  it('takes who asks on a tenant’s host for its client, where their issuer says so, and lets them in nowhere else', async () => {
    const client = { client: 'corp:alice', groups: [], roles: [] };
    const readToken = async () => ({ client, terms: { tenantByHost: true }, until: Infinity });
    const tenants = [{ name: 'north', hosts: ['north.example.org'] }];
    const open = accessOf([], { now: () => now, readToken, tenants });
    const tenantAt = async (host: string) => {
      const verdict = await open.admit({ method: 'GET', path: '/events', authorization: 'Bearer a.b.c', host });
      return 'status' in verdict ? verdict.status : told(verdict)?.tenant;
    };
    for (let i = 0; i < 2; i++)
      for (const [host, tenant] of [
        ...(['north.example.org', 'NORTH.example.org.:80'] as const).map((host) => [host, 'north'] as const),
        ...['example.org', '', '127.0.0.1:8080', '[::1]:8080', '[::1]', 'north.example.org..'].map(
          (host) => [host, 401] as const,
        ),
      ])
        expect(await tenantAt(host), host).to.equal(tenant);
    expect([...open.unlimited()]).to.deep.equal([]);
  });

  it('holds all clients of a tenant together to its limit, and others to none of it', () => {
    const of = (name: string, tenant: string) => keyOf(name, { tenant });
    const [one, two, other] = [of('one', 'north'), of('two', 'north'), of('one', 'south')];
    const tenants = [{ name: 'north', requestsPerSecond: 2, requestClass: 'bulk' }];
    const open = accessOf([one.record, two.record, other.record], { now: () => now, tenants });
    const asked = [one, two, one, other].map(({ key }) => ask(open, bearer(key)));
    expect(asked.map(status)).to.deep.equal([200, 200, 429, 200]);
    expect(asked.map((verdict) => (verdict as Admitted).requestClass)).to.deep.equal([
      ...['bulk', 'bulk', undefined],
      undefined,
    ]);
    expect([...open.unlimited()].map(([shown]) => shown)).to.deep.equal([bearer(other.key)]);
  });

  it('answers whatever a token makes go wrong', async () => {
    const broken = accessOf([], { readToken: () => Promise.reject(new Error('a defect')) });
    const verdict = await broken.admit({ method: 'GET', path: '/', authorization: 'Bearer a.b.c' });
    expect(verdict).to.include({ status: 503, reason: 'The token cannot be checked at present.' });
  });

  it('takes no client for another one, whatever either is called', () => {
    const names = [
      keyOf('acme'),
      keyOf('acme', { tenant: 'north' }),
      keyOf('acme of north'),
      keyOf('', { tenant: 'acme' }),
    ];
    const gate = access(
      names.map(({ record }) => record),
      1,
    );
    const identities = names.map(({ key }) => (ask(gate, bearer(key)) as Admitted).identity);
    expect(new Set(identities).size).to.equal(names.length);
  });

  it('tells the class that a client waits in', () => {
    const bulk = keyOf('bulk', { requestClass: 'bulk' });
    expect((ask(access([bulk.record]), bearer(bulk.key)) as Admitted).requestClass).to.equal('bulk');
  });
});
