// Extensions: members that the standard doesn't name.
import { invalidAt, below, type JsonMember, type JsonValue } from './value.ts';
import { isStandardNamespace } from '../../domain/namespaces.ts';
import { resolveInner, resolveName, withinContext, type Names } from './context.ts';
import type { Field } from '../../domain/event.ts';

/** Members that must each have a namespace. */
export function readExtensions(members: readonly JsonMember[], prefixes: Names, pointer: string): readonly Field[] {
  return members.flatMap(({ key, value }) => {
    const name = resolveName(key, prefixes);
    if (name === undefined || isStandardNamespace(name.namespace)) {
      throw invalidAt(
        'unknown',
        `unknown member ‘${key}’: it is no field of the standard and has no namespace of its own`,
        below(pointer, key),
      );
    }
    return readField(key, value, prefixes, pointer);
  });
}

/** One field, or one for each entry of an array. `pointer` is that of what the extension belongs to. */
function readField(key: string, value: JsonValue, prefixes: Names, pointer: string): readonly Field[] {
  const name = resolveInner(key, prefixes);
  switch (value.kind) {
    case 'array':
      return value.items.flatMap((item) => readField(key, item, prefixes, pointer));
    case 'object':
      return [{ ...name, value: readChildren(value.members, prefixes, pointer) }];
    case 'string':
      return [{ ...name, value: value.value }];
    case 'number':
      return [{ ...name, value: value.text, json: 'number' }];
    case 'boolean':
      return [{ ...name, value: String(value.value), json: 'boolean' }];
    case 'null':
      return [{ ...name, value: '', json: 'null' }];
  }
}

/** A context inside says what names mean there, and is no field. */
function readChildren(members: readonly JsonMember[], outer: Names, pointer: string): readonly Field[] {
  const prefixes = withinContext(
    members.find(({ key }) => key === '@context'),
    outer,
    pointer,
  );
  return members.flatMap(({ key, value }) => (key === '@context' ? [] : readField(key, value, prefixes, pointer)));
}

/** The value of a master-data attribute. */
export function readFieldValue(value: JsonValue, prefixes: Names, pointer: string): string | readonly Field[] {
  if (value.kind === 'object') return readChildren(value.members, prefixes, pointer);
  const [field] = readField('value', value, prefixes, pointer);
  return field?.value ?? '';
}
