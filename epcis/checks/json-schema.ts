// A JSON Schema (2020-12) for the fields of a namespace. Loaded only where one is registered: Ajv takes 9 MB and 0.1 s.
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import type { Field } from '../domain/event.ts';
import { bounded } from './bounded.ts';
import { asJson, pointerOf } from './fields.ts';
import type { FieldFault, Schema } from './schema.ts';

/** Throws one sentence where the text is no schema, or needs another one: nothing is ever fetched. */
export function jsonSchema(text: string, namespace: string): Schema {
  const schema = JSON.parse(text) as object;
  // XML has no numbers: there a text that is one will do
  const [strict, lenient] = [false, true].map((coerceTypes) =>
    new Ajv2020({ allErrors: true, strict: false, validateFormats: false, coerceTypes, logger: false }).compile(schema),
  );
  return (fields, format) => {
    const validate = format === 'json' ? strict : lenient;
    const instance = asJson(fields, namespace);
    const done = bounded(() => validate?.(instance));
    if (done === undefined) return 'too slow';
    return done.result === true ? [] : (validate?.errors ?? []).map((error) => faultOf(error, fields));
  };
}

function faultOf({ instancePath, message = 'is wrong', params }: ErrorObject, fields: readonly Field[]): FieldFault {
  const detail = Object.values(params as Record<string, unknown>).filter((value) => typeof value === 'string');
  const path = instancePath.replace(/^\//, '').replaceAll('/', '.') || 'the fields';
  const more = detail.length === 0 || message.includes(String(detail[0])) ? '' : ` (${detail.join(', ')})`;
  return { pointer: pointerOf(fields, instancePath), reason: `${path} ${message}${more}` };
}
