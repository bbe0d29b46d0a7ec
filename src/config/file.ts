// The configuration file: YAML, with environment variables put in, and the place of each setting in it.
import { visit, type Document } from 'yaml';
import { MmeliotError } from '../errors.ts';
import { readWhole, whyUnreadable } from '../../epcis/files/read-whole.ts';
import { faultIn, parseYaml, placesIn, type Place } from '../files/yaml-places.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** `default`, a place in the file, or `command line`. */
export type OriginOf = (path: readonly string[]) => string;

export interface ConfigFile {
  readonly value: Record<string, unknown>;
  readonly place: Place;
  /** Whether the file says something at that path, and which variables of the environment stand in it. */
  readonly says: (path: readonly PropertyKey[]) => boolean;
  readonly variables: (path: readonly PropertyKey[]) => readonly string[];
  /** As it is written, and the files of which it takes what they hold. */
  readonly text: string;
  readonly takesFrom: readonly string[];
}

export const readConfigFile = (file: string, env: Environment): ConfigFile => readConfigText(textOf(file), file, env);

export function readConfigText(text: string, file: string, env: Environment): ConfigFile {
  const parsed = parseYaml(text);
  if (parsed === undefined) throw invalid(`${file}: this is not a YAML configuration: it is nested too deeply`);
  const { document, lines } = parsed;
  const { at, place } = placesIn(document, lines, file);
  const fault = faultIn(document);
  if (fault !== undefined)
    throw invalid(`${at(fault.offset)}: this is not a YAML configuration: ${fault.sentence}`, fault.cause);
  visit(document, {
    Alias(_, alias, above) {
      const to = alias.resolve(document);
      if (to === undefined)
        throw invalid(
          `${at(alias.range?.[0])}: *${alias.source} stands for nothing: there is no &${alias.source} before it`,
        );
      if (above.includes(to))
        throw invalid(`${at(alias.range?.[0])}: *${alias.source} stands for what it is a part of`);
    },
  });
  const value = contentOf(document, file);
  if (typeof value !== 'object' || Array.isArray(value))
    throw invalid(`${file} is not a YAML configuration: it holds no mapping of keys to values`);
  return {
    value: withEnvironment(value as Record<string, unknown>, [], env, place),
    place,
    text,
    takesFrom: [...JSON.stringify(value).matchAll(VARIABLE)].flatMap(([, from]) => from ?? []),
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

/** Throws where it is something else. */
const UTF8 = new TextDecoder('utf-8', { fatal: true });

function textOf(file: string): string {
  try {
    return UTF8.decode(readWhole(file));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'does not exist' : whyUnreadable(error).replace(/UTF-8$/, '$&: save it as such');
    throw invalid(`the configuration file ${file} ${why}`, error);
  }
}

const VARIABLE = /\$\{(?:file:([^}]+)|(\w+))\}/g;

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((section, key) => (section as Readonly<Record<PropertyKey, unknown>> | null)?.[key], value);

/** Without the line's end that editors write. */
function secretIn(file: string, at: string): string {
  const found = contentsOf(file, at).trimEnd();
  // a password, a token: without it anybody may come in
  if (found === '') throw invalid(`${at}: ${file}, which is to be put here, is empty`);
  return found;
}

function contentsOf(file: string, at: string): string {
  try {
    return UTF8.decode(readWhole(file));
  } catch (error) {
    throw invalid(`${at}: ${file}, which is to be put here, ${whyUnreadable(error)}`, error);
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
