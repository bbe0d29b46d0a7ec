// Where the service describes itself: for programs (OpenAPI, WSDL) and for people (a page).
import { addressOf } from '../http/address.ts';
import { wsdl } from '../soap/wsdl.ts';
import { EpcisException } from '../../domain/exceptions.ts';
import type { RestExchange } from '../rest/exchange.ts';
import type { Answer, Operation, Resource } from '../rest/resource.ts';
import { openApi } from './document.ts';
import { page, PAGE_POLICY } from './page.ts';

const NOT_MODIFIED: Answer = { meaning: 'The client has it already.', headers: ['ETag'] };

/** The table with the descriptions of itself; they describe themselves as well. */
export function withDescriptions(resources: readonly Resource[]): readonly Resource[] {
  const all: Resource[] = [
    ...resources,
    describing('/openapi.json', 'getOpenApi', 'This interface as an OpenAPI 3.1 document.', {
      type: 'application/json',
      schema: 'OpenApi',
      text: ({ doors }) => JSON.stringify(openApi(all, doors.rest.prefix)),
    }),
    describing('/epcis.wsdl', 'getWsdl', 'The query interface of EPCIS 1.x as WSDL 1.1.', {
      type: 'text/xml',
      schema: 'Xml',
      text: wsdlText,
      exceptions: ['NoSuchResourceException'],
    }),
    describing('/docs', 'getDocs', 'This interface as a page for people.', {
      type: 'text/html',
      schema: 'Html',
      headers: { 'Content-Security-Policy': PAGE_POLICY },
      text: ({ doors: { rest } }) =>
        page(openApi(all, rest.prefix), {
          'OpenAPI 3.1': `${rest.prefix}/openapi.json`,
          ...(rest.queryPath !== undefined && { WSDL: `${rest.prefix}/epcis.wsdl` }),
        }),
    }),
  ];
  return all;
}

interface Description extends Pick<Operation, 'exceptions'> {
  readonly type: string;
  readonly schema: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly text: (exchange: RestExchange) => string;
}

function describing(
  path: string,
  id: string,
  summary: string,
  { type, schema, headers, text, exceptions }: Description,
): Resource {
  const GET: Operation = {
    id,
    summary,
    role: 'any',
    handler: (exchange) => exchange.sendAs(type, text(exchange), headers),
    answers: { 200: { meaning: summary, schema, types: [type], headers: ['ETag'] }, 304: NOT_MODIFIED },
    ...(exceptions && { exceptions }),
    fails: false,
  };
  return { path, methods: { GET } };
}

function wsdlText({ doors: { rest }, request }: RestExchange): string {
  if (rest.queryPath !== undefined) return wsdl(addressOf(request, rest.queryPath));
  throw new EpcisException('NoSuchResourceException', 'This service does not speak EPCIS 1.x.');
}
