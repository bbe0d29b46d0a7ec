// Master data: vocabulary elements from and to XML.
import { attributeOf, checkUnqualified, elementsOf, invalid, type XmlElement } from './tree.ts';
import { readValue } from './read-fields.ts';
import { checkUri, readList } from './read-values.ts';
import type { VocabularyElement } from '../../domain/event.ts';
import { isUriReference } from '../../domain/uri.ts';
import { trimmed } from '../../domain/white-space.ts';

export function readXmlVocabularyElement(element: XmlElement, vocabulary: string): VocabularyElement {
  checkUnqualified(element);
  const id = trimmed(attributeOf(element, 'id') ?? '');
  if (id === '') throw invalid('required', 'VocabularyElement lacks its id', element);
  checkUri(id, 'id of VocabularyElement', element);
  const attributes: { id: string; value: VocabularyElement['attributes'][number]['value'] }[] = [];
  const children: string[] = [];
  for (const child of elementsOf(element)) {
    checkUnqualified(child);
    if (child.namespace !== '') continue; // the schema lets anything follow; it is no master data
    if (child.name === 'attribute' && children.length === 0) {
      const name = trimmed(attributeOf(child, 'id') ?? '');
      if (name === '') throw invalid('required', 'attribute lacks its id', child);
      if (!isUriReference(name)) throw invalid('uri', `id of attribute ‘${name.slice(0, 80)}’ is no URI`, child);
      const { value } = readValue(child);
      attributes.push({ id: name, value: typeof value === 'string' ? trimmed(value) : value });
    } else if (child.name === 'children' && children.length === 0) children.push(...readList(child, 'id'));
    else if (child.name !== 'extension')
      throw invalid('unknown', `${child.name} is unknown or out of order in VocabularyElement`, child);
  }
  return { vocabulary, id, attributes, children };
}
