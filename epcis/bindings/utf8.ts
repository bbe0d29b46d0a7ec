// Bytes to text, strictly: what is no UTF-8 is no document.
import { EpcisException } from '../domain/exceptions.ts';

/** `end` takes what is left as well. */
export function utf8() {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (piece?: Uint8Array): string => {
    try {
      return decoder.decode(piece, { stream: piece !== undefined });
    } catch (error) {
      throw new EpcisException('ValidationException', 'the document is not valid UTF-8', undefined, {
        cause: error,
        broken: { rule: 'well-formed' },
      });
    }
  };
  return { decode, end: (pieces: readonly Uint8Array[] = []): string => pieces.map(decode).join('') + decode() };
}
