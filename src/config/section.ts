// The schema of a section, from the declarations in it.
import { z } from 'zod';
import {
  isDeclaration,
  type Declaration,
  type QuantityDeclaration,
  type Sections,
  type TextDeclaration,
} from '../settings/declaration.ts';
import { DURATION, SIZE } from '../../epcis/domain/quantity.ts';
import { read, refusal, write } from '../settings/values.ts';
import { writtenName } from './names.ts';

/** Schemas of what has a form of its own, by the setting's name. */
export type Forms = Readonly<Record<string, z.ZodType>>;

/** In JSON schema: a section with nothing below is taken (config/load.ts). */
export const MAY_BE_EMPTY = { type: ['object', 'null'] };

export function sectionOf(sections: Sections, forms: Forms): z.ZodType {
  const entries = Object.entries(sections);
  const shape = entries.map(([name, entry]) => [writtenName(name), schemaOf(name, entry, forms)] as const);
  const given = z.strictObject(Object.fromEntries(shape)).meta(MAY_BE_EMPTY);
  return z.codec(given, z.record(z.string(), z.unknown()), {
    decode: (values) => Object.fromEntries(entries.map(([name]) => [name, values[writtenName(name)]])),
    encode: (values) => Object.fromEntries(entries.map(([name]) => [writtenName(name), values[name]])),
  });
}

function schemaOf(name: string, entry: Declaration | Sections, forms: Forms): z.ZodType {
  const form = forms[name];
  if (!isDeclaration(entry)) return (form ?? sectionOf(entry, forms)).prefault({});
  return (form?.describe(entry.doc) ?? leaf(entry)).prefault(write(entry, entry.default));
}

/** The sentence goes on from the setting's name. */
export const leaf = (declaration: Declaration): z.ZodType =>
  z.codec(z.unknown().meta(jsonSchemaOf(declaration)), z.unknown(), {
    decode(given, context) {
      const result = read(declaration, given);
      if ('value' in result) return result.value;
      context.issues.push({ code: 'custom', input: given, message: result.refused });
      return z.NEVER;
    },
    encode: (value) => write(declaration, value),
  });

/** What the environment or a file is put in for: what it then is, is not seen before (config/file.ts). */
const PLACED = '\\$\\{(?:file:[^}]+|\\w+)\\}';

const written = (pattern: string): Record<string, unknown> => ({
  type: 'string',
  pattern: `^(?:${pattern})$|${PLACED}`,
});

const textSchema = ({ pattern }: TextDeclaration): Record<string, unknown> =>
  pattern === undefined ? { type: 'string' } : written(pattern);

/** `a; b`. */
const onOneLine = ({ pattern = '[^;]*' }: TextDeclaration): Record<string, unknown> =>
  written(`\\s*(?:(?:${pattern})?\\s*;\\s*)*(?:${pattern})?\\s*`);

const quantitySchema = (declaration: QuantityDeclaration): Record<string, unknown> => {
  const { units } = declaration.type === 'size' ? SIZE : DURATION;
  const text = written(`(\\d+(\\.\\d+)?(${Object.keys(units).join('|')}))+`);
  return refusal(declaration, 0) === undefined ? { anyOf: [text, { const: 0 }] } : text;
};

/** Takes what `read` takes; of a quantity it doesn't know the bounds. */
export function jsonSchemaOf(declaration: Declaration): Record<string, unknown> {
  const { doc: description, type } = declaration;
  switch (declaration.type) {
    case 'number':
    case 'whole': {
      const { min: minimum, max: maximum, or } = declaration;
      const number = { type: type === 'whole' ? 'integer' : 'number', minimum, maximum };
      return { description, ...(or === undefined ? number : { anyOf: [written(or), number] }) };
    }
    case 'choice':
      return { description, anyOf: [{ enum: [...declaration.choices] }, { type: 'string', pattern: PLACED }] };
    case 'flag':
      return { description, type: 'boolean' };
    case 'list':
      return { description, anyOf: [{ type: 'array', items: textSchema(declaration) }, onOneLine(declaration)] };
    case 'text':
      return { description, ...textSchema(declaration) };
    case 'name':
      return { description, anyOf: [written('[^]+'), { type: 'integer', minimum: 0 }] };
    case 'data':
      return { description };
    default:
      return { description, ...quantitySchema(declaration) };
  }
}
