// What the schemas of the API's answers are made of.
import { parameterSettings } from '../decide/parameters.ts';
import type { Declaration } from '../settings/declaration.ts';

export const text = { type: 'string' };
export const number = { type: 'number' };
export const flag = { type: 'boolean' };
/** ms since the epoch */
export const time = { type: 'number', description: 'ms since the epoch' };
const word = { type: ['number', 'string', 'boolean', 'array'] };
export const byName = (values: object): object => ({ type: 'object', additionalProperties: values });
export const list = (items: object): object => ({ type: 'array', items });
export const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` });

/** A JSON schema of an object. */
export interface Schema {
  readonly required?: readonly string[];
  readonly [keyword: string]: unknown;
}

/** A JSON text has no fields that are undefined. */
type IsSure<T, K extends keyof T> =
  Pick<T, K> extends Required<Pick<T, K>>
    ? unknown extends T[K]
      ? true
      : undefined extends T[K]
        ? false
        : true
    : false;
type FieldsOf<T> = { readonly [K in keyof T & string as IsSure<T, K> extends true ? K : `${K}?`]-?: object };

/** The type T: this does not compile where a field of it is not described. */
export const exactly = <T>(fields: FieldsOf<T>): object => record(fields);

/** Names that end with ? may be absent; nothing besides is sent. */
export function record(fields: Readonly<Record<string, object>>): Schema {
  const names = Object.keys(fields);
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name.replace('?', ''), fields[name]])),
    required: names.filter((name) => !name.endsWith('?')),
    additionalProperties: false,
  };
}

const settings = (of: (declaration: Declaration) => object, required: readonly string[] = []): object => ({
  type: 'object',
  properties: Object.fromEntries(Object.entries(parameterSettings).map(([name, entry]) => [name, of(entry)])),
  required,
  additionalProperties: false,
});
const everyName = Object.keys(parameterSettings);

/** A value as it is kept: durations in ms. */
function kept(declaration: Declaration): object {
  switch (declaration.type) {
    case 'number':
    case 'whole':
      return declaration.or === undefined ? number : { anyOf: [number, { const: declaration.or }] };
    case 'duration':
    case 'size':
      return number;
    case 'choice':
      return { enum: declaration.choices };
    case 'flag':
      return flag;
    case 'text':
      return text;
    case 'list':
      return list(text);
    case 'name':
      return { type: ['string', 'number'] };
    case 'data':
      return byName(word);
  }
}

/** And as people write it. */
const written = (declaration: Declaration): object =>
  declaration.type === 'duration' || declaration.type === 'size' ? text : kept(declaration);
export const everySetting = { kept: settings(kept, everyName), written: settings(written, everyName) };
/** Some of them; null: the configured value. */
export const patch = settings((declaration) => ({ anyOf: [kept(declaration), { type: 'null' }] }));
