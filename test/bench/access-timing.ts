// node test/bench/access-timing.ts [--requests 4000] [--database mysql] [--only 'event by ID']: whether the time of an answer tells what is another's from what is not there. A VM with
// two companies' events; the one asks for the other's things and for such as nobody has, in random order. Printed is, for each kind of thing, the
// median of both and how often the other's takes longer than what is not there: 0.5 says nothing, 1 says all, with an interval of 95 %.
import { Agent, request } from 'node:http';
import { applyRules } from '../../epcis/repository/access-rules.ts';
import { migrate } from '../../epcis/repository/migrate.ts';
import { openDatabase } from '../../epcis/repository/database/open.ts';
import { client, startGuarded, vouchedFor } from '../helpers/access.ts';
import { commandOptions } from '../helpers/command-options.ts';
import { KINDS } from '../helpers/fresh-repository.ts';

const EVENTS = 2_000;
const NS = 'https://acme.example/ns#';
const { values } = commandOptions({
  options: {
    requests: { type: 'string', default: '4000' },
    database: { type: 'string', default: 'sqlite' },
    only: { type: 'string', default: '' },
  },
});
const requests = Number(values.requests);

const RULES = [
  { name: 'acme sees', for: 'client:acme', see: 'everything' },
  { name: 'acme captures', for: 'client:acme', capture: 'everything' },
  { name: 'acme has places', for: 'client:acme', capture: { masterData: 'everything' } },
  {
    name: 'beta sees its own',
    for: 'client:beta',
    see: { epc: 'urn:epc:idpat:sgtin:9521141.*.*' },
    hide: [`${NS}price`],
  },
  { name: 'beta captures its own', for: 'client:beta', capture: { everyEPC: 'urn:epc:idpat:sgtin:9521141.*.*' } },
];

/** Acme has the even ones, nobody the odd ones. */
const other = (n: number) => 2 * (n % EVENTS);
const nobodys = (n: number) => 2 * (n % EVENTS) + 1;
const number = (n: number) => String(n).padStart(12, '0');
const idOf = (n: number) => `urn:uuid:00000000-0000-4000-8000-${number(n)}`;
const epcOf = (n: number) => `urn:epc:id:sgtin:0614141.107346.${100_000 + n}`;
const transactionOf = (n: number) => `urn:x:order:${number(n)}`;
const placeOf = (n: number) => `urn:x:place:${number(n)}`;
const ownEpc = 'urn:epc:id:sgtin:9521141.012345.1';

const acme = client('acme');
const beta = client('beta');
const found = KINDS.find(([kind]) => kind === values.database);
if (found === undefined) throw new Error(`--database ${values.database}: sqlite or mysql.`);
const url = await found[1]();
const database = await openDatabase({ url });
await migrate(database);
const rules = JSON.stringify({ rules: RULES });
await applyRules(database, { source: rules, rules, appliedBy: 'bench', appliedFrom: 'here' });
await database.close();
const server = await startGuarded(url, { subscriptionTargets: ['127.0.0.0/8'] });
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

const ask = (who: typeof acme, method: string, path: string, body?: object | string) =>
  new Promise<{ status: number; ms: number; location: string; length: number }>((resolve, reject) => {
    const text = typeof body === 'object' ? JSON.stringify(body) : body;
    const type = typeof body === 'object' ? 'application/json' : 'text/xml';
    const headers = {
      ...vouchedFor(who, method, path),
      ...(text !== undefined && { 'content-type': type }),
    };
    const from = performance.now();
    const sent = request({ port: server.port, host: '127.0.0.1', method, path, agent, headers }, (response) => {
      let length = 0;
      response.on('data', (chunk: Buffer) => (length += chunk.length));
      response.on('end', () =>
        resolve({
          ...{ status: response.statusCode ?? 0, ms: performance.now() - from, length },
          location: response.headers.location ?? '',
        }),
      );
    });
    sent.on('error', reject).end(text);
  });

