// Extensions: elements and attributes that the standard doesn't name, read as they stand.
import { isBlank, trimmed } from '../../domain/white-space.ts';
import { isStandardNamespace } from '../../domain/namespaces.ts';
import { readName } from './names.ts';
import { attributeOf, invalid, XSI, type XmlElement } from './tree.ts';
import type { Attribute, Field } from '../../domain/event.ts';

/** Fields of an element that may hold only elements of other namespaces (ilmd, or the end of an event). */
export function readFields(elements: readonly XmlElement[], within: string): readonly Field[] {
  return elements.map((element) => {
    if (element.namespace === '') {
      throw invalid(
        'unknown',
        `${within} holds ${element.name}, which has no namespace and is no field of the standard`,
        element,
      );
    }
    if (isStandardNamespace(element.namespace)) {
      throw invalid(
        'unknown',
        `${within} holds ${element.prefix}:${element.name}: the namespace of EPCIS has no extensions`,
        element,
      );
    }
    return readField(element);
  });
}

export function readField(element: XmlElement): Field {
  const attributes = readAttributes(element);
  return {
    namespace: element.namespace,
    name: readName(element.name),
    ...(element.prefix === '' ? {} : { prefix: element.prefix }),
    ...readValue(element),
    ...(attributes.length === 0 ? {} : { attributes }),
  };
}

/** Text or children; xsi:type tells what JSON will make of the text. */
export function readValue(element: XmlElement): Pick<Field, 'value' | 'json'> {
  const children = element.children.filter((child) => typeof child !== 'string').map(readField);
  const text = leafText(element.children.filter((child) => typeof child === 'string').join(''));
  if (children.length === 0) return { value: text, ...jsonType(element, text) };
  if (isBlank(text)) return { value: children };
  return { value: [{ namespace: '', name: '#text', value: trimmed(text) }, ...children] };
}

/** As written; only where line breaks show that it was indented, without its indentation. */
const leafText = (text: string): string => (/^[ \t]*[\r\n]|[\r\n][ \t]*$/.test(text) ? trimmed(text) : text);

function readAttributes(element: XmlElement): readonly Attribute[] {
  return element.attributes
    .filter(({ namespace }) => namespace !== XSI)
    .map(({ namespace, name, prefix, value }) => ({
      namespace,
      name: readName(name),
      ...(prefix === '' ? {} : { prefix }),
      value,
    }));
}

const NUMBER_TYPES = /(?:^|:)(?:integer|int|long|short|decimal|double|float)$/;
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function jsonType(element: XmlElement, text: string): Pick<Field, 'json'> {
  const type = attributeOf(element, 'type', XSI) ?? '';
  if (text === '' && /^(?:true|1)$/.test(attributeOf(element, 'nil', XSI) ?? '')) return { json: 'null' };
  if (NUMBER_TYPES.test(type) && JSON_NUMBER.test(text)) return { json: 'number' };
  if (/(?:^|:)boolean$/.test(type) && /^(?:true|false)$/.test(text)) return { json: 'boolean' };
  return {};
}
