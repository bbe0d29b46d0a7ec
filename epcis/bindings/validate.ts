// A document checked without capturing it.
import { EpcisException } from '../domain/exceptions.ts';
import { findingOf, type Finding, type Report } from '../service/findings.ts';
import type { CaptureItem } from '../service/services.ts';
import { readDocument, type readEvent, type ReadOptions } from './documents.ts';

const MOST = 1000;

/** What the operator checks besides the standard: each fault, and whether it refuses the event. */
type Check = (item: CaptureItem) => Promise<readonly { readonly fault: EpcisException; readonly refuses: boolean }[]>;

/** What is too large, too deep or of no known form is thrown, as a capture would. */
export async function validateDocument(
  body: AsyncIterable<Uint8Array>,
  options: ReadOptions,
  check: Check = () => Promise.resolve([]),
  read: typeof readDocument | typeof readEvent = readDocument,
): Promise<Report> {
  const findings: Finding[] = [];
  let found = 0;
  let errors = 0;
  const count = { event: 0, vocabulary: 0 };
  const tell = (fault: EpcisException, severity: Finding['severity']): void => {
    if (severity === 'error') errors++;
    if (++found <= MOST) findings.push(findingOf(fault, severity));
  };
  const everyFault = (fault: EpcisException): void => tell(fault, 'error');
  try {
    for await (const item of read(body, { ...options, everyFault })) {
      const faults = await check(item);
      for (const { fault, refuses } of faults) tell(fault, refuses ? 'error' : 'warning');
      if (!faults.some(({ refuses }) => refuses)) count[item.kind]++;
    }
  } catch (error) {
    // what ends the reading is the last thing that can be said of the document
    if (!(error instanceof EpcisException) || error.name !== 'ValidationException') throw error;
    everyFault(error);
  }
  const { event: events, vocabulary: vocabularyElements } = count;
  return { valid: errors === 0, events, vocabularyElements, findings, more: found > MOST };
}
