// The query control interface of EPCIS 1.x, and capture by HTTP POST as 1.x has it.
import { found } from './ask.ts';
import { simpleXml, xmlDocument } from './capture.ts';
import { expectSame, expectStatus, expectThat, type Answer, type Site, type Step } from './site.ts';

function expectFault({ status, text }: Answer, exception: string): void {
  expectThat(status === 500, `a fault has status ${status}: ${text}`);
  expectThat(new RegExp(`<(\\w+:)?Fault[ >]`).test(text), `no fault: ${text}`);
  expectThat(text.includes(`:${exception}>`), `${text} where ${exception} is expected`);
}

const MASTER =
  '<param><name>includeAttributes</name><value>true</value></param><param><name>includeChildren</name><value>true</value></param>';
const poll = (params: string, query = 'SimpleEventQuery') =>
  `<q:Poll><queryName>${query}</queryName><params>${params}</params></q:Poll>`;
const param = (name: string, value: string) => `<param><name>${name}</name><value>${value}</value></param>`;

export function soapSteps(site: Site): Step[] {
  const { capture } = site.endpoints;
  if (site.endpoints.query === undefined || capture === undefined)
    return [{ name: 'there is no EPCIS 1.x', run: async () => 'the server has no EPCIS 1.x interfaces' }];
  const id = site.name('subscription');
  const dest = `http://${site.callbackHost}:9/`;
  const subscribe = (more: Partial<Record<'id' | 'query' | 'dest' | 'controls', string>> = {}) =>
    `<q:Subscribe><queryName>${more.query ?? 'SimpleEventQuery'}</queryName><params/><dest>${more.dest ?? dest}</dest><controls>` +
    `${more.controls ?? '<schedule><hour>3</hour></schedule>'}<reportIfEmpty>false</reportIfEmpty></controls>` +
    `<subscriptionID>${more.id ?? id}</subscriptionID></q:Subscribe>`;
  const post = (body: string, type = 'text/xml') =>
    site.call(capture, { method: 'POST', body, headers: { 'Content-Type': type } });
  const fault = (name: string, message: string, exception: string): Step => ({
    name,
    run: async () => expectFault(await site.soap(message), exception),
  });
  const place = site.name('urn:example:place');
  const child = `${place}:child`;
  const masterData =
    '<m:EPCISMasterDataDocument xmlns:m="urn:epcglobal:epcis-masterdata:xsd:1" schemaVersion="1.2" creationDate="2019-05-01T10:00:00Z">' +
    '<EPCISBody><VocabularyList><Vocabulary type="urn:epcglobal:epcis:vtype:BusinessLocation"><VocabularyElementList>' +
    `<VocabularyElement id="${place}"><attribute id="urn:example:city">Porto</attribute><children><id>${child}</id></children>` +
    `</VocabularyElement><VocabularyElement id="${child}"/>` +
    '</VocabularyElementList></Vocabulary></VocabularyList></EPCISBody></m:EPCISMasterDataDocument>';
  const names = (answer: Answer) =>
    [...expectStatus(answer, 200).text.matchAll(/<VocabularyElement id="([^"]+)"/g)].map(([, name]) => name);
  return [
    {
      name: 'the WSDL',
      run: async () => {
        const answer = expectStatus(await site.call(`${site.endpoints.query}?wsdl`), 200);
        expectThat(answer.text.includes('urn:epcglobal:epcis:wsdl:'), 'not the WSDL of EPCIS');
      },
    },
    {
      name: 'getStandardVersion',
      run: async () => {
        const answer = expectStatus(await site.soap('<q:GetStandardVersion/>'), 200);
        expectThat(/GetStandardVersionResult[^>]*>1\.[012]</.test(answer.text), answer.text);
      },
    },
    {
      name: 'getStandardVersion in the words of 2.0',
      run: async () => {
        const answer = expectStatus(await site.soap('<q:GetStandardVersion/>', 2), 200);
        expectThat(/GetStandardVersionResult[^>]*>2\.0/.test(answer.text), answer.text);
      },
    },
    {
      name: 'getVendorVersion',
      run: async () => {
        const answer = expectStatus(await site.soap('<q:GetVendorVersion/>'), 200);
        expectThat(answer.text.includes('GetVendorVersionResult'), answer.text);
      },
    },
    fault('a query that is none', poll('', site.name('none')), 'NoSuchNameException'),
    fault('an operation that is none', '<q:Pool/>', 'ValidationException'),
    fault(
      'a parameter twice',
      poll(param('GE_eventTime', '2019-01-01T00:00:00Z') + param('GE_eventTime', '2019-01-01T00:00:00Z')),
      'QueryParameterException',
    ),
    fault('maxEventCount passed', poll(param('maxEventCount', '1')), 'QueryTooLargeException'),
    {
      name: 'subscribe, list, unsubscribe',
      run: async () => {
        expectThat(expectStatus(await site.soap(subscribe()), 200).text.includes('SubscribeResult'), 'no result');
        const list = '<q:GetSubscriptionIDs><queryName>SimpleEventQuery</queryName></q:GetSubscriptionIDs>';
        expectThat((await site.soap(list)).text.includes(id), 'the subscription is not listed');
        expectFault(await site.soap(subscribe()), 'DuplicateSubscriptionException');
        const off = `<q:Unsubscribe><subscriptionID>${id}</subscriptionID></q:Unsubscribe>`;
        expectStatus(await site.soap(off), 200);
        expectThat(!(await site.soap(list)).text.includes(id), 'the subscription is still listed');
        expectFault(await site.soap(off), 'NoSuchSubscriptionException');
      },
    },
    fault('subscribe to a query that is none', subscribe({ query: site.name('none') }), 'NoSuchNameException'),
    fault('subscribe to master data', subscribe({ query: 'SimpleMasterDataQuery' }), 'SubscribeNotPermittedException'),
    fault('subscribe without a destination', subscribe({ dest: '' }), 'InvalidURIException'),
    fault('subscribe with a destination that is none', subscribe({ dest: 'not a uri' }), 'InvalidURIException'),
    fault('subscribe without schedule and trigger', subscribe({ controls: '' }), 'SubscriptionControlsException'),
    fault(
      'subscribe with schedule and trigger',
      subscribe({ controls: '<schedule><hour>3</hour></schedule><trigger>urn:example:t</trigger>' }),
      'SubscriptionControlsException',
    ),
    fault(
      'subscribe for the 25th hour',
      subscribe({ controls: '<schedule><hour>25</hour></schedule>' }),
      'SubscriptionControlsException',
    ),
    fault(
      'subscriptions of a query that is none',
      `<q:GetSubscriptionIDs><queryName>${site.name('none')}</queryName></q:GetSubscriptionIDs>`,
      'NoSuchNameException',
    ),
    {
      name: 'capture of 1.x: all of a document, when the answer is there',
      run: async () => {
        const text = xmlDocument(
          simpleXml(site, 'posted-1').replace(/(<eventID>.*<\/eventID>)/, '<baseExtension>$1</baseExtension>'),
          1,
        );
        expectStatus(await post(text), 200);
        const answer = await site.soap(poll(param('EQ_eventID', `<string>${site.eventID('posted-1')}</string>`)));
        expectSame(found(site, expectStatus(answer, 200)), ['posted-1'], 'events');
      },
    },
    ...['', '<a', '<a/>', xmlDocument('<ObjectEvent/>', 1), xmlDocument('<NoEvent/>', 1)].map((text) => ({
      name: `capture of 1.x refuses '${text.slice(0, 20)}${text.slice(-70).replace(/<\/EventList.*/, '')}'`,
      run: async () => void expectStatus(await post(text), 400),
    })),
    {
      name: 'master data is captured and found',
      run: async () => {
        expectStatus(await post(masterData), 200);
        const master = (params: string) => site.soap(poll(MASTER + params, 'SimpleMasterDataQuery'));
        const element = `<string>${place}</string>`;
        const found = await master(param('EQ_name', element));
        expectSame(names(found), [place], 'elements by name');
        expectThat(found.text.includes('Porto'), 'the attribute is missing');
        const below = param('WD_name', element);
        expectSame(names(await master(below)).sort(), [place, child], 'elements below the name');
        const city = param('EQATTR_urn:example:city', '<string>Porto</string>') + param('EQ_name', element);
        expectSame(names(await master(city)), [place], 'elements by attribute');
        const other = param('EQATTR_urn:example:city', '<string>Lima</string>') + param('EQ_name', element);
        expectSame(names(await master(other)), [], 'elements by another value');
        const kind = param('vocabularyName', '<string>urn:epcglobal:epcis:vtype:ReadPoint</string>');
        expectSame(names(await master(kind + param('EQ_name', element))), [], 'elements of another vocabulary');
        expectFault(await master(param('maxElementCount', '1') + below), 'QueryTooLargeException');
      },
    },
    fault('master data without the flags', poll('', 'SimpleMasterDataQuery'), 'QueryParameterException'),
  ];
}
