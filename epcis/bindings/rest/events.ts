// /events, /events/{id}, and the events of any other resource.
import { EpcisException } from '../../domain/exceptions.ts';
import { expandCurie } from '../../domain/curies.ts';
import type { CapturedEvent } from '../../domain/event.ts';
import type { CaptureItem, QueryParameter, StoredEvent } from '../../service/services.ts';
import { bodyOf } from '../http/body.ts';
import { mediaTypeOf, tagged, type RestExchange } from './exchange.ts';
import { versionHeaders } from './headers.ts';
import { pageHeaders, readPage } from './paging.ts';
import { queryDocument } from './query-document.ts';

export const DOCUMENT_TYPES = ['application/json', 'application/ld+json', 'application/xml', 'text/xml'];

/** GET: a page of the events that match the query string and `given`. */
export async function getEvents(
  exchange: RestExchange,
  given: readonly QueryParameter[] = [],
  queryName = 'SimpleEventQuery',
) {
  const style = exchange.style;
  const paged = readPage(exchange);
  const page = await exchange.doors.services.query.eventPage([...given, ...paged.parameters], paged.page);
  // a page is small: read before the headers, because only its end says whether a next one exists
  const events: StoredEvent[] = [];
  for await (const event of page.events) events.push(event);
  await sendEvents(exchange, queryName, events, pageHeaders(exchange, paged, page.next()), style);
}

/** GET /events/{id}: the event, and the declarations that it was an error. */
export async function getEvent(exchange: RestExchange) {
  const style = exchange.style;
  const id = expandCurie(eventIdOf(exchange), exchange.extensions);
  const events = await exchange.doors.services.query.eventsById(id);
  if (events.length === 0)
    throw new EpcisException('NoSuchResourceException', `There is no event '${exchange.value}'.`);
  const written = events.map((event) => exchange.doors.documents.event(event, style));
  // the document around them has the time of the answer, which is no difference
  await sendEvents(exchange, 'SimpleEventQuery', events, tagged(exchange.representation.type, ...written), style);
}

/** POST /events: one event, captured when the answer arrives. */
export async function postEvent(exchange: RestExchange) {
  const { request, doors, style } = exchange;
  const mediaType = mediaTypeOf(request, DOCUMENT_TYPES);
  const about = { mediaType, headers: headersOf(exchange) };
  let item: CaptureItem | undefined;
  for await (const each of doors.documents.readEvent(bodyOf(request, doors.limits.captureBytes), about)) {
    if (item !== undefined)
      throw new EpcisException('ValidationException', 'POST /events takes one event; use /capture.');
    item = each;
  }
  if (item?.kind !== 'event') throw new EpcisException('ValidationException', 'The body holds no event.');
  const id = item.captured.event.eventID ?? item.captured.hash;
  const options = { errorBehaviour: 'rollback', newIDs: true } as const;
  const { duplicates, warnings } = await doors.services.capture.capture(one(item), options);
  if (duplicates > 0)
    throw new EpcisException('ResourceAlreadyExistsException', `The event '${id}' was captured before.`);
  const stored = (await doors.services.query.eventsById(id)).find(isSame(item.captured));
  const warned = [...new Set(warnings.map(({ rule }) => rule))].join(', ');
  const headers = {
    ...versionHeaders(style),
    Location: exchange.link('events', id),
    ...(warned !== '' && { 'Capture-Warnings': warned }),
  };
  // a replica that lags does not have it yet; the Location says enough
  if (stored === undefined) exchange.empty(201, headers);
  else exchange.sendText(201, doors.documents.singleEvent(stored, style), headers);
}

/** An event and the declarations that it was an error share ID and hash; what they declare tells them apart. */
function isSame(posted: CapturedEvent): (stored: StoredEvent) => boolean {
  const declared = ({ event }: CapturedEvent): string => JSON.stringify(event.errorDeclaration ?? null);
  return (stored) => stored.hash === posted.hash && declared(stored) === declared(posted);
}

/** The headers that a document's reader needs. */
export function headersOf({ request }: RestExchange): Record<string, string> {
  const headers = Object.entries(request.headers).filter(([name]) => name.startsWith('gs1-'));
  return Object.fromEntries(headers.map(([name, value]) => [name, String(value)]));
}

export async function sendEvents(
  exchange: RestExchange,
  queryName: string,
  events: readonly StoredEvent[],
  headers: Record<string, string>,
  style: RestExchange['style'],
) {
  const { documents, now } = exchange.doors;
  const text = queryDocument({ queryName, created: now() }, each(events), style, documents);
  const written = { ...versionHeaders(style), 'GS1-EPC-Format': style.epcFormat ?? 'Never_Translates' };
  await exchange.stream(text, () => ({ ...headers, ...written }));
}

/** An event hash holds a `?`; a client that did not escape it sends the rest as the query string. */
function eventIdOf({ value, url }: RestExchange): string {
  const at = url.indexOf('?');
  return at >= 0 && value.startsWith('ni:') && !value.includes('?') ? value + url.slice(at) : value;
}

async function* each<T>(items: Iterable<T>): AsyncGenerator<T> {
  yield* items;
}

async function* one<T>(item: T): AsyncGenerator<T> {
  yield item;
}
