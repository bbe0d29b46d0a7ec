// Whose host a request is for, however that is said: a tenant's lets in its own clients only, and whoever belongs to the tenant of the host
// where it asks is let in on no other. What is no host is refused at both planes.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect as http2, type IncomingHttpHeaders } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { accessOf, keyOf, TokenIssuer } from '../helpers/gatekeeper.ts';
import { Bench, raw } from '../helpers/gateway.ts';
import { until } from '../helpers/until.ts';

const NORTH = 'Host: north.example.org';
const SOUTH = 'Host: south.example.org';

/** What comes of it: 400, or on whose host it is. */
const HOSTS: Readonly<Record<string, 'north' | 'nobody' | 'none'>> = {
  'north.example.org': 'north',
  'NORTH.example.ORG': 'north',
  'north.example.org.': 'north',
  'north.example.org:8443': 'north',
  'north.example.org.:80': 'north',
  'north.example.org:': 'north',
  '  north.example.org\t': 'north',
  'xn--nrd-sna.example.org': 'north',
  'XN--NRD-SNA.example.org': 'north',
  'x.north.example.org': 'nobody',
  '.north.example.org': 'nobody',
  'north.example.org..': 'nobody',
  'north.example.org,south.example.org': 'nobody',
  'north%2eexample%2eorg': 'nobody',
  '[::1]:80': 'nobody',
  'north.example.org:80:90': 'none',
  'north.example.org:-1': 'none',
  'a@north.example.org': 'none',
  'north.example.org@a': 'none',
  'north.example.org/x': 'none',
  'north.example.org?x': 'none',
  'north.example.org#x': 'none',
  'north.example.org\\x': 'none',
  'north.example.org";for=1.2.3.4;x="': 'none',
  'north.example.org south.example.org': 'none',
  '[north.example.org]': 'none',
  'n\u00f6rd.example.org': 'none',
};

type Asked = readonly [target: string, fields: readonly string[], outcome: string];
/** Where the request says it twice. */
const SAID_TWICE: readonly Asked[] = [
  ['/events', [NORTH, SOUTH], 'none'],
  ['/events', ['Host: x', NORTH], 'none'],
  ['/events', [NORTH, ' south.example.org'], 'none'],
  ['/events', ['Host : north.example.org'], 'none'],
  ['http://south.example.org/events', [NORTH], 'none'],
  ['http://north.example.org/events', [SOUTH], 'none'],
  ['http://north.example.org/events', [], 'none'],
  ['http://north.example.org/events', [NORTH], 'north'],
  ['HTTP://north.example.org/events', [NORTH], 'north'],
  ['//south.example.org/events', [NORTH], 'north'],
  [
    '/events',
    [NORTH, 'X-Forwarded-Host: south.example.org', 'Forwarded: host=south.example.org', 'X-Original-Host: south'],
    'north',
  ],
  ['/events', ['Host: x', 'X-Forwarded-Host: north.example.org', 'Forwarded: host=north.example.org'], 'nobody'],
];

for (const dataPlane of ['builtin', 'haproxy'] as const)
  describe(`hosts of tenants (${dataPlane})`, function () {
    this.timeout(60_000);
    const bench = new Bench();
    const folder = mkdtempSync(join(tmpdir(), 'mmeliot-hosts-'));
    const issuer = new TokenIssuer(folder);
    const [nobodys, norths] = [keyOf('any'), keyOf('scanner', { tenant: 'north' })];
    let port: number;
    let token: string;
    /** As the VM is told of the last request. */
    let told: { readonly tenant?: string }[] = [];
    let asked = 0;

    before(async () => {
      await issuer.rotate('one');
      token = await issuer.token();
      const vm = await bench.vm((request, response) => {
        const [content = ''] = String(request.headers['mmeliot-client'] ?? '').split('.');
        told.push(JSON.parse(Buffer.from(content, 'base64url').toString()) as { readonly tenant?: string });
        response.end();
      });
      const tenants = [
        { name: 'north', hosts: ['north.example.org', 'xn--nrd-sna.example.org'] },
        { name: 'south', hosts: ['south.example.org'] },
      ];
      const readToken = issuer.reader({ tenantByHost: true });
      const access = accessOf([nobodys.record, norths.record], { readToken, tenants });
      const admit = access.admit.bind(access);
      access.admit = (request) => {
        asked++;
        return admit(request);
      };
      const gateway = await bench.gatewayTo(vm, { dataPlane, http2: dataPlane === 'haproxy' }, { access });
      port = gateway.address.port;
      for (const { key } of [nobodys, norths])
        await until('the data plane vouches by itself', async () => {
          const before = asked;
          return (await ask(key)).startsWith('200') && (dataPlane === 'builtin' || asked === before);
        });
    });
    after(async () => {
      await bench.close();
      rmSync(folder, { recursive: true });
    });

    /** The status, and as whose client it came to the VM. */
    async function ask(key: string, target = '/events', fields: readonly string[] = ['Host: x']): Promise<string> {
      told = [];
      const head = [`GET ${target} HTTP/1.1`, ...fields, `Authorization: Bearer ${key}`, 'Connection: close'];
      const status = (await raw(port, Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'))).slice(9, 12);
      return `${status} ${told.map(({ tenant }) => tenant ?? 'of none').join() || '-'}`;
    }
    const all = async (target: string, fields: readonly string[]) => {
      const of = [];
      for (const key of [nobodys.key, norths.key, token]) of.push(await ask(key, target, fields));
      return of;
    };
    const OUTCOMES = {
      north: ['401 -', '200 north', '200 north'],
      nobody: ['200 of none', '200 north', '401 -'],
      none: ['400 -', '400 -', '400 -'],
    };

    it('is known however it is written, and what is none is refused', async () => {
      const [got, expected] = [new Map<string, string[]>(), new Map<string, string[]>()];
      for (const [host, outcome] of Object.entries(HOSTS)) {
        got.set(host, await all('/events', [`Host: ${host}`]));
        expected.set(host, OUTCOMES[outcome]);
      }
      expect([...got]).to.deep.equal([...expected]);
    });

    // the built-in plane speaks HTTP/1
    if (dataPlane === 'haproxy')
      it('is :authority by HTTP/2, whatever the field host says', async () => {
        const by2 = async (fields: Record<string, string>) => {
          told = [];
          const session = http2(`http://127.0.0.1:${port}`);
          const stream = session.request({ ':path': '/events', authorization: `Bearer ${token}`, ...fields });
          const ended = once(stream.resume(), 'end');
          const [head] = (await once(stream, 'response')) as [IncomingHttpHeaders];
          await ended;
          session.destroy();
          return `${String(head[':status'])} ${told.map(({ tenant }) => tenant).join()}`;
        };
        const [north, south] = ['north.example.org', 'south.example.org'];
        expect(await by2({ ':authority': north })).to.equal('200 north');
        expect(await by2({ ':authority': north, host: south })).to.equal('200 north');
        expect(await by2({ host: south })).to.equal('200 south');
        expect(await by2({ ':authority': 'x', host: north })).to.equal('401 ');
        for (const odd of [`a@${north}`, `${north}/x`, `${north}";for=1.2.3.4;x="`])
          expect(await by2({ ':authority': odd }), odd).to.equal('400 ');
      });

    it('is that of the request, said once', async () => {
      const got = [];
      for (const [target, fields] of SAID_TWICE) got.push([target, fields, await all(target, fields)]);
      const outcome = (name: string) => OUTCOMES[name as keyof typeof OUTCOMES];
      expect(got).to.deep.equal(SAID_TWICE.map(([target, fields, name]) => [target, fields, outcome(name)]));
    });
  });
