// Configuration from its layers: defaults < file < --set. Everything wrong ends in one sentence (CONFIG_INVALID).
import { existsSync } from 'node:fs';
import type { z } from 'zod';
import { MmeliotError } from '../errors.ts';
import { isDeclaration } from '../settings/declaration.ts';
import { asSentence } from '../settings/values.ts';
import { parseAssignment } from './assignments.ts';
import type { Place } from '../files/yaml-places.ts';
import { readConfigFile, type ConfigFile, type Environment, type OriginOf } from './file.ts';
import { entryAt, writtenName } from './names.ts';
import { contradictions } from './rules.ts';
import { schema, settings, type Config } from './schema.ts';
import { hideSecrets, secretsIn } from './secrets.ts';
import { unknownField, unknownSetting } from './unknown.ts';

const DEFAULT_FILE = 'mmeliot.yaml';

export interface ConfigSource {
  /** A file that must exist; without one, mmeliot.yaml is read where it exists. */
  readonly file?: string;
  /** `gateway.port=9090`; the value is YAML. */
  readonly set?: readonly string[];
  readonly env: Environment;
}

export const loadConfig = (source: ConfigSource): Config => loadWithOrigins(source).config;

export interface Loaded {
  readonly config: Config;
  readonly originOf: OriginOf;
  readonly secretFiles: readonly string[];
}

export function loadWithOrigins({ file, set = [], env }: ConfigSource): Loaded {
  const path = file ?? (existsSync(DEFAULT_FILE) ? DEFAULT_FILE : undefined);
  const read = path === undefined ? noFile() : readConfigFile(path, env);
  const assigned = new Map(set.map((assignment) => [assign(read.value, assignment), shown(assignment)]));
  const placeOf: Place = (at) => assignedAt(assigned, at) ?? read.place(at);
  const config = parseConfig(read.value, path ?? 'the command line', placeOf);
  return { config, originOf: originIn(read, assigned), secretFiles: secretFiles(config, path ?? '', read, set) };
}

const EXAMPLE = 'gateway.port=9090';

/** With *** where it is a secret, or holds a password. */
function shown(assignment: string): string {
  const [name, value] = parseAssignment(assignment, EXAMPLE);
  const hidden = hideSecrets(value, entryAt(settings, name.split('.')));
  return `--set ${name}=${typeof hidden === 'string' ? hidden : JSON.stringify(hidden)}`;
}

/** What --set adds to: a value of its own for each. */
const noFile = (): ConfigFile => ({
  ...{ value: {}, text: '', takesFrom: [] },
  ...{ place: () => '', says: () => false, variables: () => [] },
});

/** What holds secrets, and nobody but this user, or a group of its choice, should read. */
function secretFiles(
  config: Config,
  path: string,
  { text, takesFrom }: ConfigFile,
  set: readonly string[],
): readonly string[] {
  const { gateway, admin, opennebula } = config;
  const keys = [gateway.tls.key, gateway.control.tls.key, admin.tls.key, opennebula.passwordFile];
  const secrets = secretsIn(config).filter((secret) => secret !== '');
  const hasOne = (said: string): boolean => secrets.some((secret) => said.includes(secret));
  return [
    ...(hasOne(text) ? [path] : []),
    ...(set.some(hasOne) ? [COMMAND_LINE] : []),
    ...takesFrom,
    ...keys.filter((key) => key !== ''),
  ];
}

/** What `ps` shows everybody. */
const COMMAND_LINE = '/proc/self/cmdline';

function originIn({ place, says, variables }: ConfigFile, assigned: ReadonlyMap<string, string>): OriginOf {
  return (path) => {
    const name = path.join('.');
    const above = assignedAt(assigned, path) !== undefined;
    const below = [...assigned.keys()].some((at) => at.startsWith(`${name}.`));
    const from = [
      ...(says(path) && !above ? [place(path), ...variables(path).map((variable) => `environment ${variable}`)] : []),
      ...(above || below ? ['command line'] : []),
    ];
    return from.join(' and ') || 'default';
  };
}

