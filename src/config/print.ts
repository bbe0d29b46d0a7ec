// The schema in its other forms: YAML of a configuration, the commented example file, CONFIG.md, JSON schema.
import { stringify } from 'yaml';
import { z } from 'zod';
import { schema, type Config } from './schema.ts';

const SECRET = /^(token|secret|password)$/;

export const toYaml = (config: Config): string => stringify(hideSecrets(z.encode(schema, config)), { lineWidth: 0 });

export const jsonSchema = (): object => z.toJSONSchema(schema, { io: 'input' });

/** Secrets, and passwords in URLs, are shown as ***. */
function hideSecrets(value: unknown, key = ''): unknown {
  if (typeof value === 'string') {
    return SECRET.test(key) && value !== '' ? '***' : value.replace(/(:\/\/[^:/@]*):[^@]*@/, '$1:***@');
  }
  if (Array.isArray(value)) return value.map((entry) => hideSecrets(entry));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, hideSecrets(entry, name)]));
}

interface Leaf {
  readonly path: readonly string[];
  readonly description: string;
  readonly type: string;
  readonly value: unknown;
}

interface Section {
  readonly properties?: Record<string, Section>;
  readonly description?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
}

/** All settings with their defaults, in the schema's order. */
export function settings(): readonly Leaf[] {
  const defaults = z.encode(schema, schema.parse({}));
  return leaves(jsonSchema(), defaults, []);
}

function leaves(section: Section, value: unknown, path: readonly string[]): Leaf[] {
  if (section.properties === undefined) {
    const type = section.enum?.join(' \\| ') ?? section.type ?? 'any';
    return [{ path, description: section.description ?? '', type, value }];
  }
  return Object.entries(section.properties).flatMap(([name, child]) =>
    leaves(child, (value as Record<string, unknown> | undefined)?.[name], [...path, name]),
  );
}

/** The shipped example: every setting at its default, with its description. A test keeps it equal to the defaults. */
export function exampleFile(): string {
  const lines = ['# Every setting of mmeliot at its default. Copy what you change to mmeliot.yaml.'];
  let section: readonly string[] = [];
  for (const { path, description, value } of settings()) {
    const parents = path.slice(0, -1);
    parents.forEach((name, depth) => {
      if (section[depth] !== name || section.length <= depth) lines.push(`${'  '.repeat(depth)}${name}:`);
    });
    section = parents;
    const indent = '  '.repeat(parents.length);
    const text = stringify({ [path.at(-1) ?? '']: value }, { lineWidth: 0 }).trimEnd();
    lines.push(`${indent}# ${description}`, text.replace(/^/gm, indent));
  }
  return `${lines.join('\n')}\n`;
}

export function reference(): string {
  const rows = settings().map(
    ({ path, description, type, value }) =>
      `| \`${path.join('.')}\` | ${type} | ${value === '' || value === undefined ? '' : `\`${JSON.stringify(value).replaceAll('|', '\\|')}\``} | ${description} |`,
  );
  return [
    '# Settings',
    '',
    'Made from `schema.ts` by `npm run docs`.',
    '',
    '| setting | type | default | what it is |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}
