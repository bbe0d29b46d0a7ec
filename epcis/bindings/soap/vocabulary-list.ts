// Master data as XML: the `VocabularyList` of a query's results, streamed.
import { allocatePrefixes, deep } from '../../domain/namespaces.ts';
import type { VocabularyElement } from '../../domain/event.ts';
import { isXmlName, writeFields } from '../xml/write-fields.ts';
import { xmlText } from '../http/xml-text.ts';

const XML_NAMESPACES = new Map([['xml', 'http://www.w3.org/XML/1998/namespace']]);

/** The elements come vocabulary by vocabulary. */
export async function* vocabularyList(elements: AsyncIterable<VocabularyElement>): AsyncGenerator<string> {
  let open: string | undefined;
  yield '<VocabularyList>';
  for await (const element of elements) {
    if (element.vocabulary !== open) {
      if (open !== undefined) yield '</VocabularyElementList></Vocabulary>';
      open = element.vocabulary;
      yield `<Vocabulary type="${xmlText(open)}"><VocabularyElementList>`;
    }
    yield elementXml(element);
  }
  if (open !== undefined) yield '</VocabularyElementList></Vocabulary>';
  yield '</VocabularyList>';
}

function elementXml({ id, attributes, children }: VocabularyElement): string {
  const ids = children.map((child) => `<id>${xmlText(child)}</id>`).join('');
  const list = ids === '' ? '' : `<children>${ids}</children>`;
  return `<VocabularyElement id="${xmlText(id)}">${attributes.map(attributeXml).join('')}${list}</VocabularyElement>`;
}

function attributeXml({ id, value }: VocabularyElement['attributes'][number]): string {
  if (typeof value === 'string') return `<attribute id="${xmlText(id)}">${xmlText(value)}</attribute>`;
  const prefixes = allocatePrefixes(deep(value), XML_NAMESPACES, isXmlName);
  const declarations = [...prefixes].map(([namespace, prefix]) => ` xmlns:${prefix}="${xmlText(namespace)}"`).join('');
  return `<attribute id="${xmlText(id)}"${declarations}>${writeFields(value, prefixes)}</attribute>`;
}
