// The table of attacks (epcis/access/ATTACKS.md): who tries what, and what comes of it, at both planes and both doors, with a real VM
// behind. The table says what is expected; what is not in it is not tried, and what is not tried is not in it.
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import { applyRules } from '../../epcis/repository/access-rules.ts';
import type { Database } from '../../epcis/repository/database/database.ts';
import { openDatabase } from '../../epcis/repository/database/open.ts';
import { migrate } from '../../epcis/repository/migrate.ts';
import { storedName } from '../../epcis/repository/ownership.ts';
import type { EpcisServer } from '../../epcis/server.ts';
import type { Gateway } from '../../src/balance/core/contract.ts';
import {
  ACME_EPC,
  ACME_LINK,
  BETA_EPC,
  DENIED_XML,
  DOCK,
  EVERYTHING,
  ID,
  NS,
  PARTNERS,
  PLACES,
  RULES,
  SITE,
  acmes,
  betas,
  denied,
  envelope,
  event,
  poll,
  xmlOf,
} from '../helpers/attacks.ts';
import { client, startGuarded, vouchedFor } from '../helpers/access.ts';
import { KINDS } from '../helpers/fresh-repository.ts';
import { accessOf, keyOf, TokenIssuer } from '../helpers/gatekeeper.ts';
import { ask, Bench, type Answer } from '../helpers/gateway.ts';
import { startReceiver, type Receiver } from '../helpers/receiver.ts';
import { until } from '../helpers/until.ts';

const TABLE = join(import.meta.dirname, '../../epcis/access/ATTACKS.md');
const [[, freshUrl]] = KINDS as [(typeof KINDS)[number]];

type Try = () => Promise<Answer>;
/** By REST, by SOAP (and EPCIS 1.x capture); undefined: there is no such way. */
type Attack = readonly [rest: Try | undefined, soap: Try | undefined];

const nextOf = ({ headers }: Answer) => /<([^>]+)>/.exec(String(headers['link']))?.[1];

/** In a word; what is acme's stands in none that was not refused. */
function outcomeOf({ status, text }: Pick<Answer, 'status' | 'text'>): string {
  const [exception] = /\w+Exception(?=>|\b)/.exec(text.includes(':Fault>') ? text : '') ?? [];
  if (exception !== undefined) return exception;
  if (status >= 400) return String(status);
  if (/of-acme|0614141|10614141073464|acme:site/.test(text)) return 'LEAK';
  if (status === 201 || /^Captured/.test(text)) return 'captured';
  return text.includes('of-beta') ? 'its own' : 'nothing';
}

