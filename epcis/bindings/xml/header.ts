// The Standard Business Document Header: read only to see that it is one.
import { parseTime } from '../../domain/time.ts';
import { elementsOf, invalid, isEmpty, textOf, type XmlElement } from './tree.ts';

const NAMESPACE = 'http://www.unece.org/cefact/namespaces/StandardBusinessDocumentHeader';

const REQUIRED = {
  StandardBusinessDocumentHeader: ['HeaderVersion', 'Sender', 'Receiver', 'DocumentIdentification'],
  Sender: ['Identifier'],
  Receiver: ['Identifier'],
  DocumentIdentification: ['Standard', 'TypeVersion', 'InstanceIdentifier', 'Type', 'CreationDateAndTime'],
} as const;

export const isBusinessHeader = ({ name, namespace }: XmlElement): boolean =>
  name === 'StandardBusinessDocumentHeader' && namespace === NAMESPACE;

/** Complains about the first part that is missing or empty, or stands where the schema has another. */
export function checkBusinessHeader(header: XmlElement): void {
  checkParts(header);
  for (const part of elementsOf(header)) checkParts(part);
}

function checkParts(element: XmlElement): void {
  if (element.namespace !== NAMESPACE || !Object.hasOwn(REQUIRED, element.name)) return;
  const parts = elementsOf(element).filter((part) => part.namespace === NAMESPACE && !isEmpty(part));
  const names = REQUIRED[element.name as keyof typeof REQUIRED];
  for (const name of names) {
    if (!parts.some((part) => part.name === name)) throw invalid('required', `${element.name} lacks ${name}`, element);
  }
  checkOrder(parts, names, element, ['Sender', 'Receiver']);
  const time = parts.find(({ name }) => name === 'CreationDateAndTime');
  if (time !== undefined && parseTime(textOf(time), 'optional') === undefined)
    throw invalid('time', `CreationDateAndTime ‘${textOf(time).slice(0, 40)}’ is no date and time`, time);
}

/** Of those that are named: in this order, each once unless it may repeat. */
function checkOrder(
  children: readonly XmlElement[],
  names: readonly string[],
  parent: XmlElement,
  repeats: readonly string[],
): void {
  let last = -1;
  for (const child of children.filter(({ name }) => names.includes(name))) {
    const rank = names.indexOf(child.name);
    if (rank < last) throw invalid('order', `${child.name} must come before ${names[last]} in ${parent.name}`, child);
    if (rank === last && !repeats.includes(child.name))
      throw invalid('order', `${child.name} stands twice in ${parent.name}`, child);
    last = rank;
  }
}
