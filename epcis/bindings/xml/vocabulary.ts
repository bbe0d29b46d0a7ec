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
  checkMode(element, ['', '1']);
  const attributes: { id: string; value: VocabularyElement['attributes'][number]['value'] }[] = [];
  const children: string[] = [];
  for (const child of elementsOf(element)) {
    checkUnqualified(child);
    if (child.namespace !== '') continue; // the schema lets anything follow; it is no master data
    if (child.name === 'attribute' && children.length === 0) {
      const name = trimmed(attributeOf(child, 'id') ?? '');
      if (name === '') throw invalid('required', 'attribute lacks its id', child);
      if (!isUriReference(name)) throw invalid('uri', `id of attribute ‘${name.slice(0, 80)}’ is no URI`, child);
      checkMode(child, ['', '1', '2']);
      const { value } = readValue(child);
      attributes.push({ id: name, value: typeof value === 'string' ? trimmed(value) : value });
    } else if (child.name === 'children' && children.length === 0) children.push(...readList(child, 'id'));
    else if (child.name !== 'extension')
      throw invalid('unknown', `${child.name} is unknown or out of order in VocabularyElement`, child);
  }
  return { vocabulary, id, attributes, children };
}

/** Fosstrak's clients say by it what becomes of what is there: 1 adds, 2 changes (of an element its ID), more deletes. Adding is what capture does. */
function checkMode(element: XmlElement, done: readonly string[]): void {
  const mode = trimmed(attributeOf(element, 'mode') ?? '');
  if (done.includes(mode)) return;
  const reason = `${element.name} has the mode ‘${mode.slice(0, 20)}’: master data is added and its attributes are replaced, but nothing is renamed or deleted by capture`;
  throw invalid('unknown', reason, element);
}
