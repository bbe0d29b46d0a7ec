// The top-level resources, discovery, and pages.
import { found } from './ask.ts';
import { expectProblem, expectSame, expectStatus, expectThat, type Answer, type Site, type Step } from './site.ts';

interface Collection {
  readonly type: string;
  readonly member: readonly string[];
}

const collection = (answer: Answer): Collection => JSON.parse(expectStatus(answer, 200).text) as Collection;
const nextOf = ({ headers }: Answer): string => /<([^>]+)>;\s*rel="?next/.exec(headers.get('link') ?? '')?.[1] ?? '';

const NAMES = ['eventTypes', 'epcs', 'bizSteps', 'bizLocations', 'readPoints', 'dispositions'];
/** Header of discovery → what its one value may be, by the OpenAPI document. */
const VERSION = /^\d+(\.\d+)*$/;
const DISCOVERY: Readonly<Record<string, RegExp>> = {
  'GS1-EPCIS-Version': VERSION,
  'GS1-EPCIS-Min': VERSION,
  'GS1-EPCIS-Max': VERSION,
  'GS1-CBV-Version': VERSION,
  'GS1-CBV-Min': VERSION,
  'GS1-CBV-Max': VERSION,
  'GS1-EPC-Format': /^(No_Preference|Always_GS1_Digital_Link|Always_EPC_URN|Never_Translates)$/,
  'GS1-CBV-XML-Format': /^(No_Preference|Always_Web_URI|Always_URN|Never_Translates)$/,
};

/** Path → methods that it must allow. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  '/': ['GET', 'OPTIONS'],
  '/capture': ['GET', 'POST', 'OPTIONS'],
  '/events': ['GET', 'POST', 'OPTIONS'],
  '/queries': ['GET', 'POST', 'OPTIONS'],
  '/queries/SimpleEventQuery': ['GET', 'DELETE', 'OPTIONS'],
  '/queries/SimpleEventQuery/events': ['GET', 'OPTIONS'],
  '/queries/SimpleEventQuery/subscriptions': ['GET', 'POST', 'OPTIONS'],
  ...Object.fromEntries(NAMES.map((name) => [`/${name}`, ['GET', 'OPTIONS']])),
  '/eventTypes/ObjectEvent': ['GET', 'OPTIONS'],
  '/eventTypes/ObjectEvent/events': ['GET', 'OPTIONS'],
};

/** Every method that a path may have and this one hasn't. */
const REFUSED: readonly (readonly [method: string, path: string])[] = [
  ['PUT', '/events'],
  ['DELETE', '/events'],
  ['PATCH', '/capture'],
  ['DELETE', '/capture'],
  ['POST', '/epcs'],
  ['POST', '/'],
  ['PUT', '/queries/SimpleEventQuery'],
  ['POST', '/eventTypes/ObjectEvent/events'],
];

