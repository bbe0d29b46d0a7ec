// Which requests a load is made of: classes with weights, and one request of a class by chance.
import { jsonDocument, jsonSingleEvent, xmlDocument } from './documents.ts';
import { ask, restQuery, soapPoll } from './queries.ts';
import type { Random } from './random.ts';
import { read, type Reading, type SupplyChainOptions } from './supply-chain.ts';

/** One request, ready to be sent below the URL under test. */
export interface LoadRequest {
  readonly method: 'GET' | 'POST';
  /** Empty: the URL under test itself. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface WorkloadOptions extends SupplyChainOptions {
  /** Events in one capture document. */
  readonly eventsPerCapture: number;
  /** The most events in one answer to a query. */
  readonly queryLimit: number;
}

type Maker = (options: WorkloadOptions, random: Random, now: number) => LoadRequest;

const XML = { 'content-type': 'text/xml; charset=utf-8' };
const JSON_LD = { 'content-type': 'application/json', 'gs1-epcis-version': '2.0' };

/** The classes of requests. `get` asks for the URL under test as it is, whatever serves it. */
const CLASSES = {
  poll: (options, random) => ({
    method: 'POST',
    path: '/epcis-repository/query',
    headers: { ...XML, soapaction: '""' },
    body: soapPoll(ask(options, random), options.queryLimit),
  }),
  rest: (options, random) => ({
    method: 'GET',
    path: restQuery(ask(options, random), options.queryLimit),
    headers: { accept: 'application/json' },
  }),
  'capture-xml': (options, random, now) => ({
    method: 'POST',
    path: '/epcis-repository/capture',
    headers: XML,
    body: xmlDocument(readings(options, random, now), new Date(now).toISOString()),
  }),
  'capture-json': (options, random, now) => ({
    method: 'POST',
    path: '/capture',
    headers: JSON_LD,
    body: jsonDocument(readings(options, random, now), new Date(now).toISOString()),
  }),
  event: (options, random, now) => ({
    method: 'POST',
    path: '/events',
    headers: JSON_LD,
    body: jsonSingleEvent(read(options, random, now)),
  }),
  get: () => ({ method: 'GET', path: '', headers: {} }),
} satisfies Record<string, Maker>;

export type RequestClass = keyof typeof CLASSES;
export const REQUEST_CLASSES = Object.keys(CLASSES) as readonly RequestClass[];

/** Weight of each class; they need no particular sum. */
export type Mix = Readonly<Partial<Record<RequestClass, number>>>;

/** Mostly queries, as what is made elastic is the query interface. */
export const DEFAULT_MIX: Mix = { poll: 50, rest: 30, 'capture-xml': 10, 'capture-json': 10 };

export function createRequest(of: RequestClass, options: WorkloadOptions, random: Random, now: number): LoadRequest {
  return CLASSES[of](options, random, now);
}

/** A class by chance, as often as its weight says. */
export function pickClass(mix: Mix, random: Random): RequestClass {
  const entries = Object.entries(mix) as [RequestClass, number][];
  let left = random.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [name, weight] of entries) {
    if (left < weight) return name;
    left -= weight;
  }
  return entries[0]?.[0] ?? 'get';
}

function readings(options: WorkloadOptions, random: Random, now: number): Reading[] {
  return Array.from({ length: options.eventsPerCapture }, (_, i) => read(options, random, now + i));
}
