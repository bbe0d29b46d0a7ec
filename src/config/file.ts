// The configuration file: YAML, with environment variables put in, and the place of each setting in it.
import { readFileSync } from 'node:fs';
import { isMap, isNode, isPair, LineCounter, parseDocument, visit, type Document } from 'yaml';
import { MmeliotError } from '../errors.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** `mmeliot.yaml, line 3, column 7`; empty where it is not known. */
export type Place = (path: readonly PropertyKey[]) => string;

/** `default`, a place in the file, or `command line`. */
export type OriginOf = (path: readonly string[]) => string;

export interface ConfigFile {
  readonly value: Record<string, unknown>;
  readonly place: Place;
  /** Whether the file says something at that path, and which variables of the environment stand in it. */
  readonly says: (path: readonly PropertyKey[]) => boolean;
  readonly variables: (path: readonly PropertyKey[]) => readonly string[];
}

export const readConfigFile = (file: string, env: Environment): ConfigFile => readConfigText(textOf(file), file, env);

export function readConfigText(text: string, file: string, env: Environment): ConfigFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const at = (offset: number | undefined): string => {
    if (offset === undefined) return '';
    const { line, col } = lines.linePos(offset);
    return `${file}, line ${line}, column ${col}`;
  };
  const [error] = document.errors;
  if (error !== undefined)
    throw invalid(`${at(error.pos[0])}: this is not a YAML configuration: ${error.message}`, error);
  visit(document, {
    Alias(_, alias, above) {
      if (above.includes(alias.resolve(document) as (typeof above)[number]))
        throw invalid(`${at(alias.range?.[0])}: *${alias.source} stands for what it is a part of`);
    },
  });
  const place: Place = (path) => at(offsetOf(document, path));
  const value = contentOf(document, file);
  if (typeof value !== 'object' || Array.isArray(value))
    throw invalid(`${file} is not a YAML configuration: it holds no mapping of keys to values`);
  return {
    value: withEnvironment(value as Record<string, unknown>, [], env, place),
    place,
    says: (path) => document.hasIn(path),
    variables: (path) => [...JSON.stringify(valueAt(value, path) ?? '').matchAll(VARIABLE)].map(([written]) => written),
  };
}

/** Aliases are looked up only here: those of nothing, and more of them than anybody writes, end in an error of the library. */
function contentOf(document: Document, file: string): unknown {
  try {
    return document.toJS() ?? {};
  } catch (error) {
    throw invalid(`${file}: this is not a YAML configuration: ${(error as Error).message}`, error);
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'does not exist' : 'cannot be read';
    throw invalid(`the configuration file ${file} ${why}`, error);
  }
}

/** Where the key of that path stands, or the entry of a list; of what isn't there, the nearest section above it. */
function offsetOf(document: Document, path: readonly PropertyKey[]): number | undefined {
  const [key, section] = [path.at(-1), path.slice(0, -1)];
  const parent: unknown = section.length === 0 ? document.contents : document.getIn(section, true);
  if (isMap(parent)) {
    const pair = parent.items.find((each) => isPair(each) && String(each.key) === String(key));
    if (pair !== undefined && isNode(pair.key)) return pair.key.range?.[0];
  }
  const node: unknown = document.getIn(path, true);
  if (isNode(node)) return node.range?.[0];
  return path.length === 0 ? undefined : offsetOf(document, section);
}

const VARIABLE = /\$\{(?:file:([^}]+)|(\w+))\}/g;

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((section, key) => (section as Readonly<Record<PropertyKey, unknown>> | null)?.[key], value);

/** Without the line's end that editors write. */
function secretIn(file: string, at: string): string {
  try {
    return readFileSync(file, 'utf8').trimEnd();
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code;
    throw invalid(`${at}: ${file}, which is to be put here, cannot be read (${why})`, error);
  }
}

/** `${NAME}` in a string becomes that environment variable, `${file:/path}` what that file holds: secrets can stay out of this one. */
function withEnvironment<T>(value: T, path: readonly PropertyKey[], env: Environment, place: Place): T {
  if (typeof value === 'string') {
    return value.replace(VARIABLE, (_, file: string | undefined, name: string) => {
      if (file !== undefined) return secretIn(file, place(path));
      const found = env[name];
      if (found === undefined) throw invalid(`${place(path)}: \${${name}} is not set in the environment`);
      return found;
    }) as T;
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(
    ([key, entry]) =>
      [key, withEnvironment<unknown>(entry, [...path, Array.isArray(value) ? Number(key) : key], env, place)] as const,
  );
  return (Array.isArray(value) ? entries.map(([, entry]) => entry) : Object.fromEntries(entries)) as T;
}

const invalid = (what: string, cause?: unknown): MmeliotError =>
  new MmeliotError('CONFIG_INVALID', /[.?]$/.test(what) ? what : `${what}.`, { cause });
