// Cases in Fosstrak's form: `events/`, `masterdata/`, `requests/` and `responses/`. Master data and events are captured, then
// each request is sent in a SOAP envelope; the sets of events are compared, ignoring recordTime and white space.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Callbacks } from './callbacks.ts';
import { check, type Result } from './report.ts';
import { callSoap, captureXml } from './server.ts';
import type { Endpoints } from './procedures/site.ts';
import { Timeline } from './timeline.ts';
import { canonical, childText, eventsOf, find, parseXml, type Node } from './xml.ts';

interface Case {
  readonly name: string;
  readonly requests: readonly { readonly xml: string; readonly expected: readonly Node[] }[];
}

export async function runFosstrak(endpoints: Endpoints, folder: string, callbackHost: string): Promise<Result[]> {
  const cases = readCases(folder);
  const masterData = documents(folder, 'masterdata');
  const timeline = new Timeline(
    documents(folder, 'events'),
    cases.flatMap(({ requests }) => requests.map(({ xml }) => xml)),
  );
  const captured = await check('capture master data and events', async () => {
    for (const xml of masterData) await captureXml(endpoints, xml);
    await timeline.capture(endpoints);
  });
  if (captured.outcome === 'failed') return [captured];
  const callbacks = await Callbacks.listen(callbackHost);
  try {
    const run = new FosstrakRun(endpoints, timeline, callbacks, new Set(masterData.flatMap(elementIds)));
    const results = [captured];
    for (const each of cases) results.push(await check(each.name, () => run.case(each)));
    return results;
  } finally {
    await callbacks.close();
  }
}

class FosstrakRun {
  readonly #endpoints: Endpoints;
  readonly #timeline: Timeline;
  readonly #callbacks: Callbacks;
  /** The suite's own; a repository may hold others. */
  readonly #elements: ReadonlySet<string>;
  readonly #subscribed = new Set<string>();

  constructor(endpoints: Endpoints, timeline: Timeline, callbacks: Callbacks, elements: ReadonlySet<string>) {
    this.#endpoints = endpoints;
    this.#timeline = timeline;
    this.#callbacks = callbacks;
    this.#elements = elements;
  }

  /** Its requests in order; what it subscribed to is unsubscribed at the end, as it is before a second use of an ID. */
  async case({ requests }: Case): Promise<string | void> {
    const notes: string[] = [];
    const subscribed: string[] = [];
    try {
      for (const { xml, expected } of requests) {
        const id = subscriptionOf(xml);
        if (id !== undefined) {
          await this.#unsubscribe(id);
          this.#subscribed.add(id);
          subscribed.push(id);
        }
        const note = await this.#request(xml, expected);
        if (note !== undefined) notes.push(note);
      }
    } finally {
      for (const id of subscribed) await this.#unsubscribe(id);
    }
    if (notes.length > 0) return notes.join('; ');
  }

  async #request(xml: string, expected: readonly Node[]): Promise<string | undefined> {
    const id = subscriptionOf(xml);
    const direct = expected.filter((answer) => id === undefined || childText(answer, 'subscriptionID') === undefined);
    const later = expected.filter((answer) => !direct.includes(answer));
    const request = this.#callbacks.redirect(this.#timeline.translate(xml), later.length > 0);
    const answer = await callSoap(this.#endpoints, request);
    const wanted = direct[0] ?? SUBSCRIBED;
    const note = this.#compare(answer, wanted, xml);
    if (id === undefined || answer.name !== 'SubscribeResult') return note;
    for (const callback of later) {
      const isSuite = (event: Node) => this.#timeline.knows(event);
      const got = await this.#callbacks.wait(id, expectedEvents(callback), isSuite);
      const late = this.#compare(got, callback, xml);
      if (late !== undefined) return late;
    }
    return note;
  }

