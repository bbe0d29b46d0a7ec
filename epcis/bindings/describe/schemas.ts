// The JSON of the REST door's answers and bodies, as JSON Schema. Only what a client can rely on: events may hold fields of
// anybody's, so nothing is closed.
import { RULE_NAMES } from '../../domain/document-rules.ts';
import { EVENT_TYPES } from '../../domain/event.ts';
import { EXPORT_FORMATS } from '../../service/exports.ts';

const text = { type: 'string' } as const;
const time = { type: 'string', format: 'date-time' } as const;
const boolean = { type: 'boolean' } as const;
const BOUNDED = { ...boolean, description: 'True: it has this place, or a later one.' } as const;
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const listOf = (items: object) => ({ type: 'array', items });
const oneOrMore = (schema: object) => ({ oneOf: [schema, listOf(schema)] });

function object(properties: Readonly<Record<string, object>>, required: readonly string[] = []): object {
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}

/** An operator's rules have names of their own. */
const RULE = {
  ...text,
  description: `One of ${[...RULE_NAMES, 'extension-schema'].join(', ')}, or the name of a business rule of this service.`,
};
const CONTEXT = { description: 'JSON-LD: where names come from.', ...oneOrMore({ type: ['string', 'object'] }) };

const schedule = Object.fromEntries(
  ['second', 'minute', 'hour', 'dayOfMonth', 'month', 'dayOfWeek'].map((name) => [
    name,
    { type: ['string', 'integer'] },
  ]),
);

