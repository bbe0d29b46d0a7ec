// The whole system with clients that have to be known, by its own commands; afterwards no secret of it stands anywhere.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { clientKey } from '../../epcis/access/client-token.ts';
import { hashOf } from '../../src/access/keys.ts';
import { client, writeClient } from '../helpers/access.ts';
import { mmeliot, startProgram, temporaryFolder, type Program } from '../helpers/mmeliot.ts';
import { startReceiver, type Receiver } from '../helpers/receiver.ts';
import { until } from '../helpers/until.ts';

const EVENT = {
  '@context': ['https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld'],
  type: 'ObjectEvent',
  eventTime: '2026-01-01T12:00:00.000Z',
  eventTimeZoneOffset: '+00:00',
  epcList: ['urn:epc:id:sgtin:0614141.107346.2018'],
  action: 'OBSERVE',
};

const OPERATOR = 'operators-token-5b1f';
const VIEWER = 'viewers-token-77aa';
const WRONG = 'mm_000000000000_a-key-that-is-none-8d2e';
/** Sent where no key belongs; who sends it is told it again, nobody else. */
const MISPLACED = 'mm_111111111111_a-key-in-another-place-4c1b';

const RULES = `rules:
  - { name: makers capture, for: group:makers, capture: everything }
  - { name: globex sees it, for: client:globex, see: { epc: urn:epc:idpat:sgtin:0614141.*.* } }
`;

/** Files that hold a secret because that is what they are for; nobody else may read them. */
const KEEPS_SECRETS = /\/(operator|data\/secret)$/;

