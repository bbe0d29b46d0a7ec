// The schema of a section, from the declarations in it.
import { z } from 'zod';
import { isDeclaration, type Declaration, type Sections, type TextDeclaration } from '../settings/declaration.ts';
import { read, write } from '../settings/values.ts';
import { writtenName } from './names.ts';

/** Schemas of what has a form of its own, by the setting's name. */
export type Forms = Readonly<Record<string, z.ZodType>>;

export function sectionOf(sections: Sections, forms: Forms): z.ZodType {
  const entries = Object.entries(sections);
  const shape = entries.map(([name, entry]) => [writtenName(name), schemaOf(name, entry, forms)] as const);
  return z.codec(z.strictObject(Object.fromEntries(shape)), z.record(z.string(), z.unknown()), {
    decode: (given) => Object.fromEntries(entries.map(([name]) => [name, given[writtenName(name)]])),
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

const textSchema = ({ pattern }: TextDeclaration): Record<string, unknown> => ({
  type: 'string',
  ...(pattern !== undefined && { pattern: `^(?:${pattern})$` }),
});

function jsonSchemaOf(declaration: Declaration): Record<string, unknown> {
  const { doc: description, type } = declaration;
  switch (declaration.type) {
    case 'number':
    case 'whole': {
      const { min: minimum, max: maximum, or } = declaration;
      const number = { type: type === 'whole' ? 'integer' : 'number', minimum, maximum };
      return { description, ...(or === undefined ? number : { anyOf: [{ const: or }, number] }) };
    }
    case 'choice':
      return { description, enum: [...declaration.choices] };
    case 'flag':
      return { description, type: 'boolean' };
    case 'list':
      return { description, type: 'array', items: textSchema(declaration) };
    case 'text':
      return { description, ...textSchema(declaration) };
    case 'name':
      return { description, type: ['string', 'integer'] };
    case 'data':
      return { description };
    default:
      return { description, type: 'string' };
  }
}
