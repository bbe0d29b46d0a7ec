// The life of an EPC, over both databases, by the REST door; and what one trace may cost.
import { expect } from 'chai';
import { XmlDocument } from 'libxml2-wasm';
import { openDatabase } from '../../epcis/repository/database/open.ts';
import { createEventRepository } from '../../epcis/repository/event-repository.ts';
import { startEpcisServer, type EpcisServer } from '../../epcis/server.ts';
import { traceOf } from '../../epcis/service/trace.ts';
import { KINDS } from '../helpers/fresh-repository.ts';
import { present } from '../helpers/present.ts';

const CONTEXT = 'https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld';
const CBV = 'https://ref.gs1.org/standards/epcis/';

const LOT = 'urn:epc:class:lgtin:0614141.107346.LOT1';
const FLAVOUR = 'https://id.gs1.org/01/10614141073402/10/F1';
const BOTTLE = 'urn:epc:id:sgtin:0614141.107346.1';
const BOTTLE_LINK = 'https://id.gs1.org/01/10614141073464/21/1';
const OTHER = 'urn:epc:id:sgtin:0614141.107346.2';
const CASE = 'urn:epc:id:sgtin:0614141.107347.7';
const PALLET = 'urn:epc:id:sscc:0614141.1234567890';
const TRUCK = 'urn:epc:id:giai:0614141.TRUCK1';
const ids = new Map<string, string>();

/** The events are known by their names in what follows: `make`, `pack` … */
function event(name: string, type: string, hour: number, fields: object): object {
  const eventID = `urn:uuid:00000000-0000-4000-8000-${String(ids.size).padStart(12, '0')}`;
  ids.set(eventID, name);
  const eventTime = `2024-01-01T${String(hour).padStart(2, '0')}:00:00Z`;
  return { type, eventID, eventTime, eventTimeZoneOffset: '+00:00', ...fields };
}
const seen = (name: string, hour: number, epc: string, bizStep = 'inspecting') =>
  event(name, 'ObjectEvent', hour, { epcList: [epc], action: 'OBSERVE', bizStep });
const packs = (name: string, hour: number, parentID: string, childEPCs: string[], action = 'ADD') =>
  event(name, 'AggregationEvent', hour, { parentID, childEPCs, action, bizStep: 'packing' });

const EVENTS = [
  event('lot arrives', 'ObjectEvent', 1, { quantityList: [{ epcClass: LOT, quantity: 100 }], action: 'OBSERVE' }),
  event('flavour mixed', 'TransformationEvent', 2, {
    inputQuantityList: [{ epcClass: 'urn:epc:idpat:sgtin:0614141.107399.*' }],
    outputQuantityList: [{ epcClass: FLAVOUR, quantity: 5 }],
  }),
  // one transformation in two events, under one ID
  event('bottling begins', 'TransformationEvent', 3, {
    inputQuantityList: [{ epcClass: LOT }, { epcClass: FLAVOUR }],
    transformationID: 'urn:uuid:t1',
  }),
  event('bottling ends', 'TransformationEvent', 4, { outputEPCList: [BOTTLE, OTHER], transformationID: 'urn:uuid:t1' }),
  seen('lot after', 5, LOT),
  seen('bottle checked', 5, BOTTLE_LINK),
  seen('case before', 5, CASE),
  packs('pallet on truck', 6, TRUCK, [PALLET]),
  packs('pack', 7, CASE, [BOTTLE, OTHER]),
  seen('case checked', 8, CASE),
  packs('palletise', 9, PALLET, [CASE]),
  seen('ship', 10, PALLET, 'shipping'),
  seen('truck leaves', 11, TRUCK, 'departing'),
  seen('receive', 12, PALLET, 'receiving'),
  // without children: all of them are taken off
  event('unload', 'AggregationEvent', 13, { parentID: PALLET, action: 'DELETE', bizStep: 'unpacking' }),
  seen('pallet after', 14, PALLET),
  packs('unpack', 15, CASE, [BOTTLE], 'DELETE'),
  seen('case after', 16, CASE),
  seen('sold', 17, BOTTLE, 'retail_selling'),
  event('refilled', 'TransformationEvent', 18, { inputEPCList: [BOTTLE], outputEPCList: [`${BOTTLE}0`] }),
  // and round again: refilled bottles become the first one
  event('emptied', 'TransformationEvent', 19, { inputEPCList: [`${BOTTLE}0`], outputEPCList: [BOTTLE] }),
];

interface Node {
  readonly id: string;
  readonly kind: string;
  readonly epc?: string;
  readonly eventID?: string;
}
interface Graph {
  readonly nodes: Node[];
  readonly edges: { from: string; to: string; role: string }[];
  readonly bounded?: string;
}

