// Configuration from its layers: defaults < file < --set. Everything wrong ends in one sentence (CONFIG_INVALID).
import { existsSync, readFileSync } from 'node:fs';
import { parse, YAMLParseError } from 'yaml';
import type { z } from 'zod';
import { MmeliotError } from '../errors.ts';
import { contradictions } from './rules.ts';
import { schema, type Config } from './schema.ts';

export const DEFAULT_FILE = 'mmeliot.yaml';

export interface ConfigSource {
  /** A file that must exist; without one, mmeliot.yaml is read where it exists. */
  readonly file?: string;
  /** `gateway.port=9090`; the value is YAML. */
  readonly set?: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function loadConfig(source: ConfigSource): Config {
  const file = source.file ?? (existsSync(DEFAULT_FILE) ? DEFAULT_FILE : undefined);
  const input = file === undefined ? {} : readFile(file, source.env);
  for (const assignment of source.set ?? []) assign(input, assignment);
  return parseConfig(input, file ?? 'the command line');
}

export function parseConfig(input: unknown, where: string): Config {
  const parsed = schema.safeParse(input);
  if (!parsed.success)
    throw new MmeliotError('CONFIG_INVALID', `${where}: ${parsed.error.issues.map(sentence).join('; ')}.`);
  const [contradiction] = contradictions(parsed.data);
  if (contradiction !== undefined) throw new MmeliotError('CONFIG_INVALID', `${where}: ${contradiction}`);
  return parsed.data;
}

function readFile(file: string, env: ConfigSource['env']): Record<string, unknown> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'does not exist' : 'cannot be read';
    throw new MmeliotError('CONFIG_INVALID', `the configuration file ${file} ${why}.`, { cause: error });
  }
  try {
    const value: unknown = parse(text) ?? {};
    if (typeof value !== 'object' || Array.isArray(value)) throw new Error('it holds no mapping of keys to values');
    return withEnvironment(value as Record<string, unknown>, env, file);
  } catch (error) {
    if (error instanceof MmeliotError) throw error;
    const why = error instanceof YAMLParseError ? error.message.split('\n')[0] : (error as Error).message;
    throw new MmeliotError('CONFIG_INVALID', `${file} is not a YAML configuration: ${why}`, { cause: error });
  }
}

/** `${NAME}` in a string becomes that environment variable, so that secrets can stay out of the file. */
function withEnvironment<T>(value: T, env: ConfigSource['env'], file: string): T {
  if (typeof value === 'string') {
    return value.replace(/\$\{(\w+)\}/g, (_, name: string) => {
      const found = env[name];
      if (found === undefined)
        throw new MmeliotError('CONFIG_INVALID', `${file} uses \${${name}}, which is not set in the environment.`);
      return found;
    }) as T;
  }
  if (Array.isArray(value)) return value.map((entry: unknown) => withEnvironment(entry, env, file)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [key, withEnvironment<unknown>(entry, env, file)]),
  ) as T;
}

function assign(input: Record<string, unknown>, assignment: string): void {
  const at = assignment.indexOf('=');
  if (at < 1)
    throw new MmeliotError(
      'CONFIG_INVALID',
      `--set ${assignment}: key=value is expected, for instance gateway.port=9090.`,
    );
  const keys = assignment.slice(0, at).split('.');
  const last = keys.pop() ?? '';
  let section = input;
  for (const key of keys) {
    if (!Object.hasOwn(section, key) || typeof section[key] !== 'object' || section[key] === null) section[key] = {};
    section = section[key] as Record<string, unknown>;
  }
  const text = assignment.slice(at + 1);
  // a value such as "sqlite: x" or a bare URL stays the string it was typed as
  const value: unknown = /^[\d.+-]|^(true|false|\[.*\])$/.test(text) ? parse(text) : text;
  Object.defineProperty(section, last, { value, enumerable: true, writable: true, configurable: true });
}

function sentence(issue: z.core.$ZodIssue): string {
  const path = issue.path.join('.');
  if (issue.code === 'unrecognized_keys') {
    const keys = issue.keys.map((key) => `"${path === '' ? key : `${path}.${key}`}"`).join(', ');
    return `there is no setting ${keys} (mmeliot config print shows all of them)`;
  }
  const message = issue.message.replace(/^Invalid (input|option): /, '');
  return `${path === '' ? 'the configuration' : path}: ${message}`;
}
