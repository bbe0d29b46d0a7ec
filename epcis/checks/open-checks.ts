// The operator's file of checks and the schemas it names, read once at the start. What is wrong ends in one sentence.
import { dirname, extname, resolve } from 'node:path';
import { parse } from 'yaml';
import { readWhole, whyUnreadable } from '../files/read-whole.ts';
import type { Checks, NamespaceSchema } from './checks.ts';
import { readDeclaration, type SchemaFile } from './declaration.ts';
import type { Schema } from './schema.ts';

/** A schema is for people to read. */
const MOST_BYTES = 1024 * 1024;

export async function openChecks(file: string): Promise<Checks> {
  const text = textOf(file, 'the file of checks');
  const { schemas, rules } = within(file, () => readDeclaration(parse(text)));
  const opened = new Map<string, NamespaceSchema>();
  for (const each of schemas) {
    if (opened.has(each.namespace)) throw new Error(`${file}: ${each.namespace} has two schemas.`);
    const schema = await openSchema(resolve(dirname(file), each.file), each);
    opened.set(each.namespace, { schema, refuses: each.refuses });
  }
  return { schemas: opened, rules };
}

/** What reads a schema is loaded for the first one of its kind. */
async function openSchema(path: string, { namespace }: SchemaFile): Promise<Schema> {
  const text = textOf(path, 'a schema');
  if (extname(path).toLowerCase() === '.xsd') {
    const { xmlSchema } = await import('./xsd.ts');
    return within(path, () => xmlSchema(text));
  }
  const { jsonSchema } = await import('./json-schema.ts');
  return within(path, () => jsonSchema(text, namespace));
}

function textOf(file: string, what: string): string {
  try {
    return readWhole(file, { mostBytes: MOST_BYTES }).toString();
  } catch (error) {
    throw new Error(`${file}, ${what}, ${whyUnreadable(error)}.`, { cause: error });
  }
}

function within<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const reason = (error as Error).message.replace(/\s+/g, ' ').trim().replace(/\.$/, '');
    throw new Error(`${file}: ${reason}.`, { cause: error });
  }
}