/** `where` names the whole; `place` one setting in it, where that is known better. */
export function parseConfig(input: unknown, where: string, place: Place = () => ''): Config {
  const parsed = schema.safeParse(withoutEmpty(input));
  if (!parsed.success) {
    const wrong = parsed.error.issues
      .flatMap(wrongOf)
      .map(({ path, sentence }) => ({ at: place(path) || where, sentence }));
    const told = wrong.map(({ at, sentence }, i) => (at === wrong[i - 1]?.at ? sentence : `${at}: ${sentence}`));
    throw new MmeliotError('CONFIG_INVALID', asSentence(told.join('; ').replaceAll('?;', '?')));
  }
  const config = parsed.data as Config;
  const [contradiction] = contradictions(config);
  if (contradiction !== undefined)
    throw new MmeliotError('CONFIG_INVALID', `${placeOf(contradiction, place) ?? where}: ${contradiction}`);
  return config;
}

/** A section all of whose settings are commented out says nothing, but for a role: that there is one. */
function withoutEmpty(input: unknown, path: readonly string[] = []): unknown {
  const isOfRoles = path[0] === 'roles';
  if (isOfRoles && path.length > 1) return input ?? {};
  const entry = entryAt(settings, path);
  if (entry === undefined || (isDeclaration(entry) && !isOfRoles)) return input;
  if (input === null) return undefined;
  if (typeof input !== 'object' || Array.isArray(input)) return input;
  return Object.fromEntries(Object.entries(input).map(([key, value]) => [key, withoutEmpty(value, [...path, key])]));
}

/** Where the first of the settings that a sentence names was set: `elasticity: min (5) must not be above max (2).` */
function placeOf(sentence: string, place: Place): string | undefined {
  const names = sentence.matchAll(/(?<=^|[\s,])([a-z]\w*(?:\.\w+)*)(?:: (\w+))?/g);
  return [...names]
    .flatMap(([, name = '', below]) => [...(below === undefined ? [] : [`${name}.${below}`]), name])
    .map((name) => name.split('.'))
    .filter((path) => entryAt(settings, path) !== undefined || path[0] === 'roles')
    .map(place)
    .find((found) => found !== '');
}

/** Puts the value at its place and returns its path. */
function assign(input: Record<string, unknown>, assignment: string): string {
  const [path, value] = parseAssignment(assignment, EXAMPLE);
  const keys = path.split('.');
  const last = keys.pop() ?? '';
  let section = input;
  for (const key of keys) {
    if (!Object.hasOwn(section, key) || typeof section[key] !== 'object' || section[key] === null)
      define(section, key, {});
    section = section[key] as Record<string, unknown>;
  }
  define(section, last, value);
  return path;
}

/** A key called `__proto__` is a key like any other: there is no such setting. */
function define(section: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(section, key, { value, enumerable: true, writable: true, configurable: true });
}

/** The last assignment at this path or above it. */
function assignedAt(assigned: ReadonlyMap<string, string>, path: readonly PropertyKey[]): string | undefined {
  const name = path.join('.');
  return [...assigned].findLast(([at]) => name === at || name.startsWith(`${at}.`))?.[1];
}

interface Wrong {
  readonly path: readonly PropertyKey[];
  readonly sentence: string;
}

function wrongOf(issue: z.core.$ZodIssue): readonly Wrong[] {
  const { path } = issue;
  const section = entryAt(settings, path);
  if (issue.code === 'invalid_type' && section !== undefined && !isDeclaration(section)) {
    const example = [...path, writtenName(Object.keys(section)[0] ?? '')].join('.');
    return [{ path, sentence: `${path.join('.')} is a section, with settings such as ${example}` }];
  }
  if (issue.code !== 'unrecognized_keys') return [{ path, sentence: sentenceOf(path, issue.message) }];
  return issue.keys.map((key) => ({
    path: [...path, key],
    sentence:
      section === undefined || isDeclaration(section) ? unknownField(path, key) : unknownSetting(section, path, key),
  }));
}

/** Our own messages go on from the setting's name, zod's are of the form `Invalid input: expected string`. */
function sentenceOf(path: readonly PropertyKey[], message: string): string {
  const name = path.length === 0 ? 'the configuration' : path.join('.');
  return message.startsWith('is ')
    ? `${name} ${message}`
    : `${name}: ${message.replace(/^Invalid (input|option): /, '').replace(/^expected (\w+), received (\w+)$/, inWords)}`;
}

const inWords = (_: string, expected: string, given: string): string =>
  `${KINDS[expected] ?? expected} is expected, and it is ${KINDS[given] ?? given}`;

const KINDS: Readonly<Record<string, string>> = {
  ...{ object: 'a mapping of names to values', record: 'a mapping of names to values', array: 'a list' },
  ...{ string: 'a text', number: 'a number', boolean: 'true or false', null: 'empty', undefined: 'missing' },
};
