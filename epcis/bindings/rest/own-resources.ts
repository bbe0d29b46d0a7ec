// Our own resources, beside EPCIS's: checks without capture, the life of an EPC, exports.
import { GONE, NOT_MODIFIED, PAGE_HEADERS, REPORT, SENDING } from './answers.ts';
import { deleteExport, EXPORT_TYPES, getExport, getExportDocument, getExports, postExport } from './exports.ts';
import type { Answer, Operation, Resource } from './resource.ts';
import { getTrace, getTraceGraph, getTracePicture, TRACE_FIELDS } from './trace.ts';
import { postValidate } from './validate.ts';

export const VALIDATE: readonly Resource[] = [
  {
    path: '/validate',
    methods: {
      POST: {
        id: 'postValidate',
        role: 'capture',
        summary: 'Checks a document for all of its faults, and captures nothing.',
        handler: postValidate,
        body: 'document',
        answers: { 200: REPORT },
        exceptions: ['CaptureLimitExceededException', 'UnsupportedMediaTypeException'],
        fails: false,
      },
    },
  },
];

/** The life of an EPC, in three forms. Before the EPCs themselves, whose names take slashes. */
function trace(path: string, id: string, summary: string, handler: Operation['handler'], answer: Answer): Resource {
  const found = { ...answer, headers: [...PAGE_HEADERS, 'Trace-Bounded', ...(answer.headers ?? [])] };
  const GET: Operation = {
    id,
    summary,
    handler,
    query: ['page', ...TRACE_FIELDS],
    answers: answer.headers?.includes('ETag') ? { 200: found, 304: NOT_MODIFIED } : { 200: found },
    exceptions: ['QueryParameterException', 'NoSuchResourceException'],
  };
  return { path: `/epcs/{+epc}/trace${path}`, methods: { GET } };
}

export const TRACES: readonly Resource[] = [
  trace('', 'getTrace', 'The life of an EPC, as events in order of time.', getTrace, {
    meaning: 'A page of its events.',
    schema: 'QueryDocument',
    headers: ['GS1-EPC-Format'],
  }),
  trace('/graph', 'getTraceGraph', 'The life of an EPC, as a graph of EPCs and events.', getTraceGraph, {
    meaning: 'A page of it.',
    schema: 'TraceGraph',
    types: ['application/json'],
    headers: ['ETag'],
  }),
  trace('/picture', 'getTracePicture', 'The life of an EPC, as a picture.', getTracePicture, {
    meaning: 'A page of it.',
    schema: 'Xml',
    types: ['image/svg+xml'],
    headers: ['ETag'],
  }),
];

export const EXPORTS: readonly Resource[] = [
  {
    path: '/exports',
    methods: {
      GET: {
        id: 'getExports',
        summary: 'The exports, newest first.',
        handler: getExports,
        query: ['page'],
        answers: { 200: { meaning: 'A page of them.', schema: 'Exports', headers: PAGE_HEADERS } },
        exceptions: ['QueryParameterException'],
      },
      POST: {
        id: 'postExport',
        summary: 'Has all events of a query written into one document, by a job that any VM reports on.',
        handler: postExport,
        body: 'export',
        answers: { 202: { meaning: 'The export is at Location.', schema: 'Export', headers: ['Location'] } },
        exceptions: [...SENDING, 'QueryParameterException', 'NoSuchNameException', 'QueryValidationException'],
      },
    },
  },
  {
    path: '/exports/{exportID}',
    methods: {
      GET: {
        id: 'getExport',
        summary: 'How an export stands.',
        handler: getExport,
        answers: { 200: { meaning: 'The export.', schema: 'Export' } },
        exceptions: ['NoSuchResourceException'],
      },
      DELETE: {
        id: 'deleteExport',
        summary: 'Deletes an export, or stops it.',
        handler: deleteExport,
        answers: { 204: GONE },
        exceptions: ['NoSuchResourceException'],
      },
    },
  },
  {
    path: '/exports/{exportID}/document',
    methods: {
      GET: {
        id: 'getExportDocument',
        summary: 'The document of an export that is made.',
        handler: getExportDocument,
        answers: { 200: { meaning: 'The document.', schema: 'QueryDocument', types: Object.values(EXPORT_TYPES) } },
        exceptions: ['NoSuchResourceException'],
      },
    },
  },
];
