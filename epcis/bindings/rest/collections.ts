// The top-level resources that list what the repository knows: event types, EPCs, business steps, locations …
import { expandCurie } from '../../domain/curies.ts';
import { EpcisException } from '../../domain/exceptions.ts';
import type { QueryParameter } from '../../service/services.ts';
import { isStandardValue } from '../../service/standard-values.ts';
import { xmlText } from '../http/xml-text.ts';
import { getEvents } from './events.ts';
import type { RestExchange } from './exchange.ts';
import { pageHeaders, readPage } from './paging.ts';
import { JSON_CONTEXT } from '../json/context.ts';
import { jsonEventType } from '../json/write-event.ts';

/** Each list with the query parameter that finds the events of one of its values. */
export const COLLECTIONS = {
  eventTypes: 'eventType',
  epcs: 'MATCH_anyEPC',
  bizSteps: 'EQ_bizStep',
  bizLocations: 'EQ_bizLocation',
  readPoints: 'EQ_readPoint',
  dispositions: 'EQ_disposition',
} as const;

export type CollectionName = keyof typeof COLLECTIONS;

export function getRoot(exchange: RestExchange): void {
  sendCollection(exchange, ['events', ...Object.keys(COLLECTIONS), 'capture', 'queries']);
}

export async function getValues(exchange: RestExchange, of: CollectionName): Promise<void> {
  const { services, documents } = exchange.doors;
  const { form } = exchange.representation;
  const paged = readPage(exchange);
  if (paged.parameters.length > 0) {
    const reason = `'${paged.parameters[0]?.name}' is not a parameter of /${of}; query /${of}/{value}/events or /events.`;
    throw new EpcisException('QueryParameterException', reason);
  }
  const { values, next } = await services.query.values(of, paged.page);
  const { epcFormat } = exchange.style;
  const written = values.map((value) => {
    if (of === 'epcs' || of === 'readPoints' || of === 'bizLocations') return documents.epc(value, epcFormat);
    if (form !== 'json') return value;
    return of === 'eventTypes' ? jsonEventType(value) : documents.word(value);
  });
  sendCollection(exchange, compact(written, exchange.extensions), pageHeaders(exchange, paged, next));
}

/** GET /bizSteps/{value}: what is below it, provided that any event has it or the standard names it. */
export async function getValue(exchange: RestExchange, of: CollectionName): Promise<void> {
  const { events } = await exchange.doors.services.query.eventPage(parametersOf(exchange, of), { perPage: 1 });
  for await (const _ of events) return sendCollection(exchange, ['events']);
  if (isStandardValue(of, expandCurie(exchange.value, exchange.extensions)))
    return sendCollection(exchange, ['events']);
  throw new EpcisException('NoSuchResourceException', `No event has '${exchange.value}' among its ${of}.`);
}

export function getValueEvents(exchange: RestExchange, of: CollectionName): Promise<void> {
  return getEvents(exchange, parametersOf(exchange, of));
}

/** The path's value as the query parameter that finds its events. */
function parametersOf({ value, extensions }: RestExchange, of: CollectionName): QueryParameter[] {
  return [{ name: COLLECTIONS[of], values: [expandCurie(value, extensions)] }];
}

/** URIs in a namespace that the client gave a prefix are written with it. */
function compact(values: readonly string[], extensions: ReadonlyMap<string, string>): string[] {
  return values.map((value) => {
    for (const [prefix, namespace] of extensions) {
      if (value.startsWith(namespace)) return `${prefix}:${value.slice(namespace.length)}`;
    }
    return value;
  });
}

function sendCollection(exchange: RestExchange, member: readonly string[], headers: Record<string, string> = {}): void {
  const { extensions } = exchange;
  const context = extensions.size === 0 ? JSON_CONTEXT : [JSON_CONTEXT, Object.fromEntries(extensions)];
  const xml = () => {
    const prefixes = [...extensions].map(([prefix, namespace]) => ` xmlns:${prefix}="${xmlText(namespace)}"`).join('');
    const members = member.map((value) => `<member>${xmlText(value)}</member>`).join('');
    return `<epcis:Collection xmlns:epcis="urn:epcglobal:epcis:xsd:2"${prefixes}>${members}</epcis:Collection>`;
  };
  exchange.sendTagged({ '@context': context, type: 'Collection', member }, xml, headers);
}