describe('a system whose clients are known', function () {
  this.timeout(120_000);
  const folder = temporaryFolder();
  const made: string[] = [];
  let program: Program;
  let traces: Receiver;
  let gateway: string;
  let admin: string;
  /** The group's, of before and now. */
  const groups: string[] = [];
  /** Whatever was said to anybody. */
  let seen = '';

  before(async () => {
    const file = (name: string) => join(folder.path, name);
    traces = await startReceiver();
    writeFileSync(file('operator'), `${OPERATOR}\n`, { mode: 0o600 });
    writeFileSync(
      file('mmeliot.yaml'),
      `access: known
dataDir: ${file('data')}
gateway: { port: 0, dataPlane: haproxy }
admin: { port: 0, token: '\${file:${file('operator')}}', viewerToken: '\${VIEWER}' }
collector: { port: 0 }
tracing: { endpoint: '${traces.url}', share: 1 }
local: { cpu: 1 }
elasticity: { period: 1s }
logLevel: debug
`,
    );
    program = startProgram(['up', '--config', file('mmeliot.yaml')], { env: { VIEWER } });
    [, gateway = '', admin = ''] = await program.says(
      /clients connect to\s+(\S+)[^]*operator looks at\s+(\S+)[^]*Ctrl-C/,
    );
  });
  after(async () => {
    await program.stop();
    traces.close();
    folder.remove();
  });

  const command = async (...args: string[]) => {
    const finished = await startProgram([...args, '--admin', admin], {
      env: { MMELIOT_ADMIN_TOKEN: OPERATOR, VIEWER },
    }).ended();
    expect(finished.status, finished.output).to.equal(0);
    return finished.output;
  };
  const makeKey = async (...args: string[]) => {
    const [key = ''] = /mm_\S+/.exec(await command('key', 'create', ...args)) ?? [];
    made.push(key);
    return key;
  };
  const ask = async (path: string, authorization?: string, init: RequestInit = {}) => {
    const headers = { ...(init.headers as object), ...(authorization !== undefined && { authorization }) };
    const answer = await fetch(new URL(path, gateway), { ...init, headers });
    const text = await answer.text();
    seen += `${JSON.stringify([...answer.headers])}\n${text}\n`;
    return { status: answer.status, text };
  };
  const events = (key?: string) => ask('/events', key && `Bearer ${key}`);

  it('lets in whoever has a key, to what its roles allow, until it is revoked', async () => {
    expect((await events()).status).to.equal(401);
    expect((await events(WRONG)).status).to.equal(401);
    const writer = await makeKey('acme', '--role', 'capture', '--group', 'makers');
    const reader = await makeKey('globex', '--role', 'query', '--expires', '90d');
    const rules = join(folder.path, 'rules.yaml');
    writeFileSync(rules, RULES);
    const apply = ['access', 'rules', 'apply', rules, '--config', join(folder.path, 'mmeliot.yaml')];
    const applied = await startProgram(apply, { env: { VIEWER } }).ended();
    expect(applied.status, applied.output).to.equal(0);
    const headers = { 'content-type': 'application/ld+json', 'gs1-epcis-version': '2.0.0' };
    const event = { method: 'POST', headers, body: JSON.stringify(EVENT) };
    await until(
      'the VM goes by the rules',
      async () => (await ask('/events', `Bearer ${writer}`, event)).status === 201,
    );
    expect((await ask('/events', `Bearer ${reader}`, event)).status).to.equal(403);
    expect((await events(writer)).status).to.equal(403);
    const basic = `Basic ${Buffer.from(`globex:${reader}`).toString('base64')}`;
    for (const way of [`Bearer ${reader}`, basic]) expect((await ask('/events', way)).text).to.include('107346.2018');

    const seed = ['seed', '--url', gateway, '--events', '100'];
    const seeded = await startProgram(seed, { env: { MMELIOT_KEY: writer } }).ended();
    expect([seeded.status, seeded.output]).to.satisfy(
      ([status, output]: [number, string]) => status === 0 && /100/.test(output),
    );

    const list = await command('key', 'list');
    expect(list).to.match(/^[0-9a-f]{12} {2}acme +capture +since [\d-]+ {2}groups makers$/m);
    expect(list).to.match(/^[0-9a-f]{12} {2}globex +query +since [\d-]+ {2}until [\d-]+$/m);
    const [, id = ''] = /^([0-9a-f]{12}) {2}globex/m.exec(list) ?? [];
    expect(JSON.parse(await command('key', 'revoke', id, '--json'))).to.include({ id, client: 'globex' });
    expect((await events(reader)).status).to.equal(401);
    expect((await ask('/events', basic)).status).to.equal(401);

    const audit = await command('audit');
    expect(audit.split('\n').slice(0, 4).join('\n')).to.match(
      /operator .*127\.0\.0\.1 +DELETE \/api\/keys\/[0-9a-f]{12} {2}200\n.*access rules apply {2}\{"version":1,"added":\["[^]*POST \/api\/keys {2}201 {2}\{"client":"globex"[^]*"client":"acme"/,
    );
  });

  /** Where its VMs answer. */
  const vmsNow = async () => {
    const answer = await fetch(`${admin}api/state`, { headers: { authorization: `Bearer ${VIEWER}` } });
    const { vms } = (await answer.json()) as { vms: { address?: { host: string; port: number } }[] };
    return vms.flatMap(({ address }) =>
      address === undefined ? [] : [`http://${address.host}:${address.port}/events`],
    );
  };

  it('takes a key by no other way, wherever it stands', async () => {
    const key = await makeKey('lost', '--role', 'query');
    const places: readonly (readonly [path: string, headers?: Record<string, string>])[] = [
      [`/events?access_token=${MISPLACED}`],
      [`/events?access_token=${MISPLACED}`, { authorization: `Bearer ${key}` }],
      [`/events?EQ_bizStep=${MISPLACED}&perPage=no`, { authorization: `Bearer ${key}` }],
      [`/${MISPLACED}`, { authorization: `Bearer ${key}` }],
      [`/events/${MISPLACED}`, { authorization: `Bearer ${key}` }],
      [`/queries/${MISPLACED}/events`, { authorization: `Bearer ${key}` }],
      ['/events', { authorization: `Token ${MISPLACED}` }],
      ['/events', { authorization: `Basic ${Buffer.from(`${MISPLACED}:`).toString('base64')}` }],
      ['/events', { 'x-api-key': MISPLACED, cookie: `session=${MISPLACED}`, referer: `http://x/${MISPLACED}` }],
      [
        '/events',
        { 'user-agent': MISPLACED, 'x-request-id': MISPLACED, traceparent: MISPLACED, tracestate: `a=${MISPLACED}` },
      ],
    ];
    const statuses = [];
    for (const [path, headers] of places)
      statuses.push((await fetch(new URL(path, gateway), { headers: headers ?? {} })).status);
    expect(statuses).to.deep.equal([401, 400, 400, 404, 404, 404, 401, 401, 401, 401]);
  });

  it('gets a new secret while it serves, and not a request is lost', async () => {
    const file = join(folder.path, 'data', 'secret');
    groups.push(readFileSync(file, 'utf8'));
    const key = await makeKey('steady', '--role', 'query');
    const statuses = new Map<number, number>();
    let done = false;
    const asking = async () => {
      // small ones, and one in ten that HAProxy gives to the built-in plane
      for (let i = 0; !done; i++) {
        const upload = { method: 'POST', body: 'x'.repeat(20_000) };
        const { status } = await ask('/events', `Bearer ${key}`, i % 10 === 0 ? upload : {});
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    const clients = [asking(), asking()];
    const before = await vmsNow();
    const renewed = command('secret', 'renew', '--config', join(folder.path, 'mmeliot.yaml'));
    const output = await renewed.finally(() => (done = true));
    await Promise.all(clients);
    expect(output).to.match(/The new secret is made[^]*\(1 of 1\)[^]*not taken any more/);
    // without the role a document is refused
    expect([...statuses.keys()].sort(), JSON.stringify([...statuses])).to.deep.equal([200, 403]);
    groups.push(readFileSync(file, 'utf8'));
    expect(groups[1])
      .to.match(/^[\w-]{32}$/)
      .and.not.equal(groups[0]);
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    const [vm = ''] = await vmsNow();
    expect(before).not.to.include(vm);
    const told = groups.map((group) =>
      writeClient(
        client('any', { roles: ['query'] }),
        { method: 'GET', path: '/events' },
        clientKey(group),
        Date.now(),
      ),
    );
    const answers = [];
    for (const word of told) answers.push((await fetch(vm, { headers: { 'mmeliot-client': word } })).status);
    expect(answers).to.deep.equal([401, 200]);
    await until(
      'the gateway signs with the new one alone',
      async () => (await ask('/events', `Bearer ${key}`)).status === 200,
    );
  });

  it('lets nobody past the gateway', async () => {
    const vms = await vmsNow();
    expect(vms).not.to.deep.equal([]);
    for (const vm of vms)
      expect((await fetch(vm, { headers: { authorization: `Bearer ${made[0]}` } })).status).to.equal(401);
  });

  it('names no secret: in no log, journal, state, metric, answer or list of processes', async () => {
    const secrets = [OPERATOR, VIEWER, WRONG, MISPLACED, ...groups, ...made];
    expect(groups).to.have.length(2);
    await fetch(`${admin}api/state`, { headers: { authorization: `Bearer ${WRONG}` } });
    for (const args of [
      ['config', 'print', '--effective', '--json'],
      ['repository', 'backup', join(folder.path, 'backup')],
    ])
      seen += (
        await startProgram([...args, '--config', join(folder.path, 'mmeliot.yaml')], { env: { VIEWER } }).ended()
      ).output;
    await until('traces have come', () => traces.requests.some(({ body }) => body.includes('mmeliot-vm')));
    seen += JSON.stringify(traces.requests);
    const paths = ['api/state', 'api/config', 'api/keys', 'api/audit', 'api/decisions', 'metrics', ''];
    for (const path of paths)
      seen += await (await fetch(admin + path, { headers: { authorization: `Bearer ${VIEWER}` } })).text();
    const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    for (const pid of processes) {
      try {
        seen += readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      } catch {
        // it has ended meanwhile
      }
    }
    expect(seen).to.include('mmeliot');
    const journal = () => readdirSync(join(folder.path, 'data')).some((name) => name.startsWith('journal'));
    await until('a period is in the journal', journal);
    // what is made of secrets opens as many doors
    const keys = groups.map((group) => clientKey(group).export());
    const written = (['base64', 'base64url', 'hex'] as const).flatMap((as) => keys.map((key) => key.toString(as)));
    const derived = [...written, ...made.map(hashOf)];
    for (const one of derived) expect(seen.includes(one) || program.output().includes(one), one).to.equal(false);
    const all = readdirSync(folder.path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    for (const entry of all) {
      const path = join(entry.parentPath, entry.name);
      const text = readFileSync(path, 'latin1');
      const held = secrets.filter((secret) => text.includes(secret));
      if (!KEEPS_SECRETS.test(path)) expect(held, path).to.deep.equal([]);
      if (derived.some((one) => text.includes(one))) expect(statSync(path).mode & 0o077, path).to.equal(0);
    }
    for (const secret of secrets) {
      expect(seen.includes(secret), secret).to.equal(false);
      expect(program.output().includes(secret), secret).to.equal(false);
    }
  });

  it('says in one sentence that a secret’s file is not there', async () => {
    writeFileSync(join(folder.path, 'wrong.yaml'), "admin: { token: '${file:/nowhere/token}' }\n");
    const { status, output } = await mmeliot('config', 'check', '--config', join(folder.path, 'wrong.yaml'));
    expect([status, output]).to.deep.equal([
      2,
      `mmeliot: ${join(folder.path, 'wrong.yaml')}, line 1, column 10: /nowhere/token, which is to be put here, cannot be read (ENOENT).\n`,
    ]);
  });
});