export const SCHEMAS: Readonly<Record<string, object>> = {
  Event: {
    ...object(
      {
        '@context': CONTEXT,
        type: { ...text, description: `${EVENT_TYPES.join(', ')}, or the URI of an extension type.` },
        eventID: text,
        eventTime: time,
        eventTimeZoneOffset: { ...text, pattern: '^([+]|[-])((0[0-9]|1[0-3]):[0-5][0-9]|14:00)$' },
        recordTime: time,
        action: { enum: ['ADD', 'OBSERVE', 'DELETE'] },
        bizStep: text,
        disposition: text,
        readPoint: object({ id: text }, ['id']),
        bizLocation: object({ id: text }, ['id']),
        epcList: listOf(text),
        parentID: text,
        childEPCs: listOf(text),
        inputEPCList: listOf(text),
        outputEPCList: listOf(text),
        transformationID: text,
      },
      ['type', 'eventTime', 'eventTimeZoneOffset'],
    ),
    description: 'An event, with all other fields of the standard and any extension fields.',
  },
  Document: {
    ...object(
      {
        '@context': CONTEXT,
        type: { enum: ['EPCISDocument', 'EPCISQueryDocument', 'EPCISMasterDataDocument'] },
        schemaVersion: text,
        creationDate: time,
        epcisHeader: object({}),
        epcisBody: object({ eventList: listOf(ref('Event')) }),
      },
      ['@context', 'type', 'epcisBody'],
    ),
    description: 'A document of events and master data.',
  },
  QueryDocument: object(
    {
      '@context': CONTEXT,
      type: { const: 'EPCISQueryDocument' },
      schemaVersion: text,
      creationDate: time,
      epcisBody: object(
        {
          queryResults: object(
            {
              queryName: text,
              subscriptionID: text,
              resultsBody: object({ eventList: listOf(ref('Event')) }, ['eventList']),
            },
            ['queryName', 'resultsBody'],
          ),
        },
        ['queryResults'],
      ),
    },
    ['@context', 'type', 'schemaVersion', 'creationDate', 'epcisBody'],
  ),
  Collection: object({ '@context': CONTEXT, type: { const: 'Collection' }, member: listOf(text) }, [
    '@context',
    'type',
    'member',
  ]),
  CaptureJob: object(
    {
      captureID: text,
      createdAt: time,
      finishedAt: time,
      running: boolean,
      success: boolean,
      captureErrorBehaviour: { enum: ['rollback', 'proceed'] },
      errors: listOf(ref('Problem')),
      warnings: listOf(text),
      class: { ...text, description: 'How important it is, by the rules of this service.' },
      place: { type: 'integer', description: 'Of one that is not finished: 1 is being captured, or is next.' },
      bounded: BOUNDED,
      progress: {
        ...object({ captured: { type: 'integer' }, events: { type: 'integer' } }, ['captured', 'events']),
        description: 'Events captured, of those counted while the document was received.',
      },
      estimatedEnd: { ...time, description: 'When it is finished if all goes on as it went lately.' },
    },
    ['captureID', 'createdAt', 'running', 'success', 'captureErrorBehaviour', 'errors'],
  ),
  CaptureJobs: listOf(ref('CaptureJob')),
  Query: object({ name: text, query: object({}), createdAt: time }, ['name', 'query']),
  Queries: listOf(ref('Query')),
  Subscription: object(
    {
      subscriptionID: text,
      queryName: text,
      dest: text,
      createdAt: time,
      lastNotifiedAt: time,
      initialRecordTime: time,
      minRecordTime: time,
      reportIfEmpty: boolean,
      epcFormat: text,
      schedule: object(schedule),
      trigger: text,
      stream: boolean,
    },
    ['subscriptionID', 'queryName', 'createdAt'],
  ),
  Subscriptions: listOf(ref('Subscription')),
  NewSubscription: object(
    {
      dest: { ...text, format: 'uri' },
      signatureToken: text,
      stream: boolean,
      reportIfEmpty: boolean,
      initialRecordTime: time,
      schedule: object(schedule),
    },
    ['dest'],
  ),
  NewExport: object({
    format: {
      enum: [...EXPORT_FORMATS],
      default: 'json',
      description: 'json is JSON-LD; csv and parquet have a row for each event.',
    },
    queryName: { ...text, description: 'A named query; without it all events.' },
    query: { ...object({}), description: 'Parameters of a query, as POST /queries takes them.' },
  }),
  Export: object(
    {
      exportID: text,
      ...{ running: boolean, success: boolean, errors: listOf(ref('Problem')) },
      ...{ format: { enum: [...EXPORT_FORMATS] }, queryName: text, createdAt: time, finishedAt: time },
      class: { ...text, description: 'How important it is, by the rules of this service.' },
      place: { type: 'integer', description: 'Of one that is not finished: 1 is being made, or is next.' },
      bounded: BOUNDED,
      progress: {
        ...object({ exported: { type: 'integer' }, events: { type: 'integer' } }, ['exported']),
        description: 'Events written, of those that there are; how many there are may not be known.',
      },
      estimatedEnd: { ...time, description: 'When it is made if all goes on as it went lately.' },
      document: { ...text, description: 'Where it is, once it is made.' },
      storedBytes: { type: 'integer', description: 'Of the document, as gzip.' },
      keptUntil: time,
    },
    ['exportID', 'running', 'success', 'errors', 'format', 'queryName', 'createdAt', 'progress'],
  ),
  Exports: listOf(ref('Export')),
  Problem: object({ type: text, title: text, status: { type: 'integer' }, detail: text, instance: text }, [
    'type',
    'title',
    'status',
  ]),
  ValidationReport: object(
    {
      valid: boolean,
      events: { type: 'integer' },
      vocabularyElements: { type: 'integer' },
      findings: listOf(
        object({ rule: RULE, severity: { enum: ['error', 'warning'] }, at: text, reason: text, hint: text }, [
          ...['rule', 'severity', 'reason', 'hint'],
        ]),
      ),
      more: boolean,
    },
    ['valid', 'events', 'vocabularyElements', 'findings', 'more'],
  ),
  TraceGraph: object(
    {
      epc: text,
      nodes: listOf(
        object({ id: text, kind: { enum: ['epc', 'event'] }, epc: text, eventID: text, type: text, eventTime: time }, [
          'id',
          'kind',
        ]),
      ),
      edges: listOf(
        object({ from: text, to: text, role: { enum: ['subject', 'parent', 'child', 'input', 'output'] } }, [
          'from',
          'to',
          'role',
        ]),
      ),
      bounded: text,
    },
    ['epc', 'nodes', 'edges'],
  ),
  Xml: text,
  Csv: text,
  Html: text,
  OpenApi: { type: 'object', description: 'This document.' },
};
