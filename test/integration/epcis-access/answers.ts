// What they are answered.
import { expect } from 'chai';
import type { ClientIdentity } from '../../../epcis/access/identity.ts';
import type { EpcisServer } from '../../../epcis/server.ts';
import { as } from '../../helpers/access.ts';
import {
  ACME,
  acmeEpc,
  ALL,
  BETA,
  BETA_PARTY,
  betaEpc,
  comparable,
  DOCK,
  MASTER,
  NS,
  OBSERVER,
  PILOT,
  poll,
  SITE,
  soap,
  STRANGER,
} from '../../helpers/partners.ts';
import type { Partnership } from './partnership.ts';

const answer = async (server: EpcisServer, who: ClientIdentity, path: string, init: RequestInit = {}) => {
  const response = await as(server, who, path, init);
  const link = response.headers.get('link');
  const text = comparable(await response.text());
  return { status: response.status, link: link && comparable(link), text, fields: fieldsOf(response.headers) };
};
/** Without what differs between any two answers; an event without its hidden fields is written anew, so its length may differ. */
const fieldsOf = (headers: Headers) =>
  [...headers].filter(
    ([name]) => !['date', 'link', 'etag', 'content-length', 'gs1-next-page-token-expires'].includes(name),
  );

const dl = (epc: string) =>
  epc.replace(/urn:epc:id:sgtin:0614141.107346.(\d)/, 'https://id.gs1.org/01/10614141073464/21/$1');
const ASKED: readonly string[] = [
  ...['/', '/events', '/events?perPage=1', '/eventTypes', '/epcs', '/epcs?perPage=1', '/bizSteps', '/bizLocations'],
  ...['/readPoints', '/readPoints?perPage=1', '/dispositions', '/capture', '/queries'],
  ...ALL.map(({ n }) => `/events/urn:uuid:00000000-0000-4000-8000-00000000000${n}`),
  ...ALL.map(({ epc }) => `/epcs/${epc}`),
  ...ALL.flatMap(({ epc }) =>
    ['events', 'trace', 'trace/graph', 'trace/picture'].map((below) => `/epcs/${epc}/${below}`),
  ),
  ...[DOCK, PILOT, SITE, 'urn:x:nowhere'].flatMap((place) => [`/readPoints/${place}`, `/readPoints/${place}/events`]),
  ...['damaged', 'in_transit', 'nothing'].flatMap((word) => [`/dispositions/${word}`, `/dispositions/${word}/events`]),
  ...[
    '/queries/theirs',
    '/queries/theirs/events',
    '/queries/theirs/subscriptions',
    '/queries/theirs/subscriptions/S-1',
  ],
  ...['/capture/00000000-0000-0000-0000-000000000000', '/queries/SimpleEventQuery/subscriptions'],
  // counts
  ...[1, 2, 3, 5].map((most) => `/events?maxEventCount=${most}`),
  // what is hidden: fields of the hidden, sorted by and filtered by
  ...[
    `EQ_acme:price=11`,
    `EXISTS_acme:price=true`,
    `GT_acme:price=1`,
    `orderBy=acme:price`,
    'EXISTS_acme:lot=true',
  ].map((query) => `/events?${query}`),
  ...['EXISTS_sensorElementList=true', 'EQ_type=Temperature', 'GE_value_CEL=1', 'EQ_INNER_acme:price=11'].map(
    (query) => `/events?${query}`,
  ),
  // by other ways to the same events
  ...[acmeEpc(1), acmeEpc(2), betaEpc(1)].flatMap((epc) => [
    `/events?MATCH_anyEPC=${epc}`,
    `/events?MATCH_epc=${dl(epc)}`,
  ]),
  '/events?MATCH_epc=urn:epc:idpat:sgtin:*.*.*',
  '/events?MATCH_epc=urn:epc:idpat:sgtin:0614141.107346.*',
  `/events?MATCH_epc=${acmeEpc(2).toUpperCase()}`,
  `/events?EQ_readPoint=${PILOT}|${DOCK}`,
  `/events?EQ_readPoint=${PILOT.toUpperCase()}`,
  `/events?WD_readPoint=${SITE}`,
  `/events?WD_readPoint=${DOCK}`,
  '/events?HASATTR_readPoint=urn:x:city',
  '/events?EQATTR_readPoint_urn:x:city=Porto',
  `/events?EQ_destination_owning_party=${BETA_PARTY}`,
  '/events?EQ_bizStep=shipping&orderBy=eventTime&orderDirection=ASC&eventCountLimit=1',
  '/events?orderBy=recordTime&eventCountLimit=2',
  '/events?EQ_eventID=urn:uuid:00000000-0000-4000-8000-000000000003|urn:uuid:00000000-0000-4000-8000-000000000002',
  '/events?wrong=1',
];

