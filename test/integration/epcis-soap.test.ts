// Fosstrak's wire of a whole service, over its repository: what a client of 2006 sends, and what it must get.
import { expect } from 'chai';
import { startEpcisServer, type EpcisServer } from '../../epcis/server.ts';
import { KINDS } from '../helpers/fresh-repository.ts';

const EVENTS = 'urn:epcglobal:epcis:xsd:1';
const MASTER_DATA = 'urn:epcglobal:epcis-masterdata:xsd:1';

function event(n: number, more = ''): string {
  return `<ObjectEvent>
  <eventTime>2006-06-25T00:0${n % 10}:00Z</eventTime>
  <eventTimeZoneOffset>-06:00</eventTimeZoneOffset>
  <epcList><epc>urn:epc:id:sgtin:0614141.107340.${n}</epc></epcList>
  <action>OBSERVE</action>
  <bizStep>urn:epcglobal:fmcg:bizstep:receiving</bizStep>
  <bizLocation><id>urn:epcglobal:fmcg:loc:0614141073468.1</id></bizLocation>
  <hls:temperature xmlns:hls="http://schema.hls.com/extension">${n}</hls:temperature>${more}
</ObjectEvent>`;
}

function document(...events: readonly string[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<epcis:EPCISDocument xmlns:epcis="${EVENTS}" creationDate="2006-06-25T00:00:00Z" schemaVersion="1.0">
<EPCISBody><EventList>${events.join('\n')}</EventList></EPCISBody>
</epcis:EPCISDocument>`;
}

const LOCATIONS = `<epcismd:EPCISMasterDataDocument xmlns:epcismd="${MASTER_DATA}" schemaVersion="1" creationDate="2006-06-25T00:00:00Z">
<EPCISBody><VocabularyList><Vocabulary type="urn:epcglobal:epcis:vtype:BusinessLocation"><VocabularyElementList>
<VocabularyElement id="urn:epcglobal:fmcg:loc:0614141073468">
<attribute id="urn:epcglobal:fmcg:mda:gln">0614141073468</attribute>
<children><id>urn:epcglobal:fmcg:loc:0614141073468.1</id></children>
</VocabularyElement>
</VocabularyElementList></Vocabulary></VocabularyList></EPCISBody></epcismd:EPCISMasterDataDocument>`;

function param(name: string, ...values: readonly string[]): string {
  const list = values.map((value) => `<string>${value}</string>`).join('');
  return `<param><name>${name}</name><value>${list}</value></param>`;
}

for (const [kind, freshUrl] of KINDS)
  describe(`Fosstrak's wire on ${kind}`, function () {
    this.timeout(60_000);
    let server: EpcisServer;

    before(async () => {
      const log = { error: () => {}, warn: () => {}, info: () => {} };
      server = await startEpcisServer({
        repository: { url: await freshUrl() },
        port: 0,
        subscriptionTargets: ['127.0.0.1'],
        log,
      });
      for (const body of [document(event(1), event(2)), LOCATIONS]) expect((await capture(body)).status).to.equal(200);
    });
    after(() => server.close());

    const capture = (
      body: string | FormData | URLSearchParams,
      type: string | undefined = 'text/xml',
      path = '/epcis-repository',
    ) =>
      fetch(`${server.address}${path}/capture`, {
        method: 'POST',
        body,
        headers: typeof body === 'string' ? { 'Content-Type': type } : {},
      });

    const soap = async (body: string, path = '/epcis-repository') => {
      const response = await fetch(`${server.address}${path}/query`, {
        method: 'POST',
        headers: { 'Content-Type': 'text/xml; charset=utf-8', SOAPAction: '""' },
        body: `<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"><soapenv:Body>${body}</soapenv:Body></soapenv:Envelope>`,
      });
      return { status: response.status, text: await response.text() };
    };

    const call = (operation: string, content = '', path?: string) =>
      soap(`<q:${operation} xmlns:q="urn:epcglobal:epcis-query:xsd:1">${content}</q:${operation}>`, path);

    const poll = (params: string, name = 'SimpleEventQuery') =>
      call('Poll', `<queryName>${name}</queryName><params>${params}</params>`);

    describe('capture', () => {
      it('answers 200 at every context path', async () => {
        for (const path of ['/epcis-repository', '/epcis-repository-0.5.0', '/epcis']) {
          expect((await capture(document(event(3)), 'text/xml', path)).status, path).to.equal(200);
        }
        expect((await capture(document(event(3)), 'application/xml; charset=utf-8')).status).to.equal(200);
      });

      it('takes the document as the field `event` of a form', async () => {
        const form = new FormData();
        form.append('note', 'before');
        form.append('event', new Blob([document(event(4))], { type: 'text/xml' }), 'event.xml');
        expect((await capture(form)).status).to.equal(200);
        expect((await capture(new URLSearchParams({ event: document(event(5)) }))).status).to.equal(200);
        for (const n of [4, 5]) {
          expect((await poll(param('MATCH_epc', `urn:epc:id:sgtin:0614141.107340.${n}`))).text).to.contain(
            `107340.${n}<`,
          );
        }
      });

      it('answers 400 to what is malformed or invalid, and keeps nothing of it', async () => {
        const wrong = [
          '',
          'no xml',
          document(event(6)).slice(0, -20),
          document(event(6), event(7).replace('OBSERVE', 'CREATE')),
          `<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]>${document(event(6)).replace(/^<\?xml[^>]*\?>/, '')}`,
          '<other/>',
        ];
        for (const body of wrong) expect((await capture(body)).status, body.slice(0, 60)).to.equal(400);
        expect((await capture(document(event(6)), 'application/pdf')).status).to.equal(400);
        expect((await poll(param('MATCH_epc', 'urn:epc:id:sgtin:0614141.107340.6'))).text).not.to.contain(
          '<ObjectEvent',
        );
      });

      it('refuses dbReset unless the configuration allows it', async () => {
        expect((await capture(new URLSearchParams({ dbReset: 'true' }))).status).to.equal(403);
        expect((await poll('')).text).to.contain('<ObjectEvent');
      });

      it('takes nothing but POST', async () => {
        const response = await fetch(`${server.address}/epcis-repository/capture`);
        expect([response.status, response.headers.get('allow')]).to.deep.equal([405, 'POST']);
      });
    });

    describe('query', () => {
      it('answers every operation at every context path', async () => {
        for (const path of ['/epcis-repository', '/epcis-repository-0.5.0', '/epcis']) {
          const names = await call('GetQueryNames', '', path);
          expect(names.status).to.equal(200);
          expect(names.text).to.contain('<epcisq:GetQueryNamesResult xmlns:epcisq="urn:epcglobal:epcis-query:xsd:1">');
          expect(names.text)
            .to.contain('<string>SimpleEventQuery</string>')
            .and.contain('<string>SimpleMasterDataQuery</string>');
        }
        expect((await call('GetStandardVersion')).text).to.contain('>1.2</epcisq:GetStandardVersionResult>');
        expect((await call('GetVendorVersion')).text).to.contain('GetVendorVersionResult');
      });

      it('polls events as they were captured, with their recordTime', async () => {
        const { status, text } = await poll(param('MATCH_epc', 'urn:epc:id:sgtin:0614141.107340.1'));
        expect(status).to.equal(200);
        expect(text).to.match(/<recordTime>\d{4}-[^<]*<\/recordTime>/);
        expect(text).to.contain('<eventTimeZoneOffset>-06:00</eventTimeZoneOffset>');
        expect(text).to.match(/<hls:temperature[^>]*>1<\/hls:temperature>/);
        expect(text.match(/<ObjectEvent/g)).to.have.length(1);
      });

      it('reads values with and without xsi:type', async () => {
        const types =
          'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema"';
        const name = 'EQ_http://schema.hls.com/extension#temperature';
        for (const value of ['<value>2</value>', `<value ${types} xsi:type="xsd:int">2</value>`]) {
          const { text } = await poll(`<param><name>${name}</name>${value}</param>`);
          expect(text.match(/<ObjectEvent/g), value).to.have.length(1);
        }
      });

      it('takes a value of Unicode space for a value: only the white space of XML is around one', async () => {
        for (const space of ['\u00a0', '\u2028', '\u3000', '\ufeff']) {
          for (const value of [`<value>${space}</value>`, `<value><string>${space}</string></value>`]) {
            const { status, text } = await poll(`<param><name>EQ_bizStep</name>${value}</param>`);
            expect([status, text.includes('<ObjectEvent')], JSON.stringify(value)).to.deep.equal([200, false]);
          }
        }
        expect((await poll('<param><name>EQ_bizStep</name><value> \t\r\n</value></param>')).text).to.contain(
          '<ObjectEvent',
        );
      });

      it('compares booleans and hexBinary as such, however they are written', async () => {
        const report = '<sensorReport type="gs1:Temperature" booleanValue="1" hexBinaryValue="0fA0"/>';
        const sensors = `<sensorElementList><sensorElement>${report}</sensorElement></sensorElementList>`;
        const sensed = document(event(0).replace('<hls:', `${sensors}<hls:`))
          .replace('xsd:1', 'xsd:2')
          .replace('schemaVersion="1.0"', 'schemaVersion="2.0"');
        expect(await (await capture(sensed)).text()).to.contain('Captured 1 event');
        const found = async (name: string, value: string) =>
          (await poll(`<param><name>${name}</name><value>${value}</value></param>`)).text;
        for (const value of ['true', '1']) expect(await found('EQ_booleanValue', value)).to.contain('107340.0<');
        for (const value of ['false', '0']) expect(await found('EQ_booleanValue', value)).not.to.contain('107340.0<');
        for (const value of ['0fA0', '0FA0', '0fa0', ' 0Fa0 '])
          expect(await found('EQ_hexBinaryValue', value), value).to.contain('107340.0<');
        expect(await found('EQ_hexBinaryValue', '0fa1')).not.to.contain('107340.0<');
        for (const [name, value] of [['EQ_booleanValue', 'TRUE'] as const, ['EQ_hexBinaryValue', '0x0f'] as const])
          expect(await found(name, value)).to.contain('<epcisq:QueryParameterException');
      });

      it('polls master data', async () => {
        const flags = ['includeAttributes', 'includeChildren'].map(
          (n) => `<param><name>${n}</name><value>true</value></param>`,
        );
        const { text } = await poll(flags.join(''), 'SimpleMasterDataQuery');
        expect(text).to.contain('<attribute id="urn:epcglobal:fmcg:mda:gln">0614141073468</attribute>');
        expect(text).to.contain('<children><id>urn:epcglobal:fmcg:loc:0614141073468.1</id></children>');
      });

      it('refuses a poll of master data without the flags that the standard requires, by the name of the missing one', async () => {
        const flag = (name: string, value = 'true') => `<param><name>${name}</name><value>${value}</value></param>`;
        const [attributes, children] = [flag('includeAttributes'), flag('includeChildren')];
        for (const [params, missing] of [
          ['', 'includeAttributes'],
          [attributes, 'includeChildren'],
          [children, 'includeAttributes'],
          [attributes + flag('includeChildren', ''), 'includeChildren'],
        ] as const) {
          const { status, text } = await poll(params, 'SimpleMasterDataQuery');
          expect(status, params).to.equal(500);
          expect(text).to.contain('<epcisq:QueryParameterException').and.contain(`needs ${missing}`);
        }
        expect((await poll(flag('includeAttributes', '0') + children, 'SimpleMasterDataQuery')).status).to.equal(200);
      });

      it('subscribes, lists the IDs of the named query only, and unsubscribes', async () => {
        const subscribe = (id: string, dest = 'http://127.0.0.1:9/') =>
          call(
            'Subscribe',
            `<queryName>SimpleEventQuery</queryName><params>${param('EQ_action', 'DELETE')}</params><dest>${dest}</dest>` +
              '<controls><schedule><hour>3</hour></schedule><reportIfEmpty>false</reportIfEmpty></controls>' +
              `<subscriptionID>${id}</subscriptionID>`,
          );
        expect((await subscribe('S1')).text).to.contain('<epcisq:SubscribeResult');
        expect((await subscribe('S1')).text).to.contain('<epcisq:DuplicateSubscriptionException');
        for (const dest of ['htto://x', '', ' '])
          expect((await subscribe('S2', dest)).text, dest).to.contain('<epcisq:InvalidURIException');
        const ids = (query: string) => call('GetSubscriptionIDs', `<queryName>${query}</queryName>`);
        expect((await ids('SimpleEventQuery')).text).to.contain('<string>S1</string>');
        expect((await ids('SimpleMasterDataQuery')).text).not.to.contain('<string>');
        const unsubscribe = () => call('Unsubscribe', '<subscriptionID>S1</subscriptionID>');
        expect((await unsubscribe()).text).to.contain('<epcisq:UnsubscribeResult');
        expect((await unsubscribe()).text).to.contain('<epcisq:NoSuchSubscriptionException');
      });

      it('polls and subscribes to the named queries of REST by their names', async () => {
        const headers = { 'Content-Type': 'application/json' };
        const body = JSON.stringify({ name: 'hot', query: { 'GE_http://schema.hls.com/extension#temperature': 5 } });
        expect((await fetch(`${server.address}/queries`, { method: 'POST', headers, body })).status).to.equal(201);
        expect((await call('GetQueryNames')).text).to.contain('<string>hot</string>');
        const all = await poll('', 'hot');
        expect(all.text).to.contain('<queryName>hot</queryName>');
        expect(all.text.match(/<ObjectEvent/g)).to.have.length(1);
        expect((await poll(param('EQ_action', 'DELETE'), 'hot')).text).not.to.contain('<ObjectEvent');
        expect((await call('GetSubscriptionIDs', '<queryName>hot</queryName>')).text).not.to.contain('<string>');
      });

      it('answers a 2.0 client in 2.0', async () => {
        const { text } = await soap(
          '<q:Poll xmlns:q="urn:epcglobal:epcis-query:xsd:2"><queryName>SimpleEventQuery</queryName><params/></q:Poll>',
        );
        expect(text).to.contain('<epcisq:QueryResults xmlns:epcisq="urn:epcglobal:epcis-query:xsd:2">');
      });

      it('refuses messages in parts with 415, and says what to send', async () => {
        for (const type of ['multipart/related; type="application/xop+xml"; boundary=b', 'application/xop+xml']) {
          const init = { method: 'POST', headers: { 'Content-Type': type }, body: '--b\r\n\r\n<a/>\r\n--b--' };
          const response = await fetch(`${server.address}/epcis-repository/query`, init);
          expect(response.status, type).to.equal(415);
          expect(await response.text())
            .to.contain('MTOM')
            .and.to.contain('as text/xml');
        }
      });

      it('faults with status 500 and the standard exception', async () => {
        const cases: readonly (readonly [Promise<{ status: number; text: string }>, string])[] = [
          [poll(param('EQ_abcd', 'x')), 'QueryParameterException'],
          [poll(param('EQ_action', 'ADD') + param('EQ_action', 'OBSERVE')), 'QueryParameterException'],
          [poll('<param><name>maxEventCount</name><value>1</value></param>'), 'QueryTooLargeException'],
          [poll('', 'NoQuery'), 'NoSuchNameException'],
          [call('Poll', '<queryName/>'), 'ValidationException'],
          [call('Nothing'), 'ValidationException'],
          [soap(''), 'ValidationException'],
        ];
        for (const [answer, name] of cases) {
          const { status, text } = await answer;
          expect(status, name).to.equal(500);
          expect(text).to.match(new RegExp(`<soap:Fault>.*<detail><epcisq:${name} [^>]*><reason>[^<]+</reason>`));
        }
      });

      it('has its WSDL at ?wsdl, with the address it was asked at', async () => {
        for (const path of ['/epcis-repository/query?wsdl', '/epcis/query?WSDL']) {
          const response = await fetch(`${server.address}${path}`);
          expect([response.status, response.headers.get('content-type')]).to.deep.equal([
            200,
            'text/xml; charset=utf-8',
          ]);
          const [address] = path.split('?');
          expect(await response.text()).to.contain(`<soap:address location="${server.address}${address}"/>`);
        }
      });
    });
  });