export function resourceSteps(site: Site): Step[] {
  const own = (name: string) => site.name(`urn:example:${name}`);
  const values: readonly (readonly [collection: string, value: string, events: readonly string[]])[] = [
    ['eventTypes', 'AssociationEvent', ['joined']],
    ['epcs', own('item:6'), ['cooked']],
    ['bizSteps', 'installing', ['joined']],
    ['bizLocations', own('place:1'), ['made']],
    ['readPoints', own('read:1'), ['made']],
    ['dispositions', 'active', ['made']],
  ];
  return [
    {
      name: 'the root lists what there is',
      run: async () => {
        const { type, member } = collection(await site.call('/'));
        expectSame(type, 'Collection', 'its type');
        for (const name of ['events', 'capture', 'queries', ...NAMES])
          expectThat(member.includes(name), `${name} is not listed`);
      },
    },
    ...values.flatMap(([name, value, events]): Step[] => {
      const path = `/${name}/${encodeURIComponent(value)}`;
      return [
        {
          name: `/${name} lists each value once, page by page`,
          run: async () => {
            const seen: string[] = [];
            for (let next = `/${name}?perPage=500`, page = 0; next !== '' && page < 40; page++) {
              const answer = await site.call(next);
              seen.push(...collection(answer).member);
              next = nextOf(answer);
            }
            expectThat(seen.includes(value), `${value} is not listed`);
            expectSame(new Set(seen).size, seen.length, 'values listed');
          },
        },
        {
          name: `/${name} in XML`,
          run: async () => {
            const answer = await site.call(`/${name}?perPage=2`, { headers: { Accept: 'application/xml' } });
            expectThat(expectStatus(answer, 200).text.includes('<member>'), answer.text);
          },
        },
        {
          name: `/${name}/{value} leads to its events`,
          run: async () => expectSame(collection(await site.call(path)).member, ['events'], 'what is below'),
        },
        {
          name: `/${name}/{value}/events`,
          run: async () => {
            const mine = `perPage=1000&EQ_eventID=${['made', 'joined', 'cooked'].map((each) => encodeURIComponent(site.eventID(each))).join('|')}`;
            expectSame(found(site, expectStatus(await site.call(`${path}/events?${mine}`), 200)), events, 'events');
          },
        },
        {
          name: `/${name}/{value} that is not there`,
          run: async () => expectProblem(await site.call(`/${name}/${own('no:such')}`), 404, 'NoSuchResourceException'),
        },
      ];
    }),
    ...['receiving', 'void_shipping', 'destroying'].map((word) => ({
      name: `the standard's own step ${word} is listed`,
      run: async () => {
        expectThat(collection(await site.call('/bizSteps?perPage=1000')).member.includes(word), 'it is not listed');
        expectSame(collection(await site.call(`/bizSteps/${word}`)).member, ['events'], 'what is below');
      },
    })),
    ...Object.entries(ALLOWED).map(([path, methods]) => ({
      name: `OPTIONS ${path}`,
      run: async () => {
        const { headers } = expectStatus(await site.call(path, { method: 'OPTIONS' }), 204);
        const allow = (headers.get('allow') ?? '').split(/,\s*/);
        for (const method of methods) expectThat(allow.includes(method), `${method} is not in Allow: ${allow.join()}`);
        for (const [name, values] of Object.entries(DISCOVERY))
          expectThat(values.test(headers.get(name) ?? ''), `${name} is ${headers.get(name)}`);
      },
    })),
    {
      name: 'OPTIONS /capture says its limits',
      run: async () => {
        const { headers } = await site.call('/capture', { method: 'OPTIONS' });
        for (const name of ['GS1-EPCIS-Capture-Limit', 'GS1-EPCIS-Capture-File-Size-Limit'])
          expectThat(Number(headers.get(name)) > 0, `${name} is ${headers.get(name)}`);
        const behaviour = headers.get('GS1-Capture-Error-Behaviour') ?? '';
        expectThat(/^(rollback|proceed|all)$/.test(behaviour), `GS1-Capture-Error-Behaviour is ${behaviour}`);
      },
    },
    ...REFUSED.map(([method, path]) => ({
      name: `${method} ${path} is not allowed`,
      run: async () => {
        const answer = expectStatus(await site.call(path, { method }), 405);
        expectThat((answer.headers.get('allow') ?? '') !== '', 'Allow is missing');
      },
    })),
    {
      name: 'HEAD is GET without a body',
      run: async () => {
        const answer = expectStatus(await site.call('/events?perPage=1', { method: 'HEAD' }), 200);
        expectSame(answer.text, '', 'the body');
      },
    },
    {
      name: 'a path that is none',
      run: async () => expectProblem(await site.call('/nothing-there'), 404, 'NoSuchResourceException'),
    },
    {
      name: 'an event that is not there',
      run: async () =>
        expectProblem(
          await site.call(`/events/${encodeURIComponent(site.eventID('none'))}`),
          404,
          'NoSuchResourceException',
        ),
    },
    {
      name: 'pages of events: each once, none left out, the last without a Link',
      run: async () => {
        const seen: string[] = [];
        const names = ['made', 'packed', 'ordered', 'cooked', 'joined'];
        const query = `EQ_eventID=${names.map((name) => encodeURIComponent(site.eventID(name))).join('|')}`;
        for (let next = `/events?perPage=2&${query}`; next !== '';) {
          const answer = expectStatus(await site.call(next), 200);
          const got = found(site, answer);
          expectThat(got.length <= 2, `${got.length} events on a page of 2`);
          seen.push(...got);
          next = nextOf(answer);
          const expires = answer.headers.get('GS1-Next-Page-Token-Expires');
          expectThat(next === '' || Date.parse(expires ?? '') > Date.now(), `the token expires ${expires}`);
        }
        expectSame(seen.sort(), names.sort(), 'events on all pages');
      },
    },
    ...['0', '-1', 'x', '1.5'].map((perPage) => ({
      name: `perPage=${perPage} is refused`,
      run: async () => expectProblem(await site.call(`/events?perPage=${perPage}`), 400, 'QueryParameterException'),
    })),
    {
      name: 'a token that nobody gave is refused',
      run: async () => expectProblem(await site.call('/events?nextPageToken=made-up'), 400, 'QueryParameterException'),
    },
    {
      name: 'a token can be given back',
      run: async () => {
        const next = nextOf(await site.call('/events?perPage=1'));
        const token = /nextPageToken=([^&]+)/.exec(next)?.[1] ?? '';
        expectStatus(await site.call(`/nextPageToken/${token}`, { method: 'DELETE' }), 204);
      },
    },
    {
      name: 'a URI that is too long',
      run: async () =>
        expectProblem(await site.call(`/events?EQ_bizStep=${'x'.repeat(20_000)}`), 414, 'URITooLongException'),
    },
  ];
}
