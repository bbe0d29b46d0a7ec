// Queries with a name: kept, listed, asked, deleted.
import { found } from './ask.ts';
import { expectProblem, expectSame, expectStatus, expectThat, type Site, type Step } from './site.ts';

export function namedQuerySteps(site: Site): Step[] {
  const name = site.name('query');
  const path = `/queries/${name}`;
  const query = { eventType: ['ObjectEvent'], EQ_eventID: [site.eventID('made'), site.eventID('packed')] };
  const create = (body: object) => site.call('/queries', { body });
  return [
    {
      name: 'a query gets a name',
      run: async () => {
        const answer = expectStatus(await create({ name, query }), 201);
        expectThat((answer.headers.get('location') ?? '').endsWith(path), 'its Location is not below /queries');
      },
    },
    {
      name: 'a name is given once',
      run: async () => expectProblem(await create({ name, query }), 409, 'ResourceAlreadyExistsException'),
    },
    {
      name: 'a query comes back as it was given',
      run: async () => {
        const answer = JSON.parse(expectStatus(await site.call(path), 200).text) as { name: string; query: object };
        expectSame([answer.name, answer.query], [name, query], 'the query');
      },
    },
    {
      name: 'queries are listed, page by page',
      run: async () => {
        const seen: string[] = [];
        for (let next = '/queries?perPage=1'; next !== '';) {
          const answer = expectStatus(await site.call(next), 200);
          seen.push(...(JSON.parse(answer.text) as { name: string }[]).map((each) => each.name));
          next = /<([^>]+)>;\s*rel="?next/.exec(answer.headers.get('link') ?? '')?.[1] ?? '';
        }
        expectThat(seen.includes(name), `${name} is not listed`);
        expectSame(new Set(seen).size, seen.length, 'queries listed');
      },
    },
    {
      name: 'its events',
      run: async () => expectSame(found(site, await site.call(`${path}/events`)), ['made'], 'events'),
    },
    {
      name: 'its events in XML say the name of the query',
      run: async () => {
        const answer = await site.call(`${path}/events`, { headers: { Accept: 'application/xml' } });
        expectThat(expectStatus(answer, 200).text.includes(`<queryName>${name}</queryName>`), answer.text);
      },
    },
    {
      name: 'its events in pages',
      run: async () => {
        const other = site.name('paged');
        expectStatus(await create({ name: other, query: { EQ_eventID: query.EQ_eventID } }), 201);
        const first = await site.call(`/queries/${other}/events?perPage=1`);
        const next = /<([^>]+)>;\s*rel="?next/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
        const names = [...found(site, first), ...found(site, await site.call(next))];
        expectSame(names.sort(), ['made', 'packed'], 'events on two pages');
      },
    },
    {
      name: 'SOAP finds the same by the name',
      run: async () => {
        const answer = await site.soap(`<q:Poll><queryName>${name}</queryName><params/></q:Poll>`, 2);
        expectSame(found(site, expectStatus(answer, 200)), ['made'], 'events');
      },
    },
    {
      name: 'SOAP lists the name',
      run: async () => {
        const answer = expectStatus(await site.soap('<q:GetQueryNames/>'), 200);
        for (const each of [name, 'SimpleEventQuery', 'SimpleMasterDataQuery'])
          expectThat(answer.text.includes(`<string>${each}</string>`), `${each} is not listed`);
      },
    },
    ...Object.entries({
      'a parameter that is none': [{ EQ_nothing: ['x'] }, 'QueryParameterException'],
      'a value of another type': [{ GE_eventTime: 'soon' }, 'QueryParameterException'],
      'a list for a query': [[], 'ValidationException'],
      'no query': [undefined, 'ValidationException'],
    } as Record<string, [unknown, string]>).map(([what, [wrong, exception]]) => ({
      name: `${what} is refused`,
      run: async () => expectProblem(await create({ name: site.name('wrong'), query: wrong }), 400, exception),
    })),
    {
      name: 'a query without a name is refused',
      run: async () => expectProblem(await create({ query }), 400, 'ValidationException'),
    },
    {
      name: 'a query in XML is refused',
      run: async () =>
        expectProblem(
          await site.call('/queries', { body: '<a/>', headers: { 'Content-Type': 'application/xml' } }),
          415,
          'UnsupportedMediaTypeException',
        ),
    },
    {
      name: 'a deleted query is gone',
      run: async () => {
        expectStatus(await site.call(path, { method: 'DELETE' }), 204);
        expectProblem(await site.call(path), 404, 'NoSuchNameException');
        expectProblem(await site.call(`${path}/events`), 404, 'NoSuchNameException');
        expectProblem(await site.call(`${path}/subscriptions`), 404, 'NoSuchNameException');
        expectProblem(await site.call(path, { method: 'DELETE' }), 404, 'NoSuchNameException');
      },
    },
  ];
}
