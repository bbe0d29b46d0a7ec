// Extension fields as members. What XML repeats becomes an array; attributes become members beside the children, and
// text beside either `#text`.
import type { Field } from '../../domain/event.ts';

/** How names are written: namespace → prefix. */
export interface Keys {
  readonly prefixes: ReadonlyMap<string, string>;
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** The members, as texts `"key":value`, in the order in which each name first occurs. */
export function writeFields(fields: readonly Field[] | undefined, keys: Keys): string[] {
  const values = new Map<string, string[]>();
  for (const field of fields ?? []) {
    const key = keyOf(field, keys);
    const same = values.get(key);
    if (same === undefined) values.set(key, [writeValue(field, keys)]);
    else same.push(writeValue(field, keys));
  }
  return [...values].map(([key, [first = 'null', ...more]]) => {
    const value = more.length === 0 ? first : `[${[first, ...more].join(',')}]`;
    return `${JSON.stringify(key)}:${value}`;
  });
}

function keyOf({ namespace, name }: { namespace: string; name: string }, { prefixes }: Keys): string {
  const prefix = prefixes.get(namespace);
  return prefix === undefined ? namespace + name : `${prefix}:${name}`;
}

function writeValue(field: Field, keys: Keys): string {
  if (field.attributes !== undefined) return `{${writeFields(withAttributes(field), keys).join(',')}}`;
  if (typeof field.value !== 'string') return `{${writeFields(field.value, keys).join(',')}}`;
  if (field.json === 'null') return 'null';
  if (field.json === 'boolean') return field.value === 'true' ? 'true' : 'false';
  if (field.json === 'number' && JSON_NUMBER.test(field.value)) return field.value;
  return JSON.stringify(field.value);
}

function withAttributes({ attributes = [], value }: Field): readonly Field[] {
  const text: readonly Field[] =
    typeof value !== 'string' ? value : value === '' ? [] : [{ namespace: '', name: '#text', value }];
  return [...text, ...attributes];
}
