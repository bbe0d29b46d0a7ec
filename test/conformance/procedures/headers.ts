// What a request's headers ask for, and what an answer's say: versions, forms of identifiers and words, media types.
import { expectProblem, expectStatus, expectThat, type Site, type Step } from './site.ts';

const URN = 'urn:epc:id:sgtin:0614141.107346.2017';
const LINK = 'https://id.gs1.org/01/10614141073464/21/2017';

export function headerSteps(site: Site): Step[] {
  const one = `/events/${encodeURIComponent(site.eventID('made'))}`;
  const get = (headers: Record<string, string>, path = one) => site.call(path, { headers });
  const shows = (what: string, headers: Record<string, string>, text: string, not?: string): Step => ({
    name: what,
    run: async () => {
      const answer = expectStatus(await get(headers), 200);
      expectThat(answer.text.includes(text), `${text} is not in ${answer.text}`);
      expectThat(not === undefined || !answer.text.includes(not), `${not} is in ${answer.text}`);
    },
  });
  const xml = { Accept: 'application/xml' };
  const step = (word: string, more: Record<string, string> = {}, text = 'urn:epcglobal:cbv:bizstep:commissioning') =>
    shows(`GS1-CBV-XML-Format: ${word}`, { ...xml, ...more, 'GS1-CBV-XML-Format': word }, text);
  return [
    shows('GS1-EPC-Format: Always_EPC_URN', { 'GS1-EPC-Format': 'Always_EPC_URN' }, URN, LINK),
    shows('GS1-EPC-Format: Always_GS1_Digital_Link', { 'GS1-EPC-Format': 'Always_GS1_Digital_Link' }, LINK, URN),
    shows('GS1-EPC-Format: Never_Translates', { 'GS1-EPC-Format': 'Never_Translates' }, URN, LINK),
    shows('GS1-EPC-Format: No_Preference', { 'GS1-EPC-Format': 'No_Preference' }, ''),
    shows('GS1-EPC-Format in XML', { ...xml, 'GS1-EPC-Format': 'Always_GS1_Digital_Link' }, LINK, URN),
    step('Always_URN'),
    step('Always_Web_URI', {}, 'https://ref.gs1.org/cbv/BizStep-commissioning'),
    shows('JSON has bare words whatever the header says', { 'GS1-CBV-XML-Format': 'Always_URN' }, '"commissioning"'),
    ...['Sometimes', 'always_epc_urn', 'Always_URN'].map((value) => ({
      name: `GS1-EPC-Format: ${value} is refused`,
      run: async () => expectProblem(await get({ 'GS1-EPC-Format': value }), 400, 'ValidationException'),
    })),
    {
      name: 'GS1-CBV-XML-Format: Sometimes is refused',
      run: async () => expectProblem(await get({ 'GS1-CBV-XML-Format': 'Sometimes' }), 400, 'ValidationException'),
    },
    ...['application/json', 'application/ld+json', 'application/xml', 'text/xml', '*/*', 'application/*;q=0.5'].map(
      (type) => ({
        name: `Accept: ${type}`,
        run: async () => {
          const answer = expectStatus(await get({ Accept: type }), 200);
          const got = answer.headers.get('content-type') ?? '';
          expectThat(type.includes('*') || got.startsWith(type), `comes as ${got}`);
        },
      }),
    ),
    ...['image/png', 'text/html', 'application/json;q=0'].map((type) => ({
      name: `Accept: ${type} cannot be had`,
      run: async () => expectProblem(await get({ Accept: type }), 406, 'NotAcceptableException'),
    })),
    {
      name: 'a problem comes in XML to whom XML is sent',
      run: async () => {
        const answer = await get(xml, '/events?EQ_nothing=x');
        expectProblem(answer, 400, 'QueryParameterException');
        expectThat((answer.headers.get('content-type') ?? '').startsWith('application/problem+xml'), 'not in XML');
      },
    },
    {
      name: 'each answer says its versions',
      run: async () => {
        for (const path of ['/', '/events?perPage=1', '/queries', '/capture', '/nothing-there', '/bizSteps']) {
          const { headers } = await get({}, path);
          for (const name of ['GS1-EPCIS-Version', 'GS1-CBV-Version'])
            expectThat(/^2\.0/.test(headers.get(name) ?? ''), `${path} says ${name}: ${headers.get(name)}`);
        }
      },
    },
    ...Object.entries({
      'GS1-EPCIS-Min': '2.0.0',
      'GS1-EPCIS-Max': '2.0.0',
      'GS1-EPCIS-Version': '2.0.0',
      'GS1-CBV-Min': '1.0.0',
      'GS1-CBV-Max': '2.0.0',
      'GS1-CBV-Version': '2.0.0',
    }).map(([name, value]) => ({
      name: `${name}: ${value} is spoken`,
      run: async () => void expectStatus(await get({ [name]: value }), 200),
    })),
    ...Object.entries({
      'GS1-EPCIS-Min': '3.0.0',
      'GS1-EPCIS-Max': '0.9.0',
      'GS1-EPCIS-Version': '3.0.0',
      'GS1-CBV-Min': '9.0.0',
      'GS1-CBV-Max': '0.5.0',
      'GS1-CBV-Version': '4.1.0',
    }).map(([name, value]) => ({
      name: `${name}: ${value} is not spoken`,
      run: async () => expectProblem(await get({ [name]: value }), 406, 'NotAcceptableException'),
    })),
    {
      name: 'GS1-EPCIS-Max: 1.2 gives an EPCIS 1.2 document',
      run: async () => {
        const answer = expectStatus(await get({ ...xml, 'GS1-EPCIS-Max': '1.2.0' }), 200);
        expectThat(answer.text.includes('urn:epcglobal:epcis-query:xsd:1'), answer.text);
        expectThat(answer.text.includes('<baseExtension><eventID>'), 'the event ID is not where 1.2 has it');
        expectThat(
          /^1\.2(\.0)?$/.test(answer.headers.get('GS1-EPCIS-Version') ?? ''),
          'the answer says another version',
        );
      },
    },
    {
      name: 'GS1-EPCIS-Min above GS1-EPCIS-Max is no version',
      run: async () =>
        expectProblem(
          await get({ ...xml, 'GS1-EPCIS-Min': '2.0.0', 'GS1-EPCIS-Max': '1.2.0' }),
          406,
          'NotAcceptableException',
        ),
    },
    {
      name: 'EPCIS 1.2 has no JSON',
      run: async () =>
        expectProblem(
          await get({ Accept: 'application/json', 'GS1-EPCIS-Max': '1.2.0' }),
          406,
          'NotAcceptableException',
        ),
    },
    {
      name: 'GS1-Extensions gives names their prefix back',
      run: async () => {
        const answer = await get({ 'GS1-Extensions': `mine=${site.namespace}` }, '/events?EQ_mine:text=red');
        expectThat(expectStatus(answer, 200).text.includes(site.eventID('made')), 'the event is not found');
        expectThat(
          answer.headers.get('GS1-Extensions') === `mine=${site.namespace}`,
          'the header is not in the answer',
        );
      },
    },
  ];
}
