import { expect } from 'chai';
import { problem, type Door } from './door.ts';

export function aboutEveryResource({ get, request, post, eventsAt }: Door): void {
  describe('every resource', () => {
    const readable = [
      '/',
      '/capture',
      '/events',
      '/eventTypes',
      '/epcs',
      '/bizSteps',
      '/bizLocations',
      '/readPoints',
      '/dispositions',
      '/queries',
    ];
    for (const path of readable) {
      it(`gives ${path} in JSON, JSON-LD and XML`, async () => {
        for (const type of ['application/json', 'application/ld+json', 'application/xml', 'text/xml']) {
          const response = await request(path, { headers: { Accept: type } });
          expect([response.status, response.headers.get('content-type')]).to.deep.equal([
            200,
            `${type}; charset=utf-8`,
          ]);
          expect((await response.text())[0]).to.match(type.endsWith('json') ? /[{[]/ : /</);
          expect(response.headers.get('gs1-epcis-version')).to.equal('2.0.0');
        }
        expect(await problem(await request(path, { headers: { Accept: 'image/png' } }))).to.deep.equal([
          406,
          'NotAcceptableException',
        ]);
      });
    }

    it('tells its methods by OPTIONS, and refuses others with 405', async () => {
      await post('/queries', { name: 'options', query: {} });
      const allowed: Readonly<Record<string, string>> = {
        '/': 'OPTIONS, GET, HEAD',
        '/capture': 'OPTIONS, GET, HEAD, POST',
        '/capture/x': 'OPTIONS, GET, HEAD',
        '/events': 'OPTIONS, GET, HEAD, POST',
        '/events/x': 'OPTIONS, GET, HEAD',
        '/epcs': 'OPTIONS, GET, HEAD',
        '/epcs/x': 'OPTIONS, GET, HEAD',
        '/epcs/x/events': 'OPTIONS, GET, HEAD',
        '/queries': 'OPTIONS, GET, HEAD, POST',
        '/queries/options': 'OPTIONS, GET, HEAD, DELETE',
        '/queries/options/events': 'OPTIONS, GET, HEAD',
        '/queries/options/subscriptions': 'OPTIONS, GET, HEAD, POST',
        '/queries/options/subscriptions/x': 'OPTIONS, GET, HEAD, DELETE',
        '/nextPageToken/x': 'OPTIONS, DELETE',
      };
      for (const [path, allow] of Object.entries(allowed)) {
        const response = await request(path, { method: 'OPTIONS' });
        expect([path, response.status, response.headers.get('allow')]).to.deep.equal([path, 204, allow]);
        expect(response.headers.get('gs1-epcis-min')).to.equal('1.0.0');
        expect(response.headers.get('gs1-epc-format')).to.equal('No_Preference');
        expect(response.headers.get('gs1-vendor-version')).to.match(/^mmeliot /);
        expect(response.headers.get('gs1-extensions')).to.match(/^gs1=https:\/\/gs1\.org\/voc\/, cbvmda=/);
        const put = await request(path, { method: 'PUT' });
        expect([path, put.status, put.headers.get('allow')]).to.deep.equal([path, 405, allow]);
      }
      const own = { 'GS1-Extensions': 'ex=https://e.example.org/' };
      const discovered = await request('/events', { method: 'OPTIONS', headers: own });
      expect(discovered.headers.get('gs1-extensions')).to.match(/, ex=https:\/\/e\.example\.org\/$/);
      // of what is no prefix nothing is said back
      const nothing = { 'GS1-Extensions': '=COM1, "><x=urn:x, none' };
      const told = (await request('/events', { method: 'OPTIONS', headers: nothing })).headers.get('gs1-extensions');
      expect(told).to.match(/, cbvmda=urn:epcglobal:cbv:mda$/);
      expect((await request('/events', { headers: nothing })).headers.has('gs1-extensions')).to.equal(false);
      expect((await request('/events', { headers: own })).headers.get('gs1-extensions')).to.equal(
        own['GS1-Extensions'],
      );
      const body = {
        dest: 'http://127.0.0.1:9/',
        schedule: { month: '1' },
        initialRecordTime: '2024-01-02T03:04:05Z',
      };
      const path = (await post('/queries/options/subscriptions', body)).headers.get('location') ?? '';
      const subscription = await request(path, { method: 'OPTIONS' });
      const { minRecordTime } = await get<{ minRecordTime: string }>(path);
      expect(subscription.headers.get('gs1-query-min-record-time')).to.equal(minRecordTime);
      const limits = await request('/capture', { method: 'OPTIONS' });
      expect(limits.headers.get('gs1-capture-error-behaviour')).to.equal('all');
      expect(Number(limits.headers.get('gs1-epcis-capture-limit'))).to.be.above(0);
      expect(Number(limits.headers.get('gs1-epcis-capture-file-size-limit'))).to.be.above(0);
    });

    it('answers HEAD with the headers of GET', async () => {
      for (const path of ['/events?perPage=1', '/epcs?perPage=1', '/']) {
        const head = await request(path, { method: 'HEAD' });
        const full = await request(path);
        expect([head.status, await head.text()], path).to.deep.equal([200, '']);
        expect(head.headers.get('content-type')).to.equal(full.headers.get('content-type'));
        expect(head.headers.has('link')).to.equal(full.headers.has('link'));
      }
    });

    it('takes hostile names for what they are', async () => {
      for (const query of ['__proto__=x', 'constructor=x', 'EQ___proto__=x', "EQ_action='; DROP TABLE event; --"]) {
        expect((await request(`/events?${query}`)).status, query).to.be.oneOf([200, 400]);
      }
      const body = '{"name":"hostile","query":{"__proto__":{"EQ_bizStep":["shipping"]}}}';
      expect((await post('/queries', body)).status).to.equal(400);
      expect((await post('/queries/none/subscriptions', '{"__proto__":{"dest":"http://127.0.0.1/"}}')).status).to.equal(
        400,
      );
      expect(({} as Record<string, unknown>)['EQ_bizStep']).to.equal(undefined);
      expect(await eventsAt('/events?perPage=1')).to.have.length(1);
    });

    it('writes problems in XML for those who read XML', async () => {
      const response = await request('/events/none', { headers: { Accept: 'application/xml' } });
      expect([response.status, response.headers.get('content-type')]).to.deep.equal([404, 'application/problem+xml']);
      expect(await response.text()).to.contain('<type>epcisException:NoSuchResourceException</type>');
    });

    it('knows paths in their own case only, and tells it', async () => {
      for (const [path, right] of [
        ['/Capture', '/capture'],
        ['/EVENTS?perPage=1', '/events'],
        ['/BizSteps/shipping/events', '/bizSteps/{bizStep}/events'],
        ['/Epcis-Repository/capture', '/epcis-repository/capture'],
        ['/epcis/Query', '/epcis/query'],
      ] as const) {
        const response = await request(path, { method: 'POST', body: 'x' });
        expect(response.status, path).to.equal(404);
        expect(((await response.json()) as { detail: string }).detail).to.contain(`write ${right}:`);
      }
      expect((await request('/READY')).status).to.equal(404);
      expect(await (await request('/events/%zz')).text()).not.to.contain('write');
    });

    it('knows nothing of anything else', async () => {
      for (const path of ['/.well-known/gs1resolver', '/none', '/queries/a/b/c', '/%zz', '/..%2f..%2fetc/passwd']) {
        expect(await problem(await request(path)), path).to.deep.equal([404, 'NoSuchResourceException']);
      }
    });
  });
}