export function aboutAnswers({ ask, shared, alone, eventsOf }: Partnership): void {
  it('see what the rules let them see', async () => {
    expect(await eventsOf(OBSERVER)).to.deep.equal(['1', '2', '3', '4', '5', '6']);
    expect(await eventsOf(ACME)).to.deep.equal(['1', '2', '3', '4']);
    expect(await eventsOf(BETA)).to.deep.equal(['2', '5']);
    expect(await eventsOf(STRANGER)).to.deep.equal([]);
    const text = await (await ask(BETA, '/events')).text();
    expect(text).to.contain('acme:lot').and.not.contain('price').and.not.contain('sensor');
    expect(await (await ask(ACME, '/events')).text())
      .to.contain('acme:price')
      .and.contain('Temperature');
  });

  it('get what a repository with nothing else would give, by REST', async () => {
    for (const type of ['application/json', 'application/xml'])
      // the forms have the service in common: some paths do for the second
      for (const path of type.endsWith('json') ? ASKED : ASKED.filter((_, n) => n % 4 === 0)) {
        const init = { headers: { Accept: type, 'GS1-Extensions': `acme=${NS}` } };
        const [theirs, ours] = [await answer(alone(), BETA, path, init), await answer(shared(), BETA, path, init)];
        expect(ours, `${type} ${path}`).to.deep.equal(theirs);
      }
  });

  it('get what a repository with nothing else would give, by other methods and under conditions', async () => {
    const asked = ['HEAD', 'OPTIONS', 'PUT', 'PATCH'].map((method): RequestInit => ({ method }));
    const conditions = ['*', '"x"', 'W/"x"'].map((tag): RequestInit => ({ headers: { 'If-None-Match': tag } }));
    const forms = ['Always_EPC_URN', 'Always_GS1_Digital_Link'].map((form): RequestInit => ({
      headers: { 'GS1-EPC-Format': form, 'Accept-Encoding': 'gzip' },
    }));
    const since = { headers: { 'If-Modified-Since': 'Thu, 01 Jan 2026 00:00:00 GMT', Range: 'bytes=0-10' } };
    for (const path of ASKED.filter((_, n) => n % 3 === 0))
      for (const init of [...asked, ...conditions, ...forms, since]) {
        const [theirs, ours] = [await answer(alone(), BETA, path, init), await answer(shared(), BETA, path, init)];
        expect(ours, `${JSON.stringify(init)} ${path}`).to.deep.equal(theirs);
      }
  });

  it('get what a repository with nothing else would give, by SOAP', async () => {
    const asked = [
      poll('SimpleEventQuery'),
      poll('SimpleEventQuery', { maxEventCount: '1' }),
      poll('SimpleEventQuery', { maxEventCount: '2' }),
      poll('SimpleEventQuery', { [`EQ_${NS}price`]: '11' }),
      poll('SimpleEventQuery', { MATCH_epc: acmeEpc(2) }),
      poll('SimpleEventQuery', { WD_readPoint: SITE }),
      poll('theirs'),
      poll('SimpleMasterDataQuery', MASTER),
      poll('SimpleMasterDataQuery', { ...MASTER, WD_name: SITE }),
      poll('SimpleMasterDataQuery', { ...MASTER, EQ_name: PILOT }),
      poll('SimpleMasterDataQuery', { ...MASTER, HASATTR: 'urn:x:city' }),
      poll('SimpleMasterDataQuery', { ...MASTER, maxElementCount: '1' }),
      soap('<q:GetQueryNames/>'),
      soap('<q:GetSubscriptionIDs><queryName>SimpleEventQuery</queryName></q:GetSubscriptionIDs>'),
      soap('<q:GetSubscriptionIDs><queryName>theirs</queryName></q:GetSubscriptionIDs>'),
      soap('<q:Unsubscribe><subscriptionID>S-1</subscriptionID></q:Unsubscribe>'),
    ];
    for (const init of asked) {
      const [theirs, ours] = [
        await answer(alone(), BETA, '/epcis/query', init),
        await answer(shared(), BETA, '/epcis/query', init),
      ];
      expect(ours, JSON.stringify(init.body)).to.deep.equal(theirs);
    }
  });
}
