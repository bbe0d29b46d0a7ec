// The service's own OpenAPI 3.1 document, made from the table that the router is made of.
import type { ExceptionName } from '../../domain/exceptions.ts';
import { DOCUMENT_TYPES } from '../rest/events.ts';
import { VERSION_HEADERS } from '../rest/headers.ts';
import { OFFERED } from '../rest/negotiate.ts';
import { PROBLEMS } from '../rest/problem.ts';
import { JSON_TYPES } from '../rest/queries.ts';
import { templateOf, type Answer, type BodyName, type Operation, type Resource } from '../rest/resource.ts';
import { ANSWER_HEADERS, CAPTURE_HEADERS, QUERY_SETS, queryParameter, REQUEST_HEADERS } from './parameters.ts';
import { SCHEMAS } from './schemas.ts';

const ref = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` });

/** What the headers that every request may have can be refused with. */
const ALWAYS: readonly ExceptionName[] = ['ValidationException', 'NotAcceptableException', 'URITooLongException'];

const BODIES: Readonly<Record<BodyName, { readonly schema: string; readonly types: readonly string[] }>> = {
  document: { schema: 'Document', types: DOCUMENT_TYPES },
  event: { schema: 'Event', types: DOCUMENT_TYPES },
  query: { schema: 'Query', types: JSON_TYPES },
  subscription: { schema: 'NewSubscription', types: JSON_TYPES },
  export: { schema: 'NewExport', types: JSON_TYPES },
};

export interface Described {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly [member: string]: unknown;
}

export interface DescribedOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters: readonly object[];
  readonly responses: Readonly<Record<string, DescribedAnswer>>;
}

interface DescribedAnswer {
  readonly description: string;
  readonly headers: object;
  readonly content?: object;
}

/** `prefix`: of all paths, relative to the server, whatever stands in front of it. */
export function openApi(resources: readonly Resource[], prefix: string): Described {
  const paths = resources.map(({ path, methods }) => [
    templateOf(path),
    Object.fromEntries(
      Object.entries(methods).map(([method, operation]) => [method.toLowerCase(), describe(path, operation)]),
    ),
  ]);
  return {
    openapi: '3.1.0',
    info: {
      title: 'EPCIS',
      version: VERSION_HEADERS['GS1-EPCIS-Version'] ?? '',
      description: 'Captures events and master data of EPCIS 2.0 and answers queries about them.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: prefix === '' ? '/' : prefix }],
    security: [],
    paths: Object.fromEntries(paths) as Described['paths'],
    components: {
      schemas: SCHEMAS,
      headers: ANSWER_HEADERS,
      parameters: Object.fromEntries([
        ...Object.entries({ ...REQUEST_HEADERS, ...CAPTURE_HEADERS }).map(([name, header]) => [
          name,
          { name, in: 'header', ...header },
        ]),
        ...Object.values(QUERY_SETS)
          .flat()
          .map((parameter) => [nameOf(parameter), parameter]),
      ]) as object,
    },
  };
}

const nameOf = (parameter: object): string => (parameter as { name: string }).name;

function describe(path: string, operation: Operation): DescribedOperation {
  const { id, summary, query = [], said, body, answers } = operation;
  const variables = [...path.matchAll(/\{\+?(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const headers = body === 'document' ? { ...REQUEST_HEADERS, ...CAPTURE_HEADERS } : REQUEST_HEADERS;
  return {
    operationId: id,
    summary,
    parameters: [
      ...variables,
      ...query.flatMap((each) =>
        typeof each === 'string'
          ? QUERY_SETS[each]
              .map(nameOf)
              .filter((name) => name !== said)
              .map((name) => ref('parameters', name))
          : [queryParameter(each)],
      ),
      ...Object.keys(headers).map((name) => ref('parameters', name)),
    ],
    ...(body !== undefined && { requestBody: { required: true, content: contentOf(BODIES[body]) } }),
    responses: {
      ...Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, response(answer)])),
      ...problems(operation),
    },
  };
}

function response({ meaning, schema, types = OFFERED.map(({ type }) => type), headers = [] }: Answer): DescribedAnswer {
  const names = [...Object.keys(VERSION_HEADERS), ...headers];
  return {
    description: meaning,
    headers: Object.fromEntries(names.map((name) => [name, ref('headers', name)])),
    ...(schema !== undefined && { content: contentOf({ schema, types }) }),
  };
}

/** XML is text to OpenAPI; whatever is JSON has its schema. */
function contentOf({ schema, types }: { readonly schema: string; readonly types: readonly string[] }): object {
  return Object.fromEntries(
    types.map((type) => [type, { schema: type.endsWith('json') ? ref('schemas', schema) : { type: 'string' } }]),
  );
}

/** One answer for each status, with all exceptions that have it. */
function problems({ exceptions = [], fails }: Operation): Record<string, DescribedAnswer> {
  const names = new Set([...ALWAYS, ...exceptions, ...(fails === false ? [] : (['ImplementationException'] as const))]);
  const byStatus = new Map<number, ExceptionName[]>();
  for (const name of names) byStatus.set(PROBLEMS[name][0], [...(byStatus.get(PROBLEMS[name][0]) ?? []), name]);
  return Object.fromEntries(
    [...byStatus].map(([status, of]) => {
      const meaning = of.map((name) => `${name}: ${PROBLEMS[name][1].toLowerCase()}`).join('; ');
      const types = ['application/problem+json', 'application/problem+xml'];
      return [String(status), response({ meaning: `${meaning}.`, schema: 'Problem', types })];
    }),
  );
}
