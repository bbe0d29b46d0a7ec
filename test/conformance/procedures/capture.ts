// The capture interfaces: documents by a job, single events at once, and what each refuses.
import { alone, jsonDocument, sampleEvents, type Event } from './events.ts';
import { found } from './ask.ts';
import { expectProblem, expectSame, expectStatus, expectThat, type Answer, type Site, type Step } from './site.ts';

const DEADLINE = 60_000;

export interface Job {
  readonly running: boolean;
  readonly success: boolean;
  readonly captureID: string;
  readonly createdAt: string;
  readonly finishedAt?: string;
  readonly captureErrorBehaviour: string;
  readonly errors: readonly { readonly type: string; readonly title?: string; readonly status?: number }[];
}

/** The job that the answer leads to, when it has ended. */
export async function finished(site: Site, accepted: Answer): Promise<Job> {
  expectStatus(accepted, 202);
  const location = accepted.headers.get('location');
  if (location === null) throw new Error('202 without the Location of its job');
  for (const end = Date.now() + DEADLINE; Date.now() < end;) {
    const job = JSON.parse(expectStatus(await site.call(location), 200).text) as Job;
    if (!job.running) return job;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`the job at ${location} did not end in ${DEADLINE / 1000} s`);
}

export async function captureSamples(site: Site): Promise<void> {
  const events = Object.values(sampleEvents(site));
  const job = await finished(site, await site.call('/capture', { body: jsonDocument(site, events) }));
  expectThat(job.success, `the job failed: ${JSON.stringify(job.errors)}`);
}

export function simple(site: Site, name: string, more: Event = {}): Event {
  return {
    type: 'ObjectEvent',
    eventID: site.eventID(name),
    eventTime: '2019-05-01T10:00:00Z',
    eventTimeZoneOffset: '+00:00',
    epcList: [site.name('urn:example:single')],
    action: 'OBSERVE',
    ...more,
  };
}

export function simpleXml(site: Site, name: string, more = ''): string {
  return (
    '<ObjectEvent><eventTime>2019-05-01T10:00:00Z</eventTime><eventTimeZoneOffset>+00:00</eventTimeZoneOffset>' +
    `<eventID>${site.eventID(name)}</eventID><epcList><epc>${site.name('urn:example:single')}</epc></epcList>` +
    `<action>OBSERVE</action>${more}</ObjectEvent>`
  );
}

export const xmlDocument = (events: string, version: 1 | 2 = 2): string =>
  `<e:EPCISDocument xmlns:e="urn:epcglobal:epcis:xsd:${version}" schemaVersion="${version === 1 ? '1.2' : '2.0'}" ` +
  `creationDate="2019-05-01T10:00:00Z"><EPCISBody><EventList>${events}</EventList></EPCISBody></e:EPCISDocument>`;

const XML = { 'Content-Type': 'application/xml' };

async function isThere(site: Site, name: string, times = 1): Promise<void> {
  const answer = await site.call(`/events/${encodeURIComponent(site.eventID(name))}`);
  if (times === 0) return expectProblem(answer, 404, 'NoSuchResourceException');
  expectSame(found(site, expectStatus(answer, 200)), Array<string>(times).fill(name), 'events of this ID');
}

