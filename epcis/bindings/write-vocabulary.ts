// Master data on the way out, streamed: elements of one vocabulary that follow each other share its frame.
import { allocatePrefixes, deep } from '../domain/namespaces.ts';
import { STANDARD_PREFIXES } from './json/context.ts';
import { writeFields as writeMembers } from './json/write-fields.ts';
import { escapeText, escapeXml } from './xml/source.ts';
import { isXmlName } from './xml/names.ts';
import { declaredTypes, FIXED_PREFIXES, writeFields } from './xml/write-fields.ts';
import type { Field, VocabularyElement } from '../domain/event.ts';

interface Frame {
  readonly before: string;
  /** Begins a vocabulary, given its type, and what stands before the next one. */
  readonly open: (type: string) => string;
  readonly between: string;
  readonly close: string;
  readonly betweenVocabularies: string;
  readonly after: string;
  readonly element: (element: VocabularyElement) => string;
}

const XML: Frame = {
  before: '<VocabularyList>',
  open: (type) => `<Vocabulary type="${escapeXml(type)}"><VocabularyElementList>`,
  between: '',
  close: '</VocabularyElementList></Vocabulary>',
  betweenVocabularies: '',
  after: '</VocabularyList>',
  element: xmlElement,
};

const JSON_FRAME: Frame = {
  before: '[',
  open: (type) => `{"type":${JSON.stringify(type)},"vocabularyElementList":[`,
  between: ',',
  close: ']}',
  betweenVocabularies: ',',
  after: ']',
  element: jsonElement,
};

/** XML: the `VocabularyList` element. JSON: the value of `vocabularyList`. */
export async function* writeVocabularyList(
  elements: AsyncIterable<VocabularyElement>,
  form: 'xml' | 'json',
): AsyncGenerator<string> {
  const frame = form === 'xml' ? XML : JSON_FRAME;
  let type: string | undefined;
  yield frame.before;
  for await (const element of elements) {
    if (element.vocabulary === type) yield frame.between + frame.element(element);
    else {
      const end = type === undefined ? '' : frame.close + frame.betweenVocabularies;
      yield end + frame.open(element.vocabulary) + frame.element(element);
      type = element.vocabulary;
    }
  }
  yield (type === undefined ? '' : frame.close) + frame.after;
}

const fieldsOf = ({ attributes }: VocabularyElement): Iterable<Field> =>
  attributes.flatMap(({ value }) => (typeof value === 'string' ? [] : value));

const prefixesOf = (element: VocabularyElement, fixed: ReadonlyMap<string, string>): ReadonlyMap<string, string> =>
  allocatePrefixes(deep([...fieldsOf(element)]), fixed, isXmlName);

function xmlElement(element: VocabularyElement): string {
  const prefixes = prefixesOf(element, FIXED_PREFIXES);
  const declarations = [...prefixes].map(([uri, prefix]) => ` xmlns:${prefix}="${escapeXml(uri)}"`).join('');
  const attributes = element.attributes.map(({ id, value }) => {
    const content = typeof value === 'string' ? escapeText(value) : writeFields(value, prefixes);
    return `<attribute id="${escapeXml(id)}">${content}</attribute>`;
  });
  const ids = element.children.map((id) => `<id>${escapeText(id)}</id>`).join('');
  const content = attributes.join('') + (ids === '' ? '' : `<children>${ids}</children>`);
  return `<VocabularyElement id="${escapeXml(element.id)}"${declarations}${declaredTypes(content)}>${content}</VocabularyElement>`;
}

function jsonElement(element: VocabularyElement): string {
  const prefixes = prefixesOf(element, STANDARD_PREFIXES);
  const declared = [...prefixes].filter(([uri, prefix]) => STANDARD_PREFIXES.get(prefix) !== uri);
  const context = declared.map(([uri, prefix]) => `{${JSON.stringify(prefix)}:${JSON.stringify(uri)}}`);
  const attributes = element.attributes.map(({ id, value }) => {
    const content =
      typeof value === 'string' ? JSON.stringify(value) : `{${writeMembers(value, { prefixes }).join(',')}}`;
    return `{"id":${JSON.stringify(id)},"attribute":${content}}`;
  });
  const members = [
    ...(context.length === 0 ? [] : [`"@context":[${context.join(',')}]`]),
    `"id":${JSON.stringify(element.id)}`,
    `"attributes":[${attributes.join(',')}]`,
    ...(element.children.length === 0 ? [] : [`"children":${JSON.stringify(element.children)}`]),
  ];
  return `{${members.join(',')}}`;
}
