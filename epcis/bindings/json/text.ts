// The text of a value within a document.
import { EpcisException } from '../../domain/exceptions.ts';

/** A byte order mark is one at the begin of a document only. */
const STRICT = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function textOf(raw: Uint8Array, pointer: string): string {
  try {
    return STRICT.decode(raw);
  } catch (error) {
    throw new EpcisException('ValidationException', 'the document is not valid UTF-8', pointer, {
      cause: error,
      broken: { rule: 'well-formed' },
    });
  }
}
