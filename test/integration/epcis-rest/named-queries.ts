import { expect } from 'chai';
import { once } from 'node:events';
import { request as send, type IncomingMessage } from 'node:http';
import { problem, type Door, type QueryDocument } from './door.ts';

export function aboutNamedQueries({ request, post, get, eventsAt, at }: Door): void {
  describe('named queries', () => {
    it('are created, listed, run, narrowed and deleted', async () => {
      const query = {
        eventType: ['ObjectEvent'],
        EQ_bizStep: ['receiving', 'https://ref.gs1.org/cbv/BizStep-shipping'],
      };
      const created = await post('/queries', { name: 'my query', query });
      expect([created.status, created.headers.get('location')]).to.deep.equal([201, '/queries/my%20query']);
      expect(await get('/queries/my%20query')).to.deep.include({ name: 'my query', query });
      expect((await get<{ name: string }[]>('/queries')).map(({ name }) => name)).to.include('my query');
      const narrowed = await get<QueryDocument>(
        '/queries/my%20query/events?EQ_bizLocation=urn:epc:id:sgln:0614141.00777.0',
      );
      expect(narrowed.epcisBody.queryResults.queryName).to.equal('my query');
      expect(narrowed.epcisBody.queryResults.resultsBody.eventList).to.have.length(1);
      expect(await problem(await post('/queries', { name: 'my query', query }))).to.deep.equal([
        409,
        'ResourceAlreadyExistsException',
      ]);
      expect((await request('/queries/my%20query', { method: 'DELETE' })).status).to.equal(204);
      expect(await problem(await request('/queries/my%20query/events'))).to.deep.equal([404, 'NoSuchNameException']);
    });

    it('have the context that stands around their definition, too', async () => {
      const around = { gs: 'https://gs1.org/voc/' };
      const query = { 'EQ_gs:colour': 'blue' };
      expect((await post('/queries', { '@context': around, name: 'blue', query })).status).to.equal(201);
      expect(await get('/queries/blue')).to.deep.include({ query: { ...query, '@context': [around] } });
      const xml = await request('/queries/blue', { headers: { Accept: 'application/xml' } });
      expect(await xml.text()).to.contain('<name>EQ_https://gs1.org/voc/#colour</name>');
      await request('/queries/blue', { method: 'DELETE' });
    });

    it('have an XML form with their parameters, which are master data for one of them', async () => {
      await post('/queries', { name: 'in xml', query: { EQ_bizStep: ['storing', '<&>'], maxEventCount: 5 } });
      const response = await request('/queries/in%20xml', { headers: { Accept: 'application/xml' } });
      expect(await response.text()).to.contain(
        '<queryName>in xml</queryName><params><param><name>EQ_bizStep</name><value><string>storing</string>' +
          '<string>&lt;&amp;&gt;</string></value></param><param><name>maxEventCount</name><value><string>5</string></value></param></params>',
      );
      expect(await problem(await request('/queries/SimpleMasterDataQuery/events'))).to.deep.equal([
        400,
        'QueryValidationException',
      ]);
      expect(await problem(await request('/queries/SimpleEventQuery', { method: 'DELETE' }))).to.deep.equal([
        403,
        'SecurityException',
      ]);
    });

    it('are found and deleted under names that clients take for steps of a path', async () => {
      for (const name of ['.', '..', '%2E%2E', '..%']) {
        const created = await post('/queries', { name, query: { EQ_bizStep: ['receiving'] } });
        const at = created.headers.get('location') ?? '';
        expect((await get<{ name: string }>(at)).name, at).to.equal(name);
        expect(await eventsAt(`${at}/events`)).to.have.length(1);
        expect((await request(at, { method: 'DELETE' })).status, at).to.equal(204);
        expect((await request(at)).status, at).to.equal(404);
      }
    });

    it('are deleted by clients that send dots as they are, too', async () => {
      for (const path of ['/queries/%2E%2E', '/queries/..']) {
        await post('/queries', { name: '..', query: {} });
        const asked = send({ host: '127.0.0.1', port: new URL(at()).port, path, method: 'DELETE' }).end();
        const [answer] = (await once(asked, 'response')) as [IncomingMessage];
        answer.resume();
        expect(answer.statusCode, path).to.equal(204);
      }
    });

    it('are refused with a wrong definition', async () => {
      const wrong: readonly (readonly [unknown, string])[] = [
        [{ name: 'x', query: { EQ_nothing: ['y'] } }, 'QueryParameterException'],
        [{ query: {} }, 'ValidationException'],
        [{ name: 'x' }, 'ValidationException'],
        ['{', 'ValidationException'],
        ['{"name": "x", "query": {"EQ_bizStep": "shipping", "EQ_bizStep": "packing"}}', 'ValidationException'],
      ];
      for (const [body, name] of wrong) {
        expect(await problem(await post('/queries', body)), JSON.stringify(body)).to.deep.equal([400, name]);
      }
    });
  });
}
