// /queries and /queries/{name}: named queries, and the events they find.
import { DEFAULT_LIMITS } from '../../domain/document-limits.ts';
import { EpcisException } from '../../domain/exceptions.ts';
import type { NamedQuery } from '../../service/named-queries.ts';
import type { QueryParameter } from '../../service/services.ts';
import { ownTurn } from '../../turns/own-turn.ts';
import { textOf } from '../http/body.ts';
import { checkValues } from '../json/count.ts';
import { parseJson } from '../json/value.ts';
import { xmlText } from '../http/xml-text.ts';
import { getEvents } from './events.ts';
import { mediaTypeOf, type RestExchange } from './exchange.ts';
import { pageHeaders, readPage } from './paging.ts';
import { queryIn, readQueryObject } from './query-string.ts';

/** That are read in a unit of work (service/question-turns.ts). */
const CHARACTERS = 200;
export const JSON_TYPES = ['application/json', 'application/ld+json'];
const NAMESPACE = 'urn:epcglobal:epcis-query:xsd:2';

/** A JSON body, small enough to be read whole. Of a name given twice JavaScript takes the last one: a filter that nobody applies. */
export async function jsonBody({ request, doors }: RestExchange): Promise<Record<string, unknown>> {
  mediaTypeOf(request, JSON_TYPES);
  const text = await textOf(request, doors.limits.requestBytes);
  await ownTurn()(text.length / CHARACTERS);
  const { queryParameters, queryValues } = doors.limits;
  checkValues(text, DEFAULT_LIMITS.itemValues + queryParameters + queryValues, 'the body');
  if (parseJson(text, DEFAULT_LIMITS.depth).kind === 'object') return JSON.parse(text) as Record<string, unknown>;
  throw new EpcisException('ValidationException', 'The body must be a JSON object.');
}

export async function postQuery(exchange: RestExchange): Promise<void> {
  const body = await jsonBody(exchange);
  const [name, query] = [body['name'], queryIn(body)];
  if (typeof name !== 'string' || name === '') {
    throw new EpcisException('ValidationException', 'A query needs a name.', '/name');
  }
  const parameters = readQueryObject(query, exchange.extensions);
  await exchange.doors.services.queries.create({ name, parameters, definition: JSON.stringify(query) });
  exchange.empty(201, { Location: exchange.link('queries', name) });
}

export async function getQueries(exchange: RestExchange): Promise<void> {
  const paged = readPage(exchange);
  const { queries, next } = await exchange.doors.services.queries.list(paged.page);
  const headers = pageHeaders(exchange, paged, next);
  await exchange.sendList(queries, { root: ['epcisq:Queries', NAMESPACE], json: queryText, xml: queryXml }, headers);
}

export async function getQuery(exchange: RestExchange): Promise<void> {
  const query = await exchange.doors.services.queries.get(exchange.value);
  exchange.send(200, queryJson(query), () => queryXml(query));
}

export async function deleteQuery(exchange: RestExchange): Promise<void> {
  await exchange.doors.services.queries.delete(exchange.value);
  exchange.empty(204);
}

export async function getQueryEvents(exchange: RestExchange): Promise<void> {
  const { name, parameters } = await eventsQuery(exchange, exchange.value);
  await getEvents(exchange, parameters, name);
}

export async function eventsQuery(
  exchange: RestExchange,
  name: string,
): Promise<{ name: string; parameters: readonly QueryParameter[] }> {
  const query = await exchange.doors.services.queries.get(name);
  if (query.kind === 'events') return query;
  const reason = `'${query.name}' answers with master data, which has no events; the SOAP interface polls it.`;
  throw new EpcisException('QueryValidationException', reason);
}

function queryJson({ name, definition, createdAt }: NamedQuery): object {
  return { name, query: JSON.parse(definition ?? '{}') as unknown, ...(createdAt !== undefined && { createdAt }) };
}

/** The same text; a definition is JSON as it stands. */
const queryText = ({ name, definition = '{}', createdAt }: NamedQuery): string =>
  `{"name":${JSON.stringify(name)},"query":${definition}${createdAt === undefined ? '' : `,"createdAt":"${createdAt}"`}}`;

/** The XML form has the parameters as the query control interface writes them. */
function queryXml({ name, parameters }: NamedQuery): string {
  const params = parameters.map(({ name, values }) => {
    const strings = values.map((value) => `<string>${xmlText(value)}</string>`).join('');
    return `<param><name>${xmlText(name)}</name><value>${strings}</value></param>`;
  });
  return (
    `<epcisq:Query xmlns:epcisq="${NAMESPACE}"><queryName>${xmlText(name)}</queryName>` +
    `<params>${params.join('')}</params></epcisq:Query>`
  );
}
