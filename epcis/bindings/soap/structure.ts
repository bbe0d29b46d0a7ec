// Whether a message holds what its schema has. An element that is misspelt or stands twice would be a filter that nobody applies.
import { EpcisException } from '../../domain/exceptions.ts';
import type { Element } from './element.ts';
import { queryNamespace } from './envelope.ts';
import { MESSAGES, QUERY_TYPES, type Fields } from './schema.ts';

/** What the schema lets others add to. */
const OPEN = new Set(['controls', 'schedule']);
/** Toolkits qualify inner elements, which the schema does not. */
const OURS = new Set(['', queryNamespace(1), queryNamespace(2)]);

/** The order is not looked at: it changes nothing here. */
export function checkMessage(operation: Element): void {
  check(operation, MESSAGES[operation.name] ?? []);
}

function check(element: Element, fields: Fields): void {
  if (element.text !== '') throw wrong(`${element.name} holds text ('${element.text.slice(0, 40)}').`);
  const seen = new Set<string>();
  for (const part of element.children) {
    if (OPEN.has(element.name) && (part.name === 'extension' || !OURS.has(part.namespace))) continue;
    const [name, type = '', occurs] = fields.find((field) => field.split(' ')[0] === part.name)?.split(' ') ?? [];
    if (name === undefined || !OURS.has(part.namespace))
      throw wrong(`${element.name} holds ${part.name}, which it has not in the standard.`);
    if (seen.has(name) && occurs !== '*') throw wrong(`${name} stands twice in ${element.name}.`);
    seen.add(name);
    checkContent(part, type);
  }
}

function checkContent(part: Element, type: string): void {
  const inner = Object.hasOwn(QUERY_TYPES, type) ? QUERY_TYPES[type] : undefined;
  if (inner !== undefined) check(part, inner);
  else if (part.children.length > 0) {
    // a value is a list of strings, or text, or nothing
    if (type !== 'xsd:anyType') throw wrong(`${part.name} holds ${part.children[0]?.name}, not text alone.`);
    check(part, QUERY_TYPES['ArrayOfString'] ?? []);
  }
}

const wrong = (reason: string): EpcisException => new EpcisException('ValidationException', reason);
