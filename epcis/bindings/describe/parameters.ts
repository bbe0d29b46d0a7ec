// What a request may say, as OpenAPI parameters: the query parameters from the registry that reads them, the headers of GS1.
import { EVENT_RULES } from '../../service/parameters.ts';
import type { ParameterRule } from '../../service/parameter-rule.ts';
import { CBV_FORMATS, EPC_FORMATS, VERSION } from '../rest/headers.ts';
import { DEFAULT_PAGE } from '../rest/paging.ts';
import type { QueryField } from '../rest/resource.ts';

const text = { type: 'string' } as const;

const PAGE: readonly QueryField[] = [
  { name: 'perPage', meaning: 'Entries of a page.', schema: { type: 'integer', minimum: 1, default: DEFAULT_PAGE } },
  { name: 'nextPageToken', meaning: 'From the Link of the page before; it holds the whole query.', schema: text },
];

/** By the type of a rule: how OpenAPI writes its value. Lists are texts, separated by a pipe. */
const VALUES = {
  list: { schema: { type: 'array', items: text }, style: 'pipeDelimited', explode: false },
  time: { schema: { type: 'string', format: 'date-time' } },
  number: { schema: { type: 'number' } },
  void: { schema: { type: 'boolean' } },
  text: { schema: text },
} as const;

const isFixed = ({ name }: ParameterRule): boolean => !name.includes('*');

/** Parameters whose names vary stand together, as members of one object: their names by the registry's patterns. */
const FIELDS = {
  name: 'fields',
  in: 'query',
  description: `Parameters with a variable part: ${EVENT_RULES.filter((rule) => !isFixed(rule))
    .map(({ name, meaning }) => `\`${name.replaceAll('*', '_')}\`: ${meaning}`)
    .join(' ')}`,
  style: 'form',
  explode: true,
  schema: {
    type: 'object',
    patternProperties: Object.fromEntries(
      EVENT_RULES.filter((rule) => !isFixed(rule)).map(({ pattern }) => [pattern.source, text]),
    ),
  },
};

/** Each set of query parameters by name, to be referred to. */
export const QUERY_SETS: Readonly<Record<'page' | 'events', readonly object[]>> = {
  page: PAGE.map(queryParameter),
  events: [
    ...EVENT_RULES.filter(isFixed).map(({ name, meaning, type }) => ({
      name,
      in: 'query',
      description: meaning,
      ...VALUES[type],
    })),
    FIELDS,
  ],
};

export function queryParameter({ name, meaning, schema }: QueryField): object {
  return { name, in: 'query', description: meaning, schema };
}

export const REQUEST_HEADERS: Readonly<Record<string, object>> = {
  'GS1-EPCIS-Version': versionHeader('The version of EPCIS that the client speaks.'),
  'GS1-EPCIS-Min': versionHeader('The lowest version of EPCIS that the client speaks.'),
  'GS1-EPCIS-Max': versionHeader(
    'The highest version of EPCIS that the client speaks; below 2 means XML of EPCIS 1.2.',
  ),
  'GS1-CBV-Version': versionHeader('The version of the CBV that the client speaks.'),
  'GS1-CBV-Min': versionHeader('The lowest version of the CBV that the client speaks.'),
  'GS1-CBV-Max': versionHeader('The highest version of the CBV that the client speaks.'),
  'GS1-EPC-Format': requestHeader('How identifiers are written; without it as they were captured.', EPC_FORMATS),
  'GS1-CBV-XML-Format': requestHeader('How vocabulary is written in XML.', CBV_FORMATS),
  'GS1-Extensions': requestHeader('Prefixes of extensions: `ex=https://example.org/ns/, …`.'),
};

export const CAPTURE_HEADERS: Readonly<Record<string, object>> = {
  'GS1-Capture-Error-Behaviour': requestHeader('All of a document or nothing, or what is valid.', [
    'rollback',
    'proceed',
  ]),
};

function versionHeader(description: string): object {
  return { description, schema: { ...text, pattern: VERSION.source } };
}

function requestHeader(description: string, values?: readonly string[]): object {
  return { description, schema: values === undefined ? text : { ...text, enum: values } };
}

const ANSWER_HEADER_MEANINGS: Readonly<Record<string, string>> = {
  'GS1-EPCIS-Version': 'The version of EPCIS that the answer is in.',
  'GS1-CBV-Version': 'The version of the CBV that the answer is in.',
  'GS1-EPC-Format': 'How identifiers are written.',
  'Capture-Warnings': 'Checks of this instance that warn of the event.',
  'GS1-Capture-Error-Behaviour': 'What the job does with faults.',
  'GS1-Next-Page-Token-Expires': 'Until when the link to the next page is good.',
  'Trace-Bounded': 'What was left out, where there was too much.',
  ETag: 'For If-None-Match.',
  Link: 'The next page (rel="next"); none on the last.',
  Location: 'Where it is.',
};

export const ANSWER_HEADERS: Readonly<Record<string, object>> = Object.fromEntries(
  Object.entries(ANSWER_HEADER_MEANINGS).map(([name, description]) => [name, { description, schema: text }]),
);
