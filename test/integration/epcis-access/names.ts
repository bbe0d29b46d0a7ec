// What names, numbers and page tokens tell of others.
import { expect } from 'chai';
import { storedName } from '../../../epcis/repository/ownership.ts';
import type { ClientIdentity } from '../../../epcis/access/identity.ts';
import { epcKey } from '../../../epcis/domain/epc.ts';
import { as } from '../../helpers/access.ts';
import {
  ACME,
  acmeEpc,
  BETA,
  betaEpc,
  event,
  json,
  MASTER,
  OBSERVER,
  PLACES,
  poll,
  RULES,
  soap,
  type Shape,
} from '../../helpers/partners.ts';
import { subscribe, type Partnership } from './partnership.ts';

export function aboutNames({ ask, database, openRepository, receiver, eventsOf }: Partnership): void {
  it('give names of their own, whatever names others gave', async () => {
    const own = json({ name: 'theirs', query: { EQ_bizStep: ['receiving'] } });
    expect((await ask(BETA, '/queries', own)).status).to.equal(201);
    expect((await ask(BETA, '/queries', own)).status).to.equal(409);
    expect(await eventsOf(BETA, '/queries/theirs/events')).to.deep.equal(['5']);
    expect(await eventsOf(ACME, '/queries/theirs/events')).to.deep.equal(['2', '3', '4']);
    expect((await ask(BETA, '/epcis/query', subscribe('S-1', receiver().url))).status).to.equal(200);
    const again = await ask(BETA, '/epcis/query', subscribe('S-1', receiver().url));
    expect(await again.text()).to.contain('DuplicateSubscriptionException');
    expect(
      (await ask(BETA, '/epcis/query', soap('<q:Unsubscribe><subscriptionID>S-1</subscriptionID></q:Unsubscribe>')))
        .status,
    ).to.equal(200);
    const ids = soap('<q:GetSubscriptionIDs><queryName>SimpleEventQuery</queryName></q:GetSubscriptionIDs>');
    expect(await (await ask(ACME, '/epcis/query', ids)).text()).to.contain('<string>S-1</string>');
    expect((await ask(BETA, '/queries/theirs', { method: 'DELETE' })).status).to.equal(204);
    expect((await ask(ACME, '/queries/theirs')).status).to.equal(200);
    // what an administrator makes is for all, and nobody else's to delete
    expect((await ask(OBSERVER, '/queries', json({ name: 'for all', query: {} }))).status).to.equal(201);
    expect(await eventsOf(BETA, '/queries/for%20all/events')).to.deep.equal(['2', '5']);
    expect((await ask(BETA, '/queries/for%20all', { method: 'DELETE' })).status).to.equal(403);
    expect((await ask(OBSERVER, '/queries/for%20all', { method: 'DELETE' })).status).to.equal(204);
  });

  it('find no query of another by the name that it is stored under', async () => {
    const stored = encodeURIComponent(storedName(ACME, 'theirs'));
    expect((await ask(ACME, '/queries/theirs')).status).to.equal(200);
    for (const who of [BETA, OBSERVER]) {
      for (const path of ['', '/events', '/subscriptions', '/subscriptions/S-1'])
        expect((await ask(who, `/queries/${stored}${path}`)).status, path).to.equal(404);
      expect((await ask(who, `/queries/${stored}`, { method: 'DELETE' })).status).to.equal(404);
      const subscription = json({ dest: receiver().url, stream: true });
      expect((await ask(who, `/queries/${stored}/subscriptions`, subscription)).status).to.equal(404);
      expect((await ask(who, '/exports', json({ queryName: storedName(ACME, 'theirs') }))).status).to.equal(404);
    }
    expect((await ask(ACME, '/queries/theirs')).status).to.equal(200);
  });

  it('list places as events that they see write them, not as others did before', async () => {
    const place = 'urn:epc:id:sgln:9521141.00001.0';
    const theirs = epcKey(place).replace('id.gs1.org', 'acme.example/a/project');
    const at = (shape: Omit<Shape, 'readPoint'>, id: string) => ({
      ...event({ ...shape, readPoint: id }),
      bizLocation: { id },
    });
    const [server] = await openRepository(RULES, undefined, [
      at({ n: 1, epc: acmeEpc(1), bizStep: 'commissioning' }, theirs),
      at({ n: 5, epc: betaEpc(1), bizStep: 'receiving' }, place),
      at({ n: 6, epc: betaEpc(1), bizStep: 'receiving' }, 'urn:x:beta:gate'),
    ]);
    try {
      for (const list of ['/readPoints', '/bizLocations']) {
        const found = async (who: ClientIdentity, page = '') => {
          const answer = await as(server, who, list + page);
          return { next: answer.headers.get('link'), ...((await answer.json()) as { member: string[] }) };
        };
        expect((await found(BETA)).member, list).to.deep.equal([place, 'urn:x:beta:gate']);
        expect((await found(ACME)).member, list).to.deep.equal([theirs]);
        const first = await found(BETA, '?perPage=1');
        const next = /<[^?]+([^>]+)>/.exec(first.next ?? '')?.[1] ?? '';
        expect([...first.member, ...(await found(BETA, next)).member].sort()).to.deep.equal([place, 'urn:x:beta:gate']);
      }
    } finally {
      await server.close();
    }
  });

  it('go below a place by the vocabularies that they see, not by others of the same names', async () => {
    const elements = (kind: string, all: Readonly<Record<string, readonly string[]>>) =>
      `<Vocabulary type="urn:epcglobal:epcis:vtype:${kind}"><VocabularyElementList>` +
      Object.entries(all)
        .map(([id, below]) => {
          const ids = below.map((each) => `<id>${each}</id>`).join('');
          return `<VocabularyElement id="${id}">${ids && `<children>${ids}</children>`}</VocabularyElement>`;
        })
        .join('') +
      '</VocabularyElementList></Vocabulary>';
    const places = PLACES([], false).replace(
      /<Vocabulary .*<\/Vocabulary>/,
      elements('ReadPoint', { 'urn:x:site': ['urn:x:hall'] }) +
        elements('BusinessLocation', { 'urn:x:site': ['urn:x:gate'], 'urn:x:gate': [], 'urn:x:hall': [] }),
    );
    const known = { vocabularyName: 'urn:epcglobal:epcis:vtype:BusinessLocation' };
    const rules = [...RULES.rules, { name: 'beta knows locations', for: 'client:beta', masterData: known }];
    const [server] = await openRepository({ rules }, places, [
      event({ n: 5, epc: betaEpc(1), bizStep: 'receiving', readPoint: 'urn:x:gate' }),
      event({ n: 6, epc: betaEpc(2), bizStep: 'receiving', readPoint: 'urn:x:hall' }),
    ]);
    try {
      const found = async (who: ClientIdentity) =>
        [...(await (await as(server, who, '/events?WD_readPoint=urn:x:site')).text()).matchAll(/0000(\d)"/g)].map(
          ([, n]) => n,
        );
      expect((await found(OBSERVER)).sort()).to.deep.equal(['5', '6']);
      expect(await found(BETA)).to.deep.equal(['5']);
      const below = await as(
        server,
        BETA,
        '/epcis/query',
        poll('SimpleMasterDataQuery', { ...MASTER, WD_name: 'urn:x:site' }),
      );
      expect([...(await below.text()).matchAll(/Element id="([^"]+)"/g)].map(([, id]) => id).sort()).to.deep.equal([
        'urn:x:gate',
        'urn:x:site',
      ]);
    } finally {
      await server.close();
    }
  });

  it('are told by no number of a row how many events of others were captured between two of theirs', async () => {
    const numbers = await database().all('SELECT CAST(id AS CHAR(20)) AS id FROM event');
    expect(numbers).to.have.length.greaterThan(5);
    const parts: string[] = [];
    for (let next = '/events?perPage=1'; next !== '';) {
      next = /<([^>]+)>/.exec((await ask(ACME, next)).headers.get('link') ?? '')?.[1] ?? '';
      const [payload = ''] = (next.split('nextPageToken=')[1] ?? '').split('.');
      parts.push(Buffer.from(payload, 'base64url').toString());
    }
    expect(parts).to.have.length.greaterThan(3);
    const graph = await (await ask(ACME, `/epcs/${encodeURIComponent(acmeEpc(1))}/trace/graph`)).text();
    expect(graph).to.match(/"id":"event:[\w-]+"/);
    for (const { id } of numbers) expect([...parts, graph].join(' ')).to.not.contain(String(id));
  });

  it('cannot use each other’s page tokens', async () => {
    const link = (await ask(ACME, '/events?perPage=1')).headers.get('link') ?? '';
    const next = /<([^>]+)>/.exec(link)?.[1] ?? '';
    expect((await ask(ACME, next)).status).to.equal(200);
    const stolen = await ask(BETA, next);
    expect(stolen.status).to.equal(400);
    expect(await stolen.text()).to.contain('was not issued by this service');
  });
}
