// /exports: all events of a query as one document, made by whichever VM has time, and fetched when it is there.
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { pipeline } from 'node:stream/promises';
import { EpcisException } from '../../domain/exceptions.ts';
import { EXPORT_FORMATS, type Export, type ExportFormat } from '../../service/exports.ts';
import type { QueryParameter } from '../../service/services.ts';
import { encodingFor } from '../http/encoding.ts';
import { xmlText } from '../http/xml-text.ts';
import { originOf, problemsOf } from './capture.ts';
import type { RestExchange } from './exchange.ts';
import { styleOf, versionHeaders } from './headers.ts';
import { pageHeaders, readPage } from './paging.ts';
import { problemElements } from './problem.ts';
import { eventsQuery, jsonBody } from './queries.ts';
import { queryIn, readQueryObject } from './query-string.ts';

export const EXPORT_TYPES: Readonly<Record<ExportFormat, string>> = {
  json: 'application/ld+json',
  xml: 'application/xml',
  csv: 'text/csv',
  parquet: 'application/vnd.apache.parquet',
};

const MEMBERS = new Set(['format', 'queryName', 'query', '@context']);

export async function postExport(exchange: RestExchange): Promise<void> {
  const body = await jsonBody(exchange);
  const { format: given = 'json', queryName } = body;
  const other = Object.keys(body).find((name) => !MEMBERS.has(name));
  if (other !== undefined) throw wrong('An export has the members format, queryName and query.', `/${other}`);
  const format = EXPORT_FORMATS.find((each) => each === given);
  if (format === undefined) throw wrong(`The format must be one of ${EXPORT_FORMATS.join(', ')}.`, '/format');
  const { version, epcFormat, cbvFormat } = styleOf(exchange.request.headers, representationOf(format));
  const named = await namedQuery(exchange, queryName);
  const query = queryIn(body);
  const narrowing = query === undefined ? [] : readQueryObject(query, exchange.extensions);
  const request = {
    ...{ format, version, queryName: named.name, parameters: [...named.parameters, ...narrowing] },
    ...(epcFormat !== undefined && { epcFormat }),
    ...(cbvFormat !== undefined && { cbvFormat }),
  };
  const made = await exchange.doors.services.exports.create(request, originOf(exchange));
  const headers = { Location: exchange.link('exports', made.id) };
  exchange.send(202, exportJson(exchange, made), () => exportXml(exchange, made), headers);
}

/** A table is written from JSON. */
const representationOf = (format: ExportFormat) =>
  ({ form: format === 'xml' ? 'xml' : 'json', type: EXPORT_TYPES[format] }) as Parameters<typeof styleOf>[1];

async function namedQuery(
  exchange: RestExchange,
  name: unknown,
): Promise<{ readonly name: string; readonly parameters: readonly QueryParameter[] }> {
  if (name === undefined) return { name: 'SimpleEventQuery', parameters: [] };
  if (typeof name !== 'string') throw wrong('The name of a query must be text.', '/queryName');
  return eventsQuery(exchange, name);
}

export async function getExports(exchange: RestExchange): Promise<void> {
  const paged = readPage(exchange);
  const { exports, next } = await exchange.doors.services.exports.list(paged.page);
  const json = (each: Export) => JSON.stringify(exportJson(exchange, each));
  const xml = (each: Export) => exportXml(exchange, each);
  const list = { root: ['epcisq:Exports', NAMESPACE], json, xml } as const;
  await exchange.sendList(exports, list, pageHeaders(exchange, paged, next));
}

export async function getExport(exchange: RestExchange): Promise<void> {
  const made = await exchange.doors.services.exports.get(exchange.value);
  exchange.send(200, exportJson(exchange, made), () => exportXml(exchange, made));
}

export async function deleteExport(exchange: RestExchange): Promise<void> {
  await exchange.doors.services.exports.remove(exchange.value);
  exchange.empty(204);
}

/** It is kept compressed: who takes gzip gets it as it stands. A failure in its middle cuts the connection. */
export async function getExportDocument(exchange: RestExchange): Promise<void> {
  const { request, response, doors } = exchange;
  const { made, bytes } = await doors.services.exports.document(exchange.value);
  const { format, version } = made.request;
  const isGzip = encodingFor(request.headers, Infinity, 0, ['gzip']) === 'gzip';
  const type = format === 'csv' ? `${EXPORT_TYPES.csv}; charset=utf-8; header=present` : EXPORT_TYPES[format];
  response.writeHead(200, {
    ...versionHeaders({ version }),
    ...{ 'Content-Type': type, Vary: 'Accept-Encoding' },
    'Content-Disposition': `attachment; filename="${made.id}.${format}"`,
    ...(isGzip && { 'Content-Encoding': 'gzip', 'Content-Length': String(made.job.bytes) }),
  });
  if (request.method === 'HEAD') return void response.end();
  const source = Readable.from(bytes, { objectMode: false });
  await (isGzip ? pipeline(source, response) : pipeline(source, createGunzip(), response));
}

const NAMESPACE = 'urn:epcglobal:epcis-query:xsd:2';

interface Told {
  readonly [name: string]: string | number | boolean | undefined;
}

function toldOf(exchange: RestExchange, { id, request, job, place, bounded, estimatedEnd, keptUntil }: Export): Told {
  const { createdAt, finishedAt, progress, bytes } = job;
  const isThere = !job.running && job.success;
  return {
    ...{ format: request.format, queryName: request.queryName, createdAt, finishedAt },
    ...{ class: job.class, place, bounded, estimatedEnd, exported: progress.done, events: progress.total },
    ...(isThere && { document: exchange.link('exports', id, 'document'), storedBytes: bytes, keptUntil }),
  };
}

function exportJson(exchange: RestExchange, made: Export): object {
  const { exported, events, ...told } = toldOf(exchange, made);
  const { running, success, errors } = made.job;
  return { exportID: made.id, running, success, errors: problemsOf(errors), ...told, progress: { exported, events } };
}

function exportXml(exchange: RestExchange, made: Export): string {
  const { running, success, errors } = made.job;
  const told = Object.entries(toldOf(exchange, made)).filter(([, value]) => value !== undefined);
  const problems = problemsOf(errors).map((problem) => `<error>${problemElements(problem)}</error>`);
  return (
    `<epcisq:Export xmlns:epcisq="${NAMESPACE}" running="${running}" success="${success}" exportID="${made.id}">` +
    `<errors>${problems.join('')}</errors>` +
    told.map(([name, value]) => `<${name}>${xmlText(String(value))}</${name}>`).join('') +
    '</epcisq:Export>'
  );
}

function wrong(reason: string, at: string): EpcisException {
  return new EpcisException('ValidationException', reason, at);
}