export function captureSteps(site: Site): Step[] {
  const post = (path: string, body: string | object, headers: Record<string, string> = {}) =>
    site.call(path, { body, headers });
  const bad = simple(site, 'bad', { action: 'CREATE' });
  return [
    {
      name: 'a JSON document gives a job that says how it went',
      run: async () => {
        const job = await finished(site, await post('/capture', jsonDocument(site, [simple(site, 'job')])));
        expectSame([job.success, job.running, job.captureErrorBehaviour], [true, false, 'rollback'], 'the job');
        expectSame(job.errors, [], 'its errors');
        expectThat(!Number.isNaN(Date.parse(job.createdAt)), 'createdAt is no time');
        expectThat(Date.parse(job.finishedAt ?? '') >= Date.parse(job.createdAt), 'finishedAt lies before createdAt');
        await isThere(site, 'job');
      },
    },
    ...['application/json', 'application/ld+json', 'application/json; charset=utf-8'].map((type) => ({
      name: `a document comes as ${type}`,
      run: async () => {
        const name = `as-${type.replace(/\W/g, '-')}`;
        const body = JSON.stringify(jsonDocument(site, [simple(site, name)]));
        await finished(site, await post('/capture', body, { 'Content-Type': type }));
        await isThere(site, name);
      },
    })),
    ...['application/xml', 'text/xml'].map((type) => ({
      name: `a document comes as ${type}`,
      run: async () => {
        const name = `as-${type.replace(/\W/g, '-')}`;
        const job = await finished(
          site,
          await post('/capture', xmlDocument(simpleXml(site, name)), { 'Content-Type': type }),
        );
        expectThat(job.success, JSON.stringify(job.errors));
        await isThere(site, name);
      },
    })),
    {
      name: 'an EPCIS 1.2 document is taken, too',
      run: async () => {
        const text = xmlDocument(simpleXml(site, 'old').replace(/<eventID>.*<\/eventID>/, base(site, 'old')), 1);
        const job = await finished(site, await post('/capture', text, XML));
        expectThat(job.success, JSON.stringify(job.errors));
        await isThere(site, 'old');
      },
    },
    {
      name: 'the same document twice is one capture',
      run: async () => {
        const document = jsonDocument(site, [simple(site, 'twice')]);
        for (let n = 0; n < 2; n++)
          expectThat((await finished(site, await post('/capture', document))).success, 'the job failed');
        await isThere(site, 'twice');
      },
    },
    {
      name: 'rollback: one wrong event, and nothing is captured',
      run: async () => {
        const answer = await post('/capture', jsonDocument(site, [simple(site, 'back'), bad]), {
          'GS1-Capture-Error-Behaviour': 'rollback',
        });
        const job = await finished(site, answer);
        expectSame([job.success, job.errors[0]?.type], [false, 'epcisException:ValidationException'], 'the job');
        await isThere(site, 'back', 0);
      },
    },
    {
      name: 'proceed: what is right is captured, what is wrong is told',
      run: async () => {
        const events = [simple(site, 'first'), bad, simple(site, 'last')];
        const answer = await post('/capture', jsonDocument(site, events), { 'GS1-Capture-Error-Behaviour': 'proceed' });
        const job = await finished(site, answer);
        expectSame([job.success, job.captureErrorBehaviour, job.errors.length], [false, 'proceed', 1], 'the job');
        await isThere(site, 'first');
        await isThere(site, 'last');
      },
    },
    {
      name: 'the job in XML',
      run: async () => {
        const accepted = await post('/capture', jsonDocument(site, [simple(site, 'job-xml')]));
        await finished(site, accepted);
        const location = accepted.headers.get('location') ?? '';
        const answer = expectStatus(await site.call(location, { headers: { Accept: 'application/xml' } }), 200);
        expectThat(/EPCISCaptureJob[^>]* running="false"/.test(answer.text), answer.text);
      },
    },
    {
      name: 'jobs are listed in pages, newest first',
      run: async () => {
        const answer = expectStatus(await site.call('/capture?perPage=1'), 200);
        const jobs = JSON.parse(answer.text) as Job[];
        expectSame(jobs.length, 1, 'jobs on the page');
        expectThat(/rel="?next/.test(answer.headers.get('link') ?? ''), 'no Link to the next page');
        const all = JSON.parse((await site.call('/capture?perPage=10')).text) as Job[];
        const times = all.map(({ createdAt }) => createdAt);
        expectSame(times, times.toSorted().reverse(), 'the order of jobs');
      },
    },
    {
      name: 'a job that is not there',
      run: async () => expectProblem(await site.call(`/capture/${site.name('none')}`), 404, 'NoSuchResourceException'),
    },
    ...['text/plain', 'application/pdf', 'text/csv', ''].map((type) => ({
      name: `a document as '${type}' is refused`,
      run: async () =>
        expectProblem(
          await site.call('/capture', {
            method: 'POST',
            body: JSON.stringify(jsonDocument(site, [])),
            headers: { 'Content-Type': type },
          }),
          415,
          'UnsupportedMediaTypeException',
        ),
    })),
    {
      name: 'an unknown error behaviour is refused',
      run: async () =>
        expectProblem(
          await post('/capture', jsonDocument(site, []), { 'GS1-Capture-Error-Behaviour': 'later' }),
          400,
          'ValidationException',
        ),
    },
    ...Object.entries({
      nothing: ['', 'application/json'],
      'half a document': ['{"type":"EPCISDocument"', 'application/json'],
      'XML that is called JSON': ['<a/>', 'application/json'],
      'JSON that is called XML': ['{}', 'application/xml'],
      'an open element': ['<a><b></a>', 'application/xml'],
      'a document type': [
        '<!DOCTYPE a [<!ENTITY b "c">]>' + xmlDocument(simpleXml(site, 'doctype')),
        'application/xml',
      ],
    } as Record<string, [string, string]>).map(([what, [body, type]]) => ({
      name: `${what} is refused at once`,
      run: async () =>
        expectProblem(
          await site.call('/capture', { method: 'POST', body, headers: { 'Content-Type': type } }),
          400,
          'ValidationException',
        ),
    })),
    {
      name: 'one event is captured when the answer is there',
      run: async () => {
        const answer = expectStatus(await post('/events', alone(site, simple(site, 'posted'))), 201);
        const location = answer.headers.get('location') ?? '';
        expectSame(found(site, expectStatus(await site.call(location), 200)), ['posted'], `events at ${location}`);
        const event = JSON.parse(answer.text) as Event;
        expectSame(event['eventID'], site.eventID('posted'), 'the event in the answer');
        expectThat(typeof event['recordTime'] === 'string', 'the event in the answer has no recordTime');
      },
    },
    {
      name: 'one event without an ID gets its hash for one',
      run: async () => {
        const event = { ...simple(site, 'hashed'), eventID: undefined, bizStep: site.name('urn:example:hashed') };
        const location = expectStatus(await post('/events', alone(site, event)), 201).headers.get('location') ?? '';
        expectThat(/ni:\/\/\/sha-256;[0-9a-f]{64}\?ver=CBV2\.0$/.test(decodeURIComponent(location)), location);
        expectStatus(await site.call(location), 200);
      },
    },
    {
      name: 'one event in XML',
      run: async () => {
        expectStatus(await post('/events', simpleXml(site, 'posted-xml'), XML), 201);
        await isThere(site, 'posted-xml');
      },
    },
    {
      name: 'an event that is there already, or another one of its ID',
      run: async () => {
        const again = alone(site, simple(site, 'posted'));
        expectProblem(await post('/events', again), 409, 'ResourceAlreadyExistsException');
        const other = alone(site, simple(site, 'posted', { bizStep: 'packing' }));
        expectProblem(await post('/events', other), 409, 'ResourceAlreadyExistsException');
      },
    },
    {
      name: 'an error declaration joins the event of its ID',
      run: async () => {
        const errorDeclaration = { declarationTime: '2020-01-01T00:00:00Z', reason: 'did_not_occur' };
        const answer = await post('/events', alone(site, simple(site, 'posted', { errorDeclaration })));
        expectThat(expectStatus(answer, 201).text.includes('did_not_occur'), 'answers with another event');
        await isThere(site, 'posted', 2);
      },
    },
    ...Object.entries({
      'an event of another media type': [415, 'UnsupportedMediaTypeException', 'x', 'text/plain'],
      'no JSON': [400, 'ValidationException', '{', 'application/json'],
      'a wrong event': [400, 'ValidationException', JSON.stringify(alone(site, bad)), 'application/json'],
      'a list of events': [400, 'ValidationException', '[]', 'application/json'],
      'a whole document': [
        400,
        'ValidationException',
        JSON.stringify(jsonDocument(site, [simple(site, 'x')])),
        'application/json',
      ],
    } as Record<string, [number, string, string, string]>).map(([what, [status, exception, body, type]]) => ({
      name: `/events refuses ${what}`,
      run: async () =>
        expectProblem(
          await site.call('/events', { method: 'POST', body, headers: { 'Content-Type': type } }),
          status,
          exception,
        ),
    })),
  ];
}

/** 1.2 has the event's ID in its base extension. */
const base = (site: Site, name: string): string =>
  `<baseExtension><eventID>${site.eventID(name)}</eventID></baseExtension>`;
