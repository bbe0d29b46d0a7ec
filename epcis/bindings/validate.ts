// A document checked without capturing it.
import { EpcisException } from '../domain/exceptions.ts';
import { findingOf, type Finding, type Report } from '../service/findings.ts';
import { readDocument, type ReadOptions } from './documents.ts';

const MOST = 1000;

/** What is too large, too deep or of no known form is thrown, as a capture would. */
export async function validateDocument(body: AsyncIterable<Uint8Array>, options: ReadOptions): Promise<Report> {
  const findings: Finding[] = [];
  let found = 0;
  const count = { event: 0, vocabulary: 0 };
  const everyFault = (fault: EpcisException): void => {
    if (++found <= MOST) findings.push(findingOf(fault));
  };
  try {
    for await (const { kind } of readDocument(body, { ...options, everyFault })) count[kind]++;
  } catch (error) {
    // what ends the reading is the last thing that can be said of the document
    if (!(error instanceof EpcisException) || error.name !== 'ValidationException') throw error;
    everyFault(error);
  }
  const { event: events, vocabulary: vocabularyElements } = count;
  return { valid: found === 0, events, vocabularyElements, findings, more: found > MOST };
}
