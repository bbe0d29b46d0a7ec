// Strings and URIs of a JSON document, each error with the pointer to its place.
import { isUri } from '../../domain/uri.ts';
import { invalidAt, type JsonValue } from './value.ts';

export const nameAt = (pointer: string): string => pointer.slice(pointer.lastIndexOf('/') + 1);

export function readString(value: JsonValue, pointer: string): string {
  if (value.kind === 'string') return value.value;
  throw invalidAt(
    'type',
    `${nameAt(pointer)} is ${value.kind === 'null' ? 'null' : `a ${value.kind}`}, not a string`,
    pointer,
  );
}

export function readUri(value: JsonValue, pointer: string): string {
  const text = readString(value, pointer);
  if (isUri(text)) return text;
  throw invalidAt('uri', `‘${text.slice(0, 80)}’ is no URI`, pointer);
}
