// What several resources answer.
import type { Answer } from './resource.ts';

export const PAGE_HEADERS = ['Link', 'GS1-Next-Page-Token-Expires'];
export const NOT_MODIFIED: Answer = { meaning: 'The client has it already.', headers: ['ETag'] };
export const REPORT: Answer = {
  meaning: 'What is wrong with the document; nothing is captured.',
  schema: 'ValidationReport',
};
export const GONE: Answer = { meaning: 'It is gone.' };
export const EVENTS: Answer = {
  meaning: 'A page of events.',
  schema: 'QueryDocument',
  headers: [...PAGE_HEADERS, 'GS1-EPC-Format'],
};
/** Of what is found by query parameters. */
export const ASKING = ['QueryParameterException', 'QueryTooLargeException', 'QueryTooComplexException'] as const;
/** Of what takes a body. */
export const SENDING = [
  'ValidationException',
  'CaptureLimitExceededException',
  'UnsupportedMediaTypeException',
] as const;
