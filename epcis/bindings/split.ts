// Cuts a large document into parts that can be captured beside each other.
import { EpcisException } from '../domain/exceptions.ts';
import { Cutter, type DocumentPart } from '../service/jobs-parts.ts';
import { checked } from './check.ts';
import { jsonEventFinder } from './json/look.ts';
import type { DocumentLimits } from '../domain/document-limits.ts';
import { xmlEventFinder } from './xml/find-events.ts';

/**
 * `bytes`: of events in a part, at least. Empty where the document has its events elsewhere than in one list, or is none, which one who
 * reads it whole tells: then it stays whole.
 */
export async function splitDocument(
  body: AsyncIterable<Uint8Array>,
  format: 'xml' | 'json',
  bytes: number,
  limits: DocumentLimits,
): Promise<readonly DocumentPart[]> {
  const cutter = new Cutter(bytes);
  const finder =
    format === 'xml'
      ? xmlEventFinder(({ lastLine, ...span }) => cutter.event(span, lastLine))
      : jsonEventFinder(limits, (from, to) => cutter.event({ from, to, line: 1 }, 1));
  try {
    for await (const chunk of checked(body, format, limits)) finder.write(chunk);
  } catch (error) {
    if (error instanceof EpcisException) return [];
    throw error;
  }
  return finder.lists === 1 ? cutter.parts() : [];
}
