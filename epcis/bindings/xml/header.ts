// The Standard Business Document Header: read only to see that it is one.
import { elementsOf, invalid, isEmpty, type XmlElement } from './tree.ts';

const NAMESPACE = 'http://www.unece.org/cefact/namespaces/StandardBusinessDocumentHeader';

const REQUIRED = {
  StandardBusinessDocumentHeader: ['HeaderVersion', 'Sender', 'Receiver', 'DocumentIdentification'],
  Sender: ['Identifier'],
  Receiver: ['Identifier'],
  DocumentIdentification: ['Standard', 'TypeVersion', 'InstanceIdentifier', 'Type', 'CreationDateAndTime'],
} as const;

export const isBusinessHeader = ({ name, namespace }: XmlElement): boolean =>
  name === 'StandardBusinessDocumentHeader' && namespace === NAMESPACE;

/** Complains about the first part that is missing or empty. */
export function checkBusinessHeader(header: XmlElement): void {
  checkParts(header);
  for (const part of elementsOf(header)) checkParts(part);
}

function checkParts(element: XmlElement): void {
  if (element.namespace !== NAMESPACE || !Object.hasOwn(REQUIRED, element.name)) return;
  const parts = elementsOf(element).filter((part) => part.namespace === NAMESPACE && !isEmpty(part));
  for (const name of REQUIRED[element.name as keyof typeof REQUIRED]) {
    if (!parts.some((part) => part.name === name)) throw invalid('required', `${element.name} lacks ${name}`, element);
  }
}
