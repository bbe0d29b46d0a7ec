// An XML Schema for the fields of a namespace: each is validated as a document of its own, by the schema's global elements.
// Loaded only where one is registered: libxml2 takes 5 MB and 0.3 s.
import { XmlDocument, XmlValidateError, XsdValidator, type XmlLibError } from 'libxml2-wasm';
import { writeAlone } from '../bindings/xml/write-fields.ts';
import { bounded } from './bounded.ts';
import type { FieldFault, Schema } from './schema.ts';
import type { Field } from '../domain/event.ts';

/** Throws one sentence where the text is no schema, or imports another one: nothing is ever fetched. */
export function xmlSchema(text: string): Schema {
  const validator = XsdValidator.fromDoc(XmlDocument.fromString(text));
  let slow = false;
  return (fields) => {
    // libxml2 that was stopped in the middle of its work is not asked again
    if (slow) return 'too slow';
    const done = bounded(() => fields.flatMap((field) => faultsOf(validator, field)));
    slow = done === undefined;
    return done?.result ?? 'too slow';
  };
}

function faultsOf(validator: XsdValidator, field: Field): FieldFault[] {
  const document = XmlDocument.fromString(writeAlone(field));
  try {
    validator.validate(document);
    return [];
  } catch (error) {
    if (!(error instanceof XmlValidateError)) throw error;
    const pointer = `/${field.prefix === undefined ? '' : `${field.prefix}:`}${field.name}`;
    return sentences(error).map((reason) => ({ pointer, reason }));
  }
}

/** `Element '{urn:x}a': [facet 'pattern'] The value …` → a sentence without the namespace. */
function sentences({ details, message }: XmlLibError): string[] {
  const all = details?.filter(({ level }) => level > 1).map((each) => each.message) ?? [];
  return (all.length === 0 ? [message] : all).map((each) => each.replace(/\{[^}]*\}/g, '').replace(/\.?\s*$/, ''));
}