for (const [dataPlane, partner] of (['builtin', 'haproxy'] as const).flatMap((plane) =>
  PARTNERS.map((name) => [plane, name] as const),
)) {
  describe(`the table of attacks (${dataPlane}, ${partner})`, function () {
    this.timeout(60_000);
    const bench = new Bench();
    const folder = mkdtempSync(join(tmpdir(), 'mmeliot-table-'));
    const issuer = new TokenIssuer(folder);
    const [acme, auditor, beta, revoked, expired, reader, north] = [
      keyOf('acme', { roles: ['capture', 'query', 'subscribe', 'administer'] }),
      keyOf('auditor'),
      keyOf(partner),
      keyOf(partner),
      keyOf(partner, { expiresAt: '2026-01-01T00:00:00Z' }),
      keyOf('reader', { roles: ['query'] }),
      keyOf(partner, { tenant: 'north' }),
    ];
    const all = [acme, auditor, beta, expired, reader, north].map(({ record }) => record);
    let database: Database;
    let vm: EpcisServer;
    let gateway: Gateway;
    let receiver: Receiver;
    const heard: string[] = [];
    let oldToken: string | undefined;
    let oldExport = '';

    const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
    type Fields = Record<string, string>;
    const rest = (fields: Fields, path = '/events', method = 'GET', body?: unknown) =>
      ask(
        gateway.address.port,
        path,
        { method, headers: { 'gs1-extensions': `acme=${NS}`, 'content-type': 'application/json', ...fields } },
        body === undefined ? undefined : JSON.stringify(body),
      );
    /** In JSON and in XML, of which the same comes. */
    const read = async (fields: Fields, path = '/events') => {
      const [json, other] = [await rest(fields, path), await rest({ ...fields, accept: 'application/xml' }, path)];
      expect(outcomeOf(other), `${path} in XML`).to.equal(outcomeOf(json));
      return json;
    };
    const xml = (fields: Fields, path: string, body: string, port = gateway.address.port) =>
      ask(port, path, { method: 'POST', headers: { 'content-type': 'text/xml', ...fields } }, body);
    const soap = (fields: Fields, operation = poll('SimpleEventQuery')) =>
      xml(fields, '/epcis/query', envelope(operation));
    const apply = async (rules: readonly object[]) => {
      const text = JSON.stringify({ rules });
      await applyRules(database, { source: text, rules: text, appliedBy: 'test', appliedFrom: 'here' });
    };
    const took = async (answer: Promise<Answer>, status: number) => {
      const { status: given, text } = await answer;
      expect(given, text).to.equal(status);
    };

    before(async () => {
      await issuer.rotate('one');
      receiver = await startReceiver();
      const url = await freshUrl();
      database = await openDatabase({ url });
      await migrate(database);
      await apply(EVERYTHING);
      vm = await startGuarded(url, { subscriptionTargets: ['127.0.0.0/8'] });
      const tenants = [{ name: 'north', hosts: ['north.example.org'] }];
      const access = accessOf([...all, revoked.record], { readToken: issuer.reader(), tenants });
      // thousands of attempts from one address
      gateway = await bench.gatewayTo(vm, { dataPlane, limits: { strangersPerSecond: 10_000 } }, { access });
      await until('the VM answers', async () => (await rest(bearer(revoked.key))).status === 200);
      await gateway.setKeys(all);

      // a subscription by each door while beta may see everything
      const subscribe = `<q:Subscribe><queryName>SimpleEventQuery</queryName><params/><dest>${receiver.url}</dest><controls>
        <trigger>urn:x:captured</trigger><reportIfEmpty>false</reportIfEmpty></controls><subscriptionID>news</subscriptionID></q:Subscribe>`;
      await took(soap(bearer(beta.key), subscribe), 200);
      const stream = `ws://127.0.0.1:${gateway.address.port}/queries/SimpleEventQuery/events?stream=true`;
      const socket = new WebSocket(stream, { headers: bearer(beta.key) });
      socket.on('message', (data: Buffer) => heard.push(data.toString()));
      await once(socket, 'open');
      bench.atEnd(async () => socket.terminate());
      const query = { EQ_action: ['OBSERVE'] };
      await took(rest(bearer(beta.key), '/queries', 'POST', { name: 'of old', query }), 201);
      for (const id of ['01', '02'])
        await took(rest(bearer(acme.key), '/events', 'POST', event(id, [`${ACME_EPC}0`])), 201);
      const seesIt = async () => (await rest(bearer(beta.key))).text.includes(ID('01'));
      await until('it sees everything', seesIt);
      await until('the socket has it', () => heard.some((text) => text.includes(ID('01'))));
      oldToken = nextOf(await rest(bearer(beta.key), '/events?perPage=1&orderBy=recordTime&orderDirection=ASC'));
      const location = (await rest(bearer(beta.key), '/exports', 'POST', { query: {} })).headers['location'];
      oldExport = `${String(location)}/document`;
      await until('it is made', async () => (await rest(bearer(beta.key), oldExport)).text.includes(ID('01')));
      await apply(RULES);
      await until('it does not any more', async () => !(await seesIt()));

      await took(xml(bearer(acme.key), '/epcis/capture', PLACES), 200);
      for (const one of [acmes('a1'), acmes('a2')]) await took(rest(bearer(acme.key), '/events', 'POST', one), 201);
      for (const one of denied()) await took(rest(bearer(acme.key), '/events', 'POST', one), 201);
      for (const one of DENIED_XML) await took(xml(bearer(acme.key), '/epcis/capture', one), 200);
      const named = { name: 'theirs', query };
      const other = keyOf('other');
      await gateway.setKeys([...all, other.record]);
      await took(rest(bearer(other.key), '/queries', 'POST', named), 201);
      await gateway.setKeys(all);
      await took(rest(bearer(acme.key), '/queries', 'POST', { ...named, name: 'for all' }), 201);
      await took(rest(bearer(beta.key), '/events', 'POST', betas('b1')), 201);
      await until('both subscriptions have its own', () =>
        [heard, receiver.requests.map(({ body }) => body)].every((got) => got.some((text) => text.includes('of-beta'))),
      );
    });
    after(async () => {
      await bench.close();
      await vm.close();
      await database.close();
      receiver.close();
      rmSync(folder, { recursive: true });
    });

    async function attacks(): Promise<Readonly<Record<string, Attack>>> {
      const b64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
      const [, payload = ''] = (await issuer.token()).split('.');
      const hs256 = `${b64({ alg: 'HS256', kid: 'one' })}.${payload}`;
      const confused = `${hs256}.${createHmac('sha256', JSON.stringify(issuer.public)).update(hs256).digest('base64url')}`;
      const basic = (name: string, key: string) => ({
        authorization: `Basic ${Buffer.from(`${name}:${key}`).toString('base64')}`,
      });
      const both = (fields: Fields): Attack => [() => read(fields), () => soap(fields)];
      const forged = vouchedFor(client('acme', { roles: ['query'] }), 'GET', '/events');
      const own = bearer(beta.key);
      const asked = (query: string, parameters: Readonly<Record<string, string>>): Attack => [
        () => read(own, `/events?${query}`),
        () => soap(own, poll('SimpleEventQuery', parameters)),
      ];
      const by = (name: string, value: string) =>
        asked(`${encodeURIComponent(name)}=${encodeURIComponent(value)}`, { [name]: value });
      const captured = (...epcs: string[]): Attack => [
        () => rest(own, '/events', 'POST', event('c1', epcs)),
        () => xml(own, '/epcis/capture', xmlOf(...epcs)),
      ];
      const next = nextOf(await rest(bearer(acme.key), '/events?perPage=1'));
      const job = (await rest(bearer(acme.key), '/capture', 'POST', {})).headers['location'];
      const exported = (await rest(bearer(acme.key), '/exports', 'POST', { query: {} })).headers['location'];
      const delivered = (texts: readonly string[]): Try => {
        const later = texts.filter((text) => !text.includes(ID('01')) && !text.includes(ID('02'))).join('');
        return async () => ({ status: 200, text: later, headers: {} }) as unknown as Answer;
      };
      return {
        'anybody, without a token': both({}),
        'a wrong key': both(bearer(`${beta.key.slice(0, -4)}AAAA`)),
        'a revoked key': both(bearer(revoked.key)),
        'a revoked key, by Basic': both(basic(partner, revoked.key)),
        'an expired key': both(bearer(expired.key)),
        "another's name with its own key": both(basic('acme', beta.key)),
        'the hash of a key': both(bearer(acme.record.hash)),
        'an expired token': both(bearer(await issuer.token({}, Math.floor(Date.now() / 1000) - 60))),
        'a token for another audience': both(bearer(await issuer.token({ aud: 'another' }))),
        'a token of another issuer': both(bearer(await issuer.token({ iss: 'https://evil.example.org' }))),
        'a token with alg: none': both(bearer(`${b64({ alg: 'none' })}.${payload}.`)),
        'a token signed with the public key as a password': both(bearer(confused)),
        'a forged header of the gateway': both(forged),
        'a forged header of the gateway, with its own key': both({ ...own, ...forged }),
        'the VM itself, with its own key': [
          () => ask(vm.port, '/events', { headers: own }),
          () => xml(own, '/epcis/query', envelope(poll('SimpleEventQuery')), vm.port),
        ],
        "a tenant's host, with a key of none": both({ ...own, host: 'north.example.org' }),
        "a key of a tenant that this VM doesn't have": both(bearer(north.key)),
        'a role that it lacks': [
          () => rest(bearer(reader.key), '/events', 'POST', betas('c2')),
          () => xml(bearer(reader.key), '/epcis/capture', xmlOf(`${BETA_EPC}1`)),
        ],
        'all events': both(own),
        "another's page token": [() => read(own, next), undefined],
        'its own page token, from before the rule': [() => read(own, oldToken), undefined],
        'its own named query, from before the rule': [
          () => read(own, '/queries/of%20old/events'),
          () => soap(own, poll('of old')),
        ],
        "another's named query": [() => read(own, '/queries/theirs/events'), () => soap(own, poll('theirs'))],
        "another's named query, to delete it": [() => rest(own, '/queries/theirs', 'DELETE'), undefined],
        "another's named query, by the name that it is stored under": [
          () => read(own, `/queries/${encodeURIComponent(storedName(client('acme'), 'theirs'))}/events`),
          undefined,
        ],
        'a named query for all': [() => read(own, '/queries/for%20all/events'), () => soap(own, poll('for all'))],
        'a subscription made before the rule': [delivered(heard), delivered(receiver.requests.map(({ body }) => body))],
        'places below one, by master data': by('WD_readPoint', SITE),
        "another's places": [
          () => read(own, '/readPoints'),
          () => soap(own, poll('SimpleMasterDataQuery', { includeAttributes: 'true', includeChildren: 'true' })),
        ],
        'an event by its ID': [
          () => read(own, `/events/${ID('a1')}`),
          () => soap(own, poll('SimpleEventQuery', { EQ_eventID: ID('a1') })),
        ],
        'an event by its EPC': by('MATCH_epc', `${ACME_EPC}1`),
        'an event by its EPC as a digital link': by('MATCH_epc', `${ACME_LINK}1`),
        'an event by its EPC in upper case': by('MATCH_epc', `${ACME_EPC}1`.toUpperCase()),
        'an event by its EPC with escapes': by('MATCH_epc', `${ACME_LINK}%31`),
        "an event by its EPC as a tag's URI": by('MATCH_epc', 'urn:epc:tag:sgtin-96:3.0614141.107346.1'),
        'an event by its EPC at another domain': by('MATCH_epc', ACME_LINK.replace('id.gs1.org', 'x.example/y') + '1'),
        'an event by a pattern of all EPCs': by('MATCH_anyEPC', 'urn:epc:idpat:sgtin:*.*.*'),
        "an event by its EPC as JSON-LD's value, in a query of its own": [
          () => rest(own, '/queries', 'POST', { name: 'odd', query: { MATCH_epc: [{ '@value': `${ACME_EPC}1` }] } }),
          undefined,
        ],
        'an event by its place in upper case': by('EQ_readPoint', DOCK.toUpperCase()),
        'an event by its place as a digital link': by('EQ_readPoint', 'https://id.gs1.org/414/0614141000012/254/0'),
        'an event by its step': by('EQ_bizStep', 'destroying'),
        'an event by its step as a URI': by('EQ_bizStep', 'urn:epcglobal:cbv:bizstep:destroying'),
        'an event by a field that it is denied for': by(`EQ_${NS}grade`, 'secret'),
        'an event by such a field as a number': by(`GE_${NS}grade`, '20'),
        'an event by such a field as JSON-LD writes it': by(`EQ_INNER_${NS}#@value`, 'secret'),
        "whether an event is there, by its answer's head": [() => rest(own, `/events/${ID('a1')}`, 'HEAD'), undefined],
        'a path in upper case': [
          () => read(own, '/EVENTS'),
          () => xml(own, '/EPCIS/query', envelope(poll('SimpleEventQuery'))),
        ],
        'whether there are more events than two': asked('maxEventCount=2', { maxEventCount: '2' }),
        'a field that is hidden, by its value': by(`EQ_${NS}price`, '11'),
        'a field that is hidden, by whether it is there': asked(`EXISTS_${encodeURIComponent(`${NS}price`)}=true`, {
          [`EXISTS_${NS}price`]: '',
        }),
        "the trace of another's EPC": [() => read(own, `/epcs/${ACME_EPC}1/trace`), undefined],
        "another's capture job": [() => read(own, job), undefined],
        'its own export, from before the rule': [() => read(own, oldExport), undefined],
        "another's export": [() => read(own, exported), undefined],
        "another's export, to delete it": [() => rest(own, exported, 'DELETE'), undefined],
        "to capture another's EPC": captured(`${ACME_EPC}9`),
        "to capture another's EPC among its own": captured(`${BETA_EPC}9`, `${ACME_EPC}9`),
        "to capture another's EPC as a digital link": captured(`${ACME_LINK}9`),
        "to capture another's EPC as a tag's URI": captured('urn:epc:tag:sgtin-96:3.0614141.107346.9'),
        "to capture another's class among EPCs": captured('urn:epc:idpat:sgtin:0614141.107346.*'),
        "to capture another's EPC in upper case": captured(`${ACME_EPC}9`.toUpperCase()),
        "to capture another's EPC written otherwise (a prefix of its own, a character reference)": [
          () =>
            rest(own, '/events', 'POST', {
              ...event('c3', ['b:0614141.107346.9']),
              '@context': [{ b: 'urn:epc:id:sgtin:' }],
            }),
          () => xml(own, '/epcis/capture', xmlOf('urn:epc:id:sgtin:&#48;614141.107346.9')),
        ],
        "to capture another's EPC as JSON-LD's value, or as its object": [
          async () => {
            const asValue = event('c5', []);
            const epcs: readonly object[] = [{ '@value': `${ACME_EPC}9` }, { '@id': `${ACME_EPC}9` }, [`${ACME_EPC}9`]];
            const [first, ...others] = epcs.map((epc) => rest(own, '/events', 'POST', { ...asValue, epcList: [epc] }));
            for (const other of others) expect((await other).status).to.equal((await first)?.status);
            return (await first) as Answer;
          },
          undefined,
        ],
        "to capture that its own is in another's": [
          () => {
            const { epcList: childEPCs, ...others } = event('c4', [`${BETA_EPC}9`]);
            const within = { ...others, type: 'AggregationEvent', parentID: `${ACME_LINK}9`, childEPCs };
            return rest(own, '/events', 'POST', within);
          },
          undefined,
        ],
        "to declare another's event an error": [
          () =>
            rest(own, '/events', 'POST', {
              ...event('a1', [`${BETA_EPC}1`]),
              errorDeclaration: { declarationTime: '2026-03-01T00:00:00Z' },
            }),
          undefined,
        ],
        "whether an event's ID is taken": [
          () => rest(own, '/events', 'POST', event('a2', [`${BETA_EPC}2`])),
          undefined,
        ],
        'to end a subscription that it does not have': [
          () => rest(own, '/queries/SimpleEventQuery/subscriptions/none', 'DELETE'),
          () => soap(own, '<q:Unsubscribe><subscriptionID>none</subscriptionID></q:Unsubscribe>'),
        ],
      };
    }

    it('is what comes of them', async () => {
      // what would be seen as a leak is one: acme gets it
      for (const answer of [await rest(bearer(acme.key)), await soap(bearer(acme.key))])
        expect(outcomeOf(answer)).to.equal('LEAK');
      const audited = (await rest(bearer(auditor.key), '/events?perPage=100')).text;
      expect(audited.match(/of-acme/g)).to.have.length(2 + denied().length + DENIED_XML.length);
      const lines: string[] = [];
      for (const [name, tries] of Object.entries(await attacks())) {
        const cells = [];
        for (const one of tries) cells.push(one === undefined ? '–' : outcomeOf(await one()));
        lines.push(`${name} | ${cells.join(' | ')}`);
      }
      const table = readFileSync(TABLE, 'utf8').split('\n');
      const expected = table
        .filter((line) => /^\|[^|]+\|[^|]+\|[^|]+\|$/.test(line) && !line.includes('---') && !line.includes('| REST '))
        .map((line) =>
          line
            .slice(1, -1)
            .split('|')
            .map((cell) => cell.trim())
            .join(' | '),
        );
      expect(lines.join('\n')).to.equal(expected.join('\n'));
    });
  });
}
