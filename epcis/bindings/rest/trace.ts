// /epcs/{epc}/trace: the life of an EPC, as events, as a graph, and as a picture. Each is a page of the same events.
import { expandCurie } from '../../domain/curies.ts';
import { EpcisException } from '../../domain/exceptions.ts';
import type { QueryParameter, Trace, TracedEvent, TraceRequest } from '../../service/services.ts';
import { sendEvents } from './events.ts';
import type { RestExchange } from './exchange.ts';
import { styleOf } from './headers.ts';
import { negotiate, OFFERED, type Representation } from './negotiate.ts';
import { pageHeaders, readPage } from './paging.ts';
import type { QueryField } from './resource.ts';
import { traceGraph, type TraceGraph } from './trace-graph.ts';
import { drawTrace, PICTURE_POLICY } from './trace-picture.ts';
import { rowName } from './unreadable.ts';

const DEFAULT_DEPTH = 5;
const DEEPEST = 16;

export const TRACE_FIELDS: readonly QueryField[] = [
  {
    name: 'direction',
    meaning: 'back: what it was made from; forward: what became of it; both.',
    schema: { enum: ['back', 'forward', 'both'], default: 'both' },
  },
  {
    name: 'depth',
    meaning: 'Steps from EPC to EPC; 0: its own events only.',
    schema: { type: 'integer', minimum: 0, maximum: DEEPEST, default: DEFAULT_DEPTH },
  },
  {
    name: 'contents',
    meaning: 'Whether what was packed into it is followed, too.',
    schema: { type: 'boolean', default: false },
  },
];

export async function getTrace(exchange: RestExchange): Promise<void> {
  const { style } = exchange;
  const { events, headers } = await pageOfTrace(exchange);
  await sendEvents(
    exchange,
    'SimpleEventQuery',
    events.map(({ stored }) => stored),
    headers,
    style,
  );
}

export async function getTraceGraph(exchange: RestExchange): Promise<void> {
  const { graph, headers } = await graphOf(exchange, OFFERED);
  exchange.sendAs('application/json', JSON.stringify(graph), headers);
}

const PICTURE: Representation = { form: 'xml', type: 'image/svg+xml' };

export async function getTracePicture(exchange: RestExchange): Promise<void> {
  const { graph, headers } = await graphOf(exchange, [PICTURE, ...OFFERED]);
  exchange.sendAs(PICTURE.type, drawTrace(graph), { ...headers, 'Content-Security-Policy': PICTURE_POLICY });
}

interface TracePage {
  readonly trace: Trace;
  readonly events: readonly TracedEvent[];
  readonly headers: Record<string, string>;
}

async function pageOfTrace(exchange: RestExchange): Promise<TracePage> {
  const paged = readPage(exchange);
  const trace = await exchange.doors.services.query.trace({
    epc: expandCurie(exchange.value, exchange.extensions),
    ...readRequest(paged.parameters),
  });
  if (trace.events.length === 0)
    throw new EpcisException('NoSuchResourceException', `No event has '${exchange.value}' among its epcs.`);
  const { perPage, after } = paged.page;
  const start = after === undefined ? 0 : trace.events.findIndex((event) => isBehind(event, after));
  const events = start < 0 ? [] : trace.events.slice(start, start + perPage);
  const last = start >= 0 && start + perPage < trace.events.length ? events.at(-1) : undefined;
  const bounded: Record<string, string> = trace.bounded === undefined ? {} : { 'Trace-Bounded': trace.bounded };
  return { trace, events, headers: { ...pageHeaders(exchange, paged, last && placeOf(last)), ...bounded } };
}

const placeOf = ({ stored: { position } }: TracedEvent): string => `${position.time}.${position.id}`;

function isBehind({ stored: { position } }: TracedEvent, place: string): boolean {
  const [time, id = '0'] = place.split('.');
  return position.time > Number(time) || (position.time === Number(time) && BigInt(position.id) > BigInt(id));
}

function readRequest(parameters: readonly QueryParameter[]): Omit<TraceRequest, 'epc'> {
  const given = new Map<string, string>();
  for (const { name, values } of parameters) {
    if (!TRACE_FIELDS.some((field) => field.name === name) || given.has(name) || values.length > 1)
      throw wrong(
        `A trace takes ${TRACE_FIELDS.map((field) => field.name).join(', ')}, each once; not '${name}' here.`,
      );
    given.set(name, values[0] ?? '');
  }
  const direction = given.get('direction') || 'both';
  const depth = Number(given.get('depth') || DEFAULT_DEPTH);
  const contents = given.get('contents') || 'false';
  if (direction !== 'back' && direction !== 'forward' && direction !== 'both')
    throw wrong(`direction must be back, forward or both, not '${direction}'.`);
  if (!Number.isInteger(depth) || depth < 0 || depth > DEEPEST)
    throw wrong(`depth must be a whole number from 0 to ${DEEPEST}, not '${given.get('depth')}'.`);
  if (contents !== 'true' && contents !== 'false') throw wrong(`contents must be true or false, not '${contents}'.`);
  return { direction, depth, contents: contents === 'true' };
}

/** `accepted`: one of these the client must take; who only says that it takes what the service usually answers gets it, too. */
async function graphOf(
  exchange: RestExchange,
  accepted: readonly Representation[],
): Promise<{ graph: TraceGraph; headers: Record<string, string> }> {
  const { headers: asked } = exchange.request;
  const { epcFormat } = styleOf(asked, negotiate(asked.accept, accepted));
  const { documents, client } = exchange.doors;
  const { trace, events, headers } = await pageOfTrace(exchange);
  const writes = {
    epc: (epc: string) => documents.epc(epc, epcFormat),
    word: (uri: string) => documents.word(uri),
    row: (id: string) => (client === undefined ? id : rowName(id, exchange.tokenSecret)),
  };
  return { graph: traceGraph(exchange.value, trace, events, writes), headers };
}

function wrong(reason: string): EpcisException {
  return new EpcisException('QueryParameterException', reason);
}
