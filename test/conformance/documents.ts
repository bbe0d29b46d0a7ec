// Cases that are documents: `json/` and `xml/` must be captured and come back, in either form; files of the same name in both
// are the same events; `invalid/` must be refused. Events get fresh IDs, so that they can be told from all others.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { factsOfJson, factsOfXml } from './facts.ts';
import { jsonEvents, withIds } from './json-document.ts';
import { check, type Result } from './report.ts';
import { captureJson, captureRest, eventsById, freshId, Refused } from './server.ts';
import type { Endpoints } from './procedures/site.ts';
import { canonical, eventsOf, parseXml, type Node } from './xml.ts';
import { withXmlIds } from './xml-document.ts';

/** In the same form, an event comes back element by element; recordTime is the server's to add. */
const OWN = new Set(['recordTime', 'eventID']);

export async function runDocuments(endpoints: Endpoints, folder: string): Promise<Result[]> {
  const [json, xml, invalid] = ['json', 'xml', 'invalid'].map((part) => files(folder, part)) as [
    string[],
    string[],
    string[],
  ];
  const results: Result[] = [];
  for (const file of json) results.push(await valid(`json/${basename(file)}`, () => runJson(endpoints, read(file))));
  for (const file of xml) results.push(await valid(`xml/${basename(file)}`, () => runXml(endpoints, read(file))));
  for (const file of json) {
    const twin = xml.find((name) => stem(name) === stem(file));
    if (twin !== undefined)
      results.push(await check(`json = xml: ${stem(file)}`, () => comparePair(read(file), read(twin))));
  }
  for (const file of invalid) results.push(await check(`invalid/${basename(file)}`, () => runInvalid(endpoints, file)));
  return results;
}

/** Documents among the valid ones that the standard's own schemas refuse: a server that refuses them is right. */
const WRONG: Readonly<Record<string, string>> = {
  'json/SensorData_with_combined_events.json':
    'Molar_concentration is no measurement type, and a sensorReport has no type',
  'json/TransactionEvent_with_userExtensions.json': 'EffectiveDoseRate is no measurement type',
  'xml/JumbledFieldsOrder.xml': "the elements of its event are not in the schema's order",
  'xml/Namespace_document.xml': 'its events and their fields are in a namespace, which the schema leaves unqualified',
};

function valid(name: string, run: () => Promise<void>): Promise<Result> {
  return check(name, async () => {
    try {
      await run();
    } catch (error) {
      const why = WRONG[name];
      if (why === undefined || !isRefusal(error)) throw error;
      return `refused, rightly: ${why}`;
    }
    return undefined;
  });
}

/** Of the document; a server that failed refused nothing. */
function isRefusal(error: unknown): boolean {
  return error instanceof Refused && !/^5/.test(error.message);
}

async function runJson(endpoints: Endpoints, text: string): Promise<void> {
  const sent = withIds(text, freshId);
  await captureJson(endpoints, sent);
  const events = jsonEvents(sent);
  for (const [id, same] of Map.groupBy(events, ({ event }) => String(event['eventID']))) {
    const facts = same.map(factsOfJson);
    sameFacts(`JSON of ${id}`, jsonEvents(await eventsById(endpoints, id, 'application/json')).map(factsOfJson), facts);
    const xml = eventsOf(parseXml(await eventsById(endpoints, id, 'application/xml')));
    sameFacts(`XML of ${id}`, xml.map(factsOfXml), facts);
  }
}

async function runXml(endpoints: Endpoints, text: string): Promise<void> {
  const sent = withXmlIds(text, freshId);
  await captureRest(endpoints, sent, 'application/xml');
  const document = parseXml(sent);
  const version = document.namespace.endsWith(':1') ? '1.2' : '2.0';
  const events = eventsOf(document);
  for (const [id, same] of Map.groupBy(events, idOf)) {
    const xml = eventsOf(parseXml(await eventsById(endpoints, id, 'application/xml', version)));
    sameFacts(
      `XML of ${id}`,
      xml.map((event) => [canonical(event, OWN)]),
      same.map((event) => [canonical(event, OWN)]),
    );
    const json = jsonEvents(await eventsById(endpoints, id, 'application/json'));
    sameFacts(`JSON of ${id}`, json.map(factsOfJson), same.map(factsOfXml));
  }
}

/** Says so where the two files are not the same events in our own reading: no server can make them equal. */
async function comparePair(json: string, xml: string): Promise<string | void> {
  try {
    sameFacts('the pair', jsonEvents(json).map(factsOfJson), eventsOf(parseXml(xml)).map(factsOfXml));
  } catch (error) {
    return `the two files differ: ${(error as Error).message}`;
  }
}

async function runInvalid(endpoints: Endpoints, file: string): Promise<void> {
  const mediaType = extname(file) === '.xml' ? 'application/xml' : 'application/json';
  try {
    await captureRest(endpoints, read(file), mediaType);
  } catch (error) {
    if (isRefusal(error)) return;
    throw error;
  }
  throw new Error('the document was captured');
}

function sameFacts(what: string, got: readonly (readonly string[])[], expected: readonly (readonly string[])[]): void {
  if (got.length !== expected.length)
    throw new Error(`${what}: ${got.length} events where ${expected.length} are expected`);
  const [one, other] = [got, expected].map((events) => [...events].sort((a, b) => (String(a) < String(b) ? -1 : 1)));
  expected.forEach((_, at) => {
    const [a = [], b = []] = [one?.[at], other?.[at]];
    const missing = b.filter((fact) => count(a, fact) < count(b, fact));
    const extra = a.filter((fact) => count(a, fact) > count(b, fact));
    if (missing.length + extra.length > 0) {
      throw new Error(
        `${what} lacks ${missing.slice(0, 3).join(' , ') || 'nothing'}, has ${extra.slice(0, 3).join(' , ') || 'nothing else'}`,
      );
    }
  });
}

function count(facts: readonly string[], wanted: string): number {
  return facts.filter((fact) => fact === wanted).length;
}

function idOf(event: Node): string {
  const base = event.children.find(({ name }) => name === 'baseExtension');
  return [...event.children, ...(base?.children ?? [])].find(({ name }) => name === 'eventID')?.text ?? '';
}

function files(folder: string, part: string): string[] {
  const path = join(folder, part);
  const names = existsSync(path) ? readdirSync(path) : [];
  return names.filter((name) => /\.(json|jsonld|xml)$/.test(name)).map((name) => join(path, name));
}

function stem(file: string): string {
  return basename(file, extname(file));
}

function read(file: string): string {
  return readFileSync(file, 'utf8');
}