const event = (n: number, epc: string) => ({
  ...{
    '@context': [{ acme: NS }],
    type: 'ObjectEvent',
    eventID: idOf(n),
    action: 'OBSERVE',
    epcList: [epc],
    'acme:price': '9',
  },
  ...{ eventTime: '2026-01-01T00:00:00Z', eventTimeZoneOffset: '+00:00', bizStep: 'shipping' },
  bizTransactionList: [{ type: 'po', bizTransaction: transactionOf(n) }],
});
for (let n = 0; n < EVENTS; n++) await ask(acme, 'POST', '/events', event(other(n), epcOf(other(n))));
const document = {
  ...{ '@context': [], type: 'EPCISDocument', schemaVersion: '2.0', creationDate: '2026-01-01T00:00:00Z' },
  epcisBody: { eventList: [] },
};
const jobs: string[] = [];
for (let n = 0; n < 50; n++) jobs.push((await ask(acme, 'POST', '/capture', document)).location);
for (let n = 0; n < 50; n++)
  await ask(acme, 'POST', '/queries', { name: `theirs-${number(2 * n)}`, query: { EQ_bizStep: ['shipping'] } });
const subscriptions: string[] = [];
const subscription = { dest: 'http://127.0.0.1:9/', schedule: { month: '1' } };
for (let n = 0; n < 50; n++)
  subscriptions.push(
    (await ask(acme, 'POST', '/queries/SimpleEventQuery/subscriptions', subscription)).location.replace(
      /^.*(?=\/queries)/,
      '',
    ),
  );
const places = Array.from({ length: EVENTS }, (_, n) => `<VocabularyElement id="${placeOf(other(n))}"/>`);
await ask(
  acme,
  'POST',
  '/epcis/capture',
  '<e:EPCISMasterDataDocument xmlns:e="urn:epcglobal:epcis-masterdata:xsd:1" schemaVersion="1.0" creationDate="2026-01-01T00:00:00Z"><EPCISBody><VocabularyList>' +
    `<Vocabulary type="urn:epcglobal:epcis:vtype:ReadPoint"><VocabularyElementList>${places.join('')}</VocabularyElementList></Vocabulary></VocabularyList></EPCISBody></e:EPCISMasterDataDocument>`,
);

interface Kind {
  readonly what: string;
  readonly method?: string;
  readonly path: (n: number) => string;
  readonly body?: (n: number) => object | string;
}
const of = (n: number) => encodeURIComponent(epcOf(n));
const lostJob = (location: string) => location.replace(/.{12}$/, '000000000000');
const KINDS_OF_THINGS: readonly Kind[] = [
  { what: 'event by ID', path: (n) => `/events/${encodeURIComponent(idOf(n))}` },
  { what: 'events by ID', path: (n) => `/events?EQ_eventID=${encodeURIComponent(idOf(n))}` },
  { what: 'events by EPC', path: (n) => `/events?MATCH_anyEPC=${of(n)}` },
  {
    what: 'events by transaction',
    path: (n) => `/events?EQ_bizTransaction_po=${encodeURIComponent(transactionOf(n))}`,
  },
  { what: 'events of an EPC', path: (n) => `/epcs/${of(n)}/events` },
  { what: 'trace of an EPC', path: (n) => `/epcs/${of(n)}/trace` },
  { what: 'capture job', path: (n) => (n % 2 === 0 ? (jobs[n % 50] ?? '') : lostJob(jobs[n % 50] ?? '')) },
  {
    what: 'subscription',
    path: (n) => (n % 2 === 0 ? (subscriptions[n % 50] ?? '') : lostJob(subscriptions[n % 50] ?? '')),
  },
  {
    what: 'end of a subscription',
    method: 'DELETE',
    path: (n) => `/queries/theirs-${number(n % 100)}/subscriptions/1`,
  },
  { what: 'named query', path: (n) => `/queries/theirs-${number(n % 100)}` },
  {
    what: 'events by SOAP',
    method: 'POST',
    path: () => '/epcis/query',
    body: (n) => poll('SimpleEventQuery', { EQ_eventID: `<string>${idOf(n)}</string>` }),
  },
  {
    what: 'named query by SOAP',
    method: 'POST',
    path: () => '/epcis/query',
    body: (n) => poll(`theirs-${number(n % 100)}`, {}),
  },
  {
    what: 'master data by SOAP',
    method: 'POST',
    path: () => '/epcis/query',
    body: (n) =>
      poll('SimpleMasterDataQuery', {
        ...{ includeAttributes: 'true', includeChildren: 'true' },
        EQ_name: `<string>${placeOf(n)}</string>`,
      }),
  },
  {
    what: 'error declaration',
    method: 'POST',
    path: () => '/events',
    body: (n) => ({ ...event(n, ownEpc), errorDeclaration: { declarationTime: '2026-02-01T00:00:00Z' } }),
  },
];

