// A piece of an XML document as a tree: one event or vocabulary element at a time, never the document.
import type { DocumentRule } from '../../domain/document-rules.ts';
import { EpcisException } from '../../domain/exceptions.ts';
import { collapsed, isBlank } from '../../domain/white-space.ts';

export interface XmlAttribute {
  readonly namespace: string;
  readonly prefix: string;
  readonly name: string;
  readonly value: string;
}

export interface XmlElement {
  readonly namespace: string;
  readonly prefix: string;
  readonly name: string;
  readonly attributes: readonly XmlAttribute[];
  readonly children: readonly (XmlElement | string)[];
  readonly line: number;
}

export const XSI = 'http://www.w3.org/2001/XMLSchema-instance';

/** `where` goes along as the cause: who looks for all faults reads on without it. */
export function invalid(rule: DocumentRule, reason: string, where: { readonly line: number }): EpcisException {
  return new EpcisException('ValidationException', reason, `line ${where.line}`, { cause: where, broken: { rule } });
}

const OF_EPCIS = /^urn:epcglobal:epcis(?:-query|-masterdata)?:xsd:\d+$/;

/** The standard's elements below the root are in no namespace: one that is would be taken for an extension, and what it holds be lost. */
export function checkUnqualified(element: XmlElement): void {
  const { namespace, prefix, name } = element;
  if (!OF_EPCIS.test(namespace)) return;
  const how = prefix === '' ? ': declare the namespace with a prefix, and use that for the root alone' : '';
  const written = prefix === '' ? name : `${prefix}:${name}`;
  throw invalid('unknown', `${written} must be written without a namespace, as the schema says${how}`, element);
}

/** The tree without one of its elements. */
export function withoutElement(element: XmlElement, without: unknown): XmlElement {
  const children = element.children
    .filter((child) => child !== without)
    .map((child) => (typeof child === 'string' ? child : withoutElement(child, without)));
  return { ...element, children };
}

const isElement = (child: XmlElement | string): child is XmlElement => typeof child !== 'string';

/** The child elements of an element that must not hold text of its own. */
export function elementsOf(element: XmlElement): readonly XmlElement[] {
  for (const child of element.children) {
    if (typeof child === 'string' && !isBlank(child)) {
      throw invalid(
        'type',
        `text ‘${collapsed(child).slice(0, 40)}’ in ${element.name}, which holds elements only`,
        element,
      );
    }
  }
  return element.children.filter(isElement);
}

/** No element and no text: what EPCIS 1.2 (section 9.5) takes as if it were absent. */
export const isEmpty = (element: XmlElement): boolean =>
  element.children.every((child) => typeof child === 'string' && isBlank(child));

/** The text of an element that holds nothing else, white space collapsed; never empty. */
export function textOf(element: XmlElement): string {
  const inner = element.children.find(isElement);
  if (inner !== undefined)
    throw invalid('type', `element ${inner.name} in ${element.name}, which holds text only`, inner);
  const text = collapsed(element.children.filter((child) => typeof child === 'string').join(''));
  if (text === '') throw invalid('required', `${element.name} is empty`, element);
  return text;
}

export const attributeOf = (element: XmlElement, name: string, namespace = ''): string | undefined =>
  element.attributes.find((attribute) => attribute.name === name && attribute.namespace === namespace)?.value;
