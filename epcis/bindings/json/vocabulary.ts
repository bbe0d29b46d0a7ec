// Master data: vocabulary elements from JSON.
import { expandElement } from '../../domain/curies.ts';
import { below, invalidAt, type JsonValue } from './value.ts';
import { readFieldValue } from './read-fields.ts';
import { readUri } from './read-strings.ts';
import { mapItems, readMembers } from './read-values.ts';
import { masterDataPrefixes, withinContext, type Names } from './context.ts';
import type { VocabularyElement } from '../../domain/event.ts';

type VocabularyAttribute = VocabularyElement['attributes'][number];

export function readJsonVocabularyElement(
  value: JsonValue,
  vocabulary: string,
  prefixes: Names,
  pointer: string,
  size: number,
): VocabularyElement {
  const members = readMembers(value, pointer);
  const own = members.find(({ key }) => key === '@context');
  const inner = withinContext(own, prefixes, below(pointer, '@context'));
  let id: string | undefined;
  let attributes: readonly VocabularyAttribute[] = [];
  let children: readonly string[] = [];
  for (const member of members) {
    const at = below(pointer, member.key);
    if (member.key === 'id') id = readUri(member.value, at);
    else if (member.key === 'children') children = mapItems(member.value, at, readUri);
    else if (member.key === 'attributes') {
      attributes = mapItems(member.value, at, (item, where) => readAttribute(item, inner, where)).flat();
    }
  }
  if (id === undefined) throw invalidAt('required', 'the vocabulary element lacks its id', pointer);
  return expandElement({ vocabulary, id, attributes, children }, masterDataPrefixes(inner), size);
}

/** An array is one attribute for each of its entries, like repeated attributes in XML. */
function readAttribute(value: JsonValue, prefixes: Names, pointer: string): readonly VocabularyAttribute[] {
  const members = readMembers(value, pointer);
  const id = members.find(({ key }) => key === 'id');
  if (id === undefined) throw invalidAt('required', 'the attribute lacks its id', pointer);
  const name = readUri(id.value, below(pointer, 'id'));
  const content = members.find(({ key }) => key === 'attribute')?.value ?? { kind: 'string', value: '' };
  const values = content.kind === 'array' ? content.items : [content];
  return values.map((item) => ({ id: name, value: readFieldValue(item, prefixes, pointer) }));
}