for (const [kind, freshUrl] of KINDS)
  describe(`the trace of an EPC on ${kind}`, function () {
    this.timeout(60_000);
    let url: string;
    let server: EpcisServer;

    before(async () => {
      url = await freshUrl();
      const log = { error: () => {}, warn: () => {}, info: () => {} };
      server = await startEpcisServer({ repository: { url }, port: 0, log });
      for (const each of EVENTS) await store(each);
    });
    after(() => server.close());

    const store = async (each: object) => {
      const body = JSON.stringify({ '@context': CONTEXT, ...each });
      const headers = { 'Content-Type': 'application/json' };
      const answer = await fetch(`${server.address}/events`, { method: 'POST', headers, body });
      expect(answer.status, await answer.text()).to.equal(201);
    };
    const get = (path: string, headers: Record<string, string> = {}) => fetch(server.address + path, { headers });
    const names = async (epc: string, query = '') => {
      const answer = await get(`/epcs/${encodeURIComponent(epc)}/trace?perPage=1000&${query}`);
      const text = await answer.text();
      expect(answer.status, text).to.equal(200);
      const { epcisBody } = JSON.parse(text) as {
        epcisBody: { queryResults: { resultsBody: { eventList: { eventID: string }[] } } };
      };
      return epcisBody.queryResults.resultsBody.eventList.map(({ eventID }) => ids.get(eventID));
    };
    const graph = async (epc: string, query = ''): Promise<Graph> =>
      (await (await get(`/epcs/${encodeURIComponent(epc)}/trace/graph?perPage=1000&${query}`)).json()) as Graph;

    const BACK = ['lot arrives', 'flavour mixed', 'bottling begins', 'bottling ends'];
    const OWN = ['bottling ends', 'bottle checked', 'pack', 'unpack', 'sold', 'refilled', 'emptied'];
    const CARRIED = ['case checked', 'palletise', 'ship', 'truck leaves', 'receive', 'unload'];

    it('follows aggregations while they last, carriers of carriers too, and transformations both ways', async () => {
      expect(await names(BOTTLE)).to.deep.equal([
        ...BACK,
        ...['bottle checked', 'pack', 'case checked', 'palletise', 'ship', 'truck leaves', 'receive', 'unload'],
        ...['unpack', 'sold', 'refilled', 'emptied'],
      ]);
    });

    it('has its own events only at depth 0, and one step more with each', async () => {
      expect(await names(BOTTLE, 'depth=0')).to.deep.equal(OWN);
      const one = await names(BOTTLE, 'depth=1');
      expect(one)
        .to.include.members([...BACK, 'case checked', 'palletise'])
        .and.not.include('ship');
      const two = await names(BOTTLE, 'depth=2');
      expect(two).to.include.members(['ship', 'receive']).and.not.include('truck leaves');
    });

    it('is the same for a URN and a digital link', async () => {
      expect(await names(BOTTLE_LINK)).to.deep.equal(await names(BOTTLE));
      expect(await names('https://example.org/01/10614141073464/21/1?x=y')).to.deep.equal(await names(BOTTLE));
    });

    it('goes back or forward alone', async () => {
      expect(await names(BOTTLE, 'direction=forward')).to.deep.equal([
        ...['bottling ends', 'bottle checked', 'pack', ...CARRIED, 'unpack', 'sold', 'refilled', 'emptied'],
      ]);
      expect(await names(FLAVOUR, 'direction=back')).to.deep.equal(['flavour mixed', 'bottling begins']);
      const made = await names(LOT, 'direction=forward&depth=1');
      expect(made).to.include.members(['lot arrives', 'lot after', 'bottling ends', 'sold']);
      expect(made).not.to.include('flavour mixed');
    });

    it('has the contents of a carrier where they are asked for', async () => {
      expect(await names(PALLET)).to.deep.equal([
        ...['pallet on truck', 'palletise', 'ship', 'truck leaves', 'receive', 'unload', 'pallet after'],
      ]);
      const contents = await names(PALLET, 'contents=true&depth=2');
      expect(contents).to.include.members(['pack', 'case before', 'case after', 'bottle checked', 'sold']);
    });

    it('ends in a circle, and is nowhere twice', async () => {
      const all = await names(`${BOTTLE}0`, 'depth=16&contents=true');
      expect(new Set(all).size).to.equal(all.length);
      expect(all).to.include.members(['refilled', 'emptied', 'lot arrives', 'ship']);
    });

    it('comes in pages that link to the next one', async () => {
      const all = await names(BOTTLE);
      const paged: (string | undefined)[] = [];
      for (let path = `/epcs/${encodeURIComponent(BOTTLE)}/trace?perPage=4&depth=5`; path !== '';) {
        const answer = await get(path);
        paged.push(...[...(await answer.text()).matchAll(/"eventID":"([^"]+)"/g)].map(([, id]) => ids.get(id ?? '')));
        path = /^<([^>]+)>/.exec(answer.headers.get('link') ?? '')?.[1] ?? '';
      }
      expect(paged).to.deep.equal(all);
    });

    it('is a graph: what goes into an event, and what comes out of it', async () => {
      const { nodes, edges, bounded } = await graph(BOTTLE);
      expect(bounded).to.equal(undefined);
      const name = (id: string) => {
        const node = present(nodes.find((each) => each.id === id));
        return node.epc ?? ids.get(node.eventID ?? '');
      };
      const told = edges.map(({ from, to, role }) => [name(from), role, name(to)].join(' → '));
      expect(told).to.include.members([
        `${LOT} → input → bottling begins`,
        `bottling ends → output → ${BOTTLE}`,
        `${BOTTLE} → child → pack`,
        `pack → parent → ${CASE}`,
        `unpack → child → ${BOTTLE}`,
        `${PALLET} → parent → unload`,
        `${PALLET} → subject → ship`,
      ]);
      // the other bottle is no part of this one's life
      expect(nodes.map(({ epc }) => epc)).not.to.include(OTHER);
      const asLinks = await (
        await get(`/epcs/${encodeURIComponent(BOTTLE)}/trace/graph`, { 'GS1-EPC-Format': 'Always_GS1_Digital_Link' })
      ).text();
      expect(asLinks).to.contain(`"epc":"${BOTTLE_LINK}"`);
      expect(asLinks).not.to.contain(CBV);
    });

    it('is a picture, whatever the names in it', async () => {
      const hostile = 'urn:x:<script>alert(1)</script>&"';
      await store(
        event('hostile', 'ObjectEvent', 20, {
          epcList: ['urn:x:%3Cscript%3E'],
          action: 'OBSERVE',
          bizStep: 'urn:x:a&b',
        }),
      );
      expect((await get(`/epcs/${encodeURIComponent(hostile)}/trace/picture`)).status).to.equal(404);
      for (const epc of [BOTTLE, 'urn:x:%3Cscript%3E']) {
        const answer = await get(`/epcs/${encodeURIComponent(epc)}/trace/picture`, { Accept: 'image/svg+xml' });
        expect(answer.headers.get('content-type')).to.equal('image/svg+xml; charset=utf-8');
        expect(answer.headers.get('content-security-policy')).to.match(/^default-src 'none'/);
        const text = await answer.text();
        const picture = XmlDocument.fromString(text);
        expect(picture.root.name).to.equal('svg');
        picture.dispose();
        expect(text).not.to.match(/<script|href|<image/);
      }
    });

    it('says what is wrong with what it is asked', async () => {
      for (const query of [
        'depth=17',
        'depth=-1',
        'depth=1.5',
        'direction=up',
        'contents=perhaps',
        'depth=1&depth=2',
        'EQ_action=ADD',
      ]) {
        expect((await get(`/epcs/${encodeURIComponent(BOTTLE)}/trace?${query}`)).status, query).to.equal(400);
      }
      expect((await get('/epcs/urn:none/trace')).status).to.equal(404);
    });

    it('costs no more than it may, and says so', async () => {
      const database = await openDatabase({ url });
      try {
        const repository = createEventRepository(database, { now: () => Date.now() });
        let looks = 0;
        const counting = {
          ...repository,
          events: (query: Parameters<typeof repository.events>[0]) => (looks++, repository.events(query)),
        };
        const request = { epc: PALLET, direction: 'both', depth: 16, contents: true } as const;
        const limits = { epcs: 3, events: 2000, eventsOfEpc: 500 };
        const bounded = await traceOf(counting, request, limits);
        expect(bounded.bounded).to.equal('more than 3 EPCs');
        expect(looks).to.be.at.most(9);
        expect((await traceOf(repository, request, { ...limits, epcs: 200, events: 4 })).bounded).to.equal(
          'more than 4 events',
        );
        const few = await traceOf(repository, request, { epcs: 200, events: 2000, eventsOfEpc: 2 });
        expect(few.bounded).to.equal('more than 2 events of one EPC');
        const whole = await traceOf(repository, request);
        expect(whole.bounded).to.equal(undefined);
        expect((await traceOf(repository, { ...request, depth: 0 })).bounded).to.equal('more than 0 steps');
        expect(
          (await traceOf(repository, { epc: LOT, direction: 'forward', depth: 0, contents: false })).bounded,
        ).to.equal('more than 0 steps');
      } finally {
        await database.close();
      }
    });
  });
