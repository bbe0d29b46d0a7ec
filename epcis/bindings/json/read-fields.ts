// Extensions: members that the standard doesn't name.
import { invalidAt, below, type JsonMember, type JsonValue } from './value.ts';
import { isStandardNamespace } from '../../domain/namespaces.ts';
import { resolveName, type Prefixes } from './context.ts';
import type { Field } from '../../domain/event.ts';

/** Members that must each have a namespace. */
export function readExtensions(members: readonly JsonMember[], prefixes: Prefixes, pointer: string): readonly Field[] {
  return members.flatMap(({ key, value }) => {
    const name = resolveName(key, prefixes);
    if (name === undefined || isStandardNamespace(name.namespace)) {
      throw invalidAt(
        'unknown',
        `unknown member ‘${key}’: it is no field of the standard and has no namespace of its own`,
        below(pointer, key),
      );
    }
    return readField(key, value, prefixes);
  });
}

/** One field, or one for each entry of an array. */
function readField(key: string, value: JsonValue, prefixes: Prefixes): readonly Field[] {
  const name = resolveName(key, prefixes) ?? { namespace: '', name: key };
  switch (value.kind) {
    case 'array':
      return value.items.flatMap((item) => readField(key, item, prefixes));
    case 'object':
      return [{ ...name, value: readChildren(value.members, prefixes) }];
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

const readChildren = (members: readonly JsonMember[], prefixes: Prefixes): readonly Field[] =>
  members.flatMap(({ key, value }) => readField(key, value, prefixes));

/** The value of a master-data attribute. */
export function readFieldValue(value: JsonValue, prefixes: Prefixes): string | readonly Field[] {
  if (value.kind === 'object') return readChildren(value.members, prefixes);
  const [field] = readField('value', value, prefixes);
  return field?.value ?? '';
}
