import { expect } from 'chai';
import { EX, document, objectEvent, problem, type Door } from './door.ts';

export function aboutTopLevelResources({ get, request, eventsAt, capture }: Door): void {
  describe('top-level resources', () => {
    interface Collection {
      readonly member: string[];
    }

    it('are listed at the root', async () => {
      const { member } = await get<Collection>('/');
      expect(member).to.have.members([
        'capture',
        'events',
        'eventTypes',
        'epcs',
        'bizSteps',
        'bizLocations',
        'readPoints',
        'dispositions',
        'queries',
      ]);
    });

    const examples: Readonly<Record<string, string>> = {
      eventTypes: 'ObjectEvent',
      epcs: 'urn:epc:id:sgtin:0614141.107346.7',
      bizSteps: 'receiving',
      bizLocations: 'urn:epc:id:sgln:0614141.00777.0',
      readPoints: 'urn:epc:id:sgln:0614141.07346.1234',
      dispositions: 'in_transit',
    };
    for (const [name, value] of Object.entries(examples)) {
      it(`list ${name} and lead to the events of each`, async () => {
        expect((await get<Collection>(`/${name}?perPage=1000`)).member).to.include(value);
        const path = `/${name}/${encodeURIComponent(value)}`;
        expect((await get<Collection>(path)).member).to.deep.equal(['events']);
        const all = await eventsAt(`${path}/events?perPage=1000`);
        expect(all.length).to.be.above(0);
        expect(await eventsAt(`${path}/events?EQ_eventID=${objectEvent(7).eventID}`)).to.have.length.at.most(1);
        expect(await problem(await request(`/${name}?EQ_action=ADD`))).to.deep.equal([400, 'QueryParameterException']);
        expect(await problem(await request(`/${name}/urn:example:none`))).to.deep.equal([
          404,
          'NoSuchResourceException',
        ]);
      });
    }

    it("list the standard's own values, whether an event has them or not", async () => {
      for (const [name, value] of [
        ['eventTypes', 'AssociationEvent'],
        ['bizSteps', 'void_shipping'],
        ['dispositions', 'mismatch_quantity'],
      ] as const) {
        expect((await get<Collection>(`/${name}?perPage=1000`)).member).to.include(value);
        expect((await get<Collection>(`/${name}/${value}`)).member).to.deep.equal(['events']);
        expect(await eventsAt(`/${name}/${value}/events`)).to.deep.equal([]);
      }
      expect(await problem(await request('/bizSteps/own_word'))).to.deep.equal([404, 'NoSuchResourceException']);
    });

    it('know event types by their URIs and CURIEs, as JSON-LD writes them', async () => {
      const { eventID, eventTime, eventTimeZoneOffset } = objectEvent(900);
      const quantity = { epcClass: 'urn:epc:class:lgtin:0614141.107346.A', quantity: 7 };
      const event = { type: 'epcis:QuantityEvent', eventID, eventTime, eventTimeZoneOffset, ...quantity };
      await capture(document([event]));
      expect((await get<Collection>('/eventTypes')).member).to.include('epcis:QuantityEvent');
      for (const type of ['QuantityEvent', 'epcis:QuantityEvent', 'https://ref.gs1.org/epcis/QuantityEvent']) {
        expect(await eventsAt(`/eventTypes/${encodeURIComponent(type)}/events`), type).to.have.length(1);
        expect(await eventsAt(`/events?eventType=${encodeURIComponent(type)}`), type).to.have.length(1);
      }
      expect((await get<Collection>('/eventTypes/epcis:AssociationEvent')).member).to.deep.equal(['events']);
    });

    it('come in pages', async () => {
      const response = await request('/epcs?perPage=2');
      const first = ((await response.json()) as Collection).member;
      const next = /^<([^>]+)>/.exec(response.headers.get('link') ?? '')?.[1] ?? '';
      const second = (await get<Collection>(next)).member;
      expect([first.length, second.length]).to.deep.equal([2, 2]);
      expect(second).not.to.have.members(first);
    });

    it('take a digital link in the path, its slashes escaped or not', async () => {
      const link = 'https://id.gs1.org/01/10614141073464/21/7';
      for (const path of [`/epcs/${encodeURIComponent(link)}/events`, `/epcs/${link}/events`]) {
        expect(
          (await eventsAt(path)).map(({ eventID }) => eventID),
          path,
        ).to.deep.equal([objectEvent(7).eventID]);
      }
    });

    it('take and give values with the prefixes of GS1-Extensions', async () => {
      await capture(document([objectEvent(150, { bizStep: `${EX}painting` })]));
      const headers = { 'GS1-Extensions': `ex=${EX}` };
      expect((await get<Collection>('/bizSteps?perPage=1000', headers)).member).to.include('ex:painting');
      expect(await eventsAt('/bizSteps/ex:painting/events', headers)).to.have.length(1);
      const { '@context': context } = await get<{ '@context': unknown[] }>('/bizSteps', headers);
      expect(context[1]).to.deep.equal({ ex: EX });
    });

    it('write EPCs in the format asked for', async () => {
      const points = await get<Collection>('/readPoints', { 'GS1-EPC-Format': 'Always_GS1_Digital_Link' });
      expect(points.member).to.include('https://id.gs1.org/414/0614141073467/254/1234');
      const { member } = await get<Collection>('/epcs?perPage=1000', { 'GS1-EPC-Format': 'Always_GS1_Digital_Link' });
      expect(member).to.include('https://id.gs1.org/01/10614141073464/21/7');
    });
  });
}