  #compare(got: Node, expected: Node, request: string): string | undefined {
    if (got.name !== expected.name) {
      if (isOptional(expected.name, request) && got.name === 'QueryResults') {
        return `the server answered the query; the standard permits a ${expected.name}, and does not require one`;
      }
      throw new Error(`answered ${got.name} (${find(got, 'reason')?.text ?? ''}) where ${expected.name} is expected`);
    }
    if (find(expected, 'EventList') !== undefined) {
      sameSet(
        expectedEvents(got, (event) => this.#timeline.knows(event)),
        expectedEvents(expected),
      );
    } else if (find(expected, 'VocabularyList') !== undefined) {
      sameSet(elements(got, this.#elements), elements(expected));
    } else if (expected.name === 'GetSubscriptionIDsResult' || expected.name === 'GetQueryNamesResult') {
      // a server may have other subscriptions and named queries
      const wanted = strings(expected);
      sameSet(
        strings(got).filter((text) => wanted.includes(text) || this.#subscribed.has(text)),
        wanted,
      );
    } else if (expected.name.endsWith('VersionResult') && got.text !== expected.text) {
      throw new Error(`answered '${got.text}' where '${expected.text}' is expected`);
    }
    return undefined;
  }

  async #unsubscribe(id: string): Promise<void> {
    const namespace = 'urn:epcglobal:epcis-query:xsd:1';
    const request = `<q:Unsubscribe xmlns:q="${namespace}"><subscriptionID>${id}</subscriptionID></q:Unsubscribe>`;
    // that it does not exist is what we want
    await callSoap(this.#endpoints, request);
    this.#callbacks.forget(id);
  }
}

const SUBSCRIBED = parseXml('<SubscribeResult/>');

/** Whether a server may answer such a request all the same: nothing in it asks for that exception. */
function isOptional(exception: string, request: string): boolean {
  const limited = /<name>\s*max(Event|Element)Count\s*</.test(request);
  return exception === 'SecurityException' || (exception === 'QueryTooLargeException' && !limited);
}

function subscriptionOf(request: string): string | undefined {
  const node = parseXml(request);
  return node.name === 'Subscribe' ? childText(node, 'subscriptionID') : undefined;
}

function expectedEvents(answer: Node, counts: (event: Node) => boolean = () => true): string[] {
  return eventsOf(answer)
    .filter(counts)
    .map((event) => canonical(event));
}

function elements(answer: Node, known?: ReadonlySet<string>): string[] {
  return vocabularyElements(answer).flatMap(({ type, element }) =>
    known === undefined || known.has(idOf(element)) ? [`${type} ${canonical(element)}`] : [],
  );
}

function elementIds(document: string): string[] {
  return vocabularyElements(parseXml(document)).map(({ element }) => idOf(element));
}

function vocabularyElements(node: Node): { type: string; element: Node }[] {
  return (find(node, 'VocabularyList')?.children ?? []).flatMap((vocabulary) => {
    const type = vocabulary.attributes.find(({ name }) => name === 'type')?.value ?? '';
    const list = find(vocabulary, 'VocabularyElementList')?.children ?? [];
    return list.map((element) => ({ type, element }));
  });
}

function idOf(element: Node): string {
  return element.attributes.find(({ name }) => name === 'id')?.value ?? '';
}

function strings(answer: Node): string[] {
  return answer.children.map(({ text }) => text);
}

function sameSet(got: readonly string[], expected: readonly string[]): void {
  const [missing] = expected.filter((item) => !got.includes(item));
  const [extra] = got.filter((item) => !expected.includes(item));
  const counts = `${new Set(got).size} where ${new Set(expected).size} are expected`;
  if (missing !== undefined)
    throw new Error(`${counts}; missing: ${missing}${extra === undefined ? '' : `; instead: ${extra}`}`);
  if (extra !== undefined) throw new Error(`${counts}; too much: ${extra}`);
}

function documents(folder: string, part: string): string[] {
  const path = join(folder, part);
  const names = readdirSync(path).filter((name) => name.endsWith('.xml'));
  return names.sort(naturally).map((name) => readFileSync(join(path, name), 'utf8'));
}

/** `…SE44-Request-1-Subscribe.xml` is answered by `…SE44-Response-1-1-SubscribeResult.xml`, then by `…-1-2-QueryResults.xml`. */
function readCases(folder: string): Case[] {
  const names = readdirSync(join(folder, 'requests')).filter((name) => name.endsWith('.xml'));
  const responses = readdirSync(join(folder, 'responses'))
    .filter((name) => name.endsWith('.xml'))
    .sort(naturally);
  const byCase = Map.groupBy(names.sort(naturally), (name) => name.replace(/-Request.*$/, ''));
  return [...byCase].map(([name, requests]) => {
    const files = responses.filter((response) => response.startsWith(`${name}-Response`));
    return { name, requests: withResponses(folder, requests, files) };
  });
}

function withResponses(folder: string, requests: readonly string[], files: readonly string[]): Case['requests'] {
  const expected = requests.map((_, at) => files.filter((file) => numberOf(file, 'Response') === at + 1));
  // callbacks that a later subscription causes are numbered after those of the first one
  requests.forEach((_, at) => {
    const before = expected[at - 1];
    if (expected[at]?.length === 0 && before !== undefined && before.length > 2) expected[at] = before.splice(2);
  });
  return requests.map((request, at) => ({
    xml: readFileSync(join(folder, 'requests', request), 'utf8'),
    expected: (expected[at] ?? []).map((file) => parseXml(readFileSync(join(folder, 'responses', file), 'utf8'))),
  }));
}

function numberOf(file: string, kind: string): number {
  return Number(new RegExp(`-${kind}-(\\d+)`).exec(file)?.[1] ?? 1);
}

function naturally(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}
