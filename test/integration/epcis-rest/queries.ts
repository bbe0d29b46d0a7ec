import { expect } from 'chai';
import { CONTEXT, EX, objectEvent, problem, type Door, type QueryDocument } from './door.ts';

export function aboutQueries({ request, post, eventsAt }: Door): void {
  describe('queries', () => {
    it('finds events by any parameter, lists by the pipe, CBV words and their URIs alike', async () => {
      expect(await eventsAt('/events?EQ_bizStep=receiving')).to.have.length(1);
      const uri = encodeURIComponent('https://ref.gs1.org/cbv/BizStep-receiving');
      expect(await eventsAt(`/events?EQ_bizStep=${uri}`)).to.have.length(1);
      expect(
        await eventsAt('/events?EQ_bizStep=receiving|shipping&LT_eventTime=2024-01-01T00:00:01%2B02:00'),
      ).to.have.length(1);
      const one = await eventsAt('/events?EQ_ex:batch=3', { 'GS1-Extensions': `ex=${EX}` });
      expect(one.map(({ eventID }) => eventID)).to.deep.equal([objectEvent(3).eventID]);
    });

    it('gives pages that link to the next one, which any VM serves, and no event twice', async () => {
      const seen: string[] = [];
      let path = '/events?perPage=3&EQ_bizStep=shipping&LT_eventTime=2024-01-01T00:00:07%2B02:00';
      for (let page = 0; path !== ''; page++) {
        const response = await request(path, {}, page % 2);
        const { epcisBody } = (await response.json()) as QueryDocument;
        const { eventList } = epcisBody.queryResults.resultsBody;
        expect(eventList.length).to.be.at.most(3);
        seen.push(...eventList.map(({ eventID }) => eventID));
        const link = response.headers.get('link');
        path = /^<([^>]+)>; rel="next"$/.exec(link ?? '')?.[1] ?? '';
        if (link !== null)
          expect(Date.parse(response.headers.get('gs1-next-page-token-expires') ?? '')).to.be.above(Date.now());
      }
      const wanted = Array.from({ length: 7 }, (_, n) => objectEvent(n).eventID);
      expect(seen.filter((id) => wanted.includes(id)).sort()).to.deep.equal(wanted.sort());
      expect(new Set(seen).size).to.equal(seen.length);
    });

    it('refuses a page token that was changed or belongs elsewhere, and has nothing to release for a good one', async () => {
      const link = (await request('/events?perPage=1')).headers.get('link') ?? '';
      const token = /nextPageToken=([^&>]+)/.exec(link)?.[1] ?? '';
      for (const path of [
        `/epcs?nextPageToken=${token}`,
        `/events?nextPageToken=x${token}`,
        `/events?EQ_action=ADD&nextPageToken=${token}`,
      ]) {
        expect(await problem(await request(path)), path).to.deep.equal([400, 'QueryParameterException']);
      }
      expect((await request(`/nextPageToken/${token}`, { method: 'DELETE' })).status).to.equal(204);
      expect((await request('/nextPageToken/nonsense', { method: 'DELETE' })).status).to.equal(400);
    });

    it('refuses wrong parameters by name', async () => {
      for (const query of [
        'EQ_abcd=x',
        'GE_eventTime=yesterday',
        'EQ_action=ADD&EQ_action=OBSERVE',
        'perPage=0',
        'perPage=1e1',
        'perPage=0x10',
        'perPage=x',
      ]) {
        expect(await problem(await request(`/events?${query}`)), query).to.deep.equal([400, 'QueryParameterException']);
      }
      expect(await problem(await request('/events?maxEventCount=2'))).to.deep.equal([413, 'QueryTooLargeException']);
    });

    it('finds an event by its ID, escaped or not', async () => {
      const unnamed: Record<string, unknown> = { ...objectEvent(140) };
      delete unnamed['eventID'];
      const location = (await post('/events', { '@context': CONTEXT, ...unnamed })).headers.get('location') ?? '';
      const id = decodeURIComponent(location.slice('/events/'.length));
      expect(id).to.match(/^ni:\/\/\/sha-256;[0-9a-f]{64}\?ver=CBV2\.0$/);
      for (const path of [location, `/events/${id}`]) {
        expect(
          (await eventsAt(path)).map(({ eventID }) => eventID),
          path,
        ).to.deep.equal([id]);
      }
      expect(await problem(await request('/events/urn:uuid:none'))).to.deep.equal([404, 'NoSuchResourceException']);
    });
  });

  it('meets a CURIE by the header, whatever the prefixes, in JSON and XML', async () => {
    const ns = 'https://curie.example.org/';
    const event = {
      '@context': [CONTEXT, { a: ns }],
      ...objectEvent(140),
      ...{ bizStep: 'a:painting', epcList: ['a:thing'], eventID: 'a:event-140', 'a:colour': 'a:red' },
      bizTransactionList: [{ type: 'a:job', bizTransaction: 'a:job-1' }],
    };
    expect((await post('/events', event)).status).to.equal(201);
    const xml =
      `<ObjectEvent xmlns:b="${ns}"><eventTime>2024-02-01T00:00:00Z</eventTime><eventTimeZoneOffset>+00:00</eventTimeZoneOffset>` +
      '<epcList><epc>b:thing</epc></epcList><action>OBSERVE</action><bizStep>b:painting</bizStep></ObjectEvent>';
    expect((await post('/events', xml, { 'Content-Type': 'application/xml' })).status).to.equal(201);
    const found = async (path: string): Promise<number> => {
      const answer = await request(path, { headers: { 'GS1-Extensions': `c=${ns}` } });
      const { epcisBody } = (await answer.json()) as {
        epcisBody: { queryResults: { resultsBody: { eventList: [] } } };
      };
      return epcisBody.queryResults.resultsBody.eventList.length;
    };
    expect(await found('/events?EQ_bizStep=c:painting')).to.equal(2);
    expect(await found('/bizSteps/c:painting/events')).to.equal(2);
    expect(await found('/events?MATCH_anyEPC=c:thing')).to.equal(2);
    expect(await found('/events?EQ_bizTransaction_c:job=c:job-1')).to.equal(1);
    expect(await found('/events?EQ_c:colour=a:red')).to.equal(1);
    expect(await found('/events/c:event-140')).to.equal(1);
    expect(await eventsAt(`/events?EQ_bizStep=${encodeURIComponent(`${ns}painting`)}`)).to.have.length(2);
    const [back] = await eventsAt(`/events/${encodeURIComponent(`${ns}event-140`)}`);
    expect(back).to.include({ eventID: 'a:event-140', bizStep: 'a:painting', 'a:colour': 'a:red' });
  });
}
