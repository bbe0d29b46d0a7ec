// Strings and URIs of a JSON document, each error with the pointer to its place.
import { isUri } from '../../domain/uri.ts';
import { invalidAt, type JsonValue } from './value.ts';

/** `/epcList` is epcList, `/epcList/0` epcList/0: a number alone would be taken for the value. */
export const nameAt = (pointer: string): string => /[^/]*(?:\/\d+)*$/.exec(pointer)?.[0] ?? pointer;

export function readString(value: JsonValue, pointer: string): string {
  if (value.kind === 'string') return value.value;
  throw invalidAt('type', `${nameAt(pointer)} is ${kindOf(value)}, not a string`, pointer);
}

function kindOf({ kind }: JsonValue): string {
  return kind === 'null' ? 'null' : `${/^[ao]/.test(kind) ? 'an' : 'a'} ${kind}`;
}

export function readUri(value: JsonValue, pointer: string): string {
  const text = readString(value, pointer);
  if (isUri(text)) return text;
  throw invalidAt('uri', `‘${text.slice(0, 80)}’ is no URI`, pointer);
}