function poll(name: string, parameters: Readonly<Record<string, string>>): string {
  const all = Object.entries(parameters).map(
    ([key, value]) => `<param><name>${key}</name><value>${value}</value></param>`,
  );
  return (
    '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" xmlns:q="urn:epcglobal:epcis-query:xsd:1">' +
    `<s:Body><q:Poll><queryName>${name}</queryName><params>${all.join('')}</params></q:Poll></s:Body></s:Envelope>`
  );
}

/** How often a value of the one is above one of the other, ties half; and its standard error (DeLong). */
function above(one: readonly number[], than: readonly number[]): { readonly mean: number; readonly error: number } {
  const sorted = (all: readonly number[]) => Float64Array.from(all).sort();
  const share = (all: Float64Array, value: number): number =>
    (rank(all, value, false) + rank(all, value, true)) / 2 / all.length;
  const [a, b] = [sorted(one), sorted(than)];
  const ofOne = one.map((value) => share(b, value));
  const ofThan = than.map((value) => 1 - share(a, value));
  const mean = average(ofOne);
  const error = Math.sqrt(variance(ofOne) / one.length + variance(ofThan) / than.length);
  return { mean, error };
}

/** How many are below, or not above. */
function rank(sorted: Float64Array, value: number, withEqual: boolean): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    const at = sorted[middle] ?? 0;
    if (at < value || (withEqual && at === value)) from = middle + 1;
    else to = middle;
  }
  return from;
}

const average = (all: readonly number[]): number => all.reduce((sum, value) => sum + value, 0) / all.length;
const variance = (all: readonly number[]): number => {
  const mean = average(all);
  return average(all.map((value) => (value - mean) ** 2));
};
const median = (all: readonly number[]): string => (all.toSorted((a, b) => a - b)[all.length >> 1] ?? 0).toFixed(3);

let told = 0;
const kinds = KINDS_OF_THINGS.filter(({ what }) => values.only === '' || what === values.only);
for (const { what, method = 'GET', path, body } of kinds) {
  const times: Record<'theirs' | 'none', number[]> = { theirs: [], none: [] };
  const answers = new Set<string>();
  for (let n = -200; n < requests; n++) {
    const drawn = Math.floor(Math.random() * EVENTS);
    const is = Math.random() < 0.5 ? 'theirs' : 'none';
    const which = is === 'theirs' ? other(drawn) : nobodys(drawn);
    const { status, ms, length } = await ask(beta, method, path(which), body?.(which));
    answers.add(`${status}, ${length} bytes`);
    if (n >= 0) times[is].push(ms);
  }
  const { mean, error } = above(times.theirs, times.none);
  const [low, high] = [mean - 1.96 * error, mean + 1.96 * error];
  if (low > 0.5 || high < 0.5) told++;
  process.stdout.write(
    `${what.padEnd(24)} ${median(times.theirs)} ms theirs, ${median(times.none)} ms not there; theirs longer ${mean.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})  answers: ${[...answers].join(' | ')}\n`,
  );
}
process.stdout.write(`${told} of ${kinds.length} kinds are told apart by time\n`);
agent.destroy();
await server.close();
