// The schema in its other forms: YAML of a configuration, the commented example file, CONFIG.md, JSON schema.
import { stringify } from 'yaml';
import { z } from 'zod';
import { policies, policyNames } from '../decide/policies/index.ts';
import { isDeclaration, type Declaration, type Sections } from '../settings/declaration.ts';
import { expected, write } from '../settings/values.ts';
import { writtenName } from './names.ts';
import { schema, settings, type Config } from './schema.ts';
import { hideSecrets } from './secrets.ts';

export const toYaml = (config: Config): string => stringify(hideSecrets(z.encode(schema, config)), { lineWidth: 0 });

export const jsonSchema = (): object => z.toJSONSchema(schema, { io: 'input' });

export interface Setting {
  readonly path: readonly string[];
  readonly declaration: Declaration;
  /** Its default, as people write it. */
  readonly value: unknown;
}

/** All settings in the order of the schema. */
export function listed(sections: Sections = settings, path: readonly string[] = []): readonly Setting[] {
  return Object.entries(sections).flatMap(([name, entry]) => {
    const here = [...path, writtenName(name)];
    if (!isDeclaration(entry)) return listed(entry, here);
    return [{ path: here, declaration: entry, value: write(entry, entry.default) }];
  });
}

/** The shipped example: every setting at its default, with its description. A test keeps it equal to the defaults. */
export function exampleFile(): string {
  const lines = ['# Every setting of mmeliot at its default. Copy what you change to mmeliot.yaml.'];
  let section: readonly string[] = [];
  for (const { path, declaration, value } of listed()) {
    const parents = path.slice(0, -1);
    parents.forEach((name, depth) => {
      if (section[depth] !== name || section.length <= depth) lines.push(`${'  '.repeat(depth)}${name}:`);
    });
    section = parents;
    const indent = '  '.repeat(parents.length);
    const text = stringify({ [path.at(-1) ?? '']: value }, { lineWidth: 0 }).trimEnd();
    lines.push(`${indent}# ${declaration.doc}`, text.replace(/^/gm, indent));
  }
  return `${lines.join('\n')}\n`;
}

export function reference(): string {
  return [
    '# Settings',
    '',
    'Made by `npm run docs` from the declarations that `schema.ts` puts together. A duration is written with its unit (500ms, 10s, 2m, 1h30m, 7d), and so',
    'is a size (64kB, 100MB, 8MiB, 1GiB).',
    '',
    ...table(listed().map(({ path, declaration, value }) => [path.join('.'), declaration, value])),
    '## Parameters of the policies',
    '',
    'Set by name under `elasticity.policyParameters`; each policy knows its own only.',
    '',
    ...policyNames.flatMap((name) => {
      const { doc, parameters } = policies[name];
      const rows = Object.entries(parameters).map(
        ([own, declaration]) => [own, declaration, write(declaration, declaration.default)] as const,
      );
      return [
        `### ${name}`,
        '',
        doc,
        '',
        ...(rows.length > 0 ? table(rows) : ['It has no parameters of its own.', '']),
      ];
    }),
  ].join('\n');
}

function table(rows: readonly (readonly [name: string, declaration: Declaration, value: unknown])[]): string[] {
  const cell = (text: string): string => text.replaceAll('|', '\\|');
  return [
    '| setting | type | default | what it is |',
    '| --- | --- | --- | --- |',
    ...rows.map(
      ([name, declaration, value]) =>
        `| \`${name}\` | ${cell(typeOf(declaration))} | ${value === '' ? '' : cell(`\`${JSON.stringify(value)}\``)} | ${cell(declaration.doc)} |`,
    ),
    '',
  ];
}

/** `whole number, 1 to 60`. */
function typeOf(declaration: Declaration): string {
  switch (declaration.type) {
    case 'choice':
      return declaration.choices.join(' | ');
    case 'flag':
      return 'true | false';
    case 'data':
      return Array.isArray(declaration.default) ? 'list' : 'names with values';
    case 'text':
    case 'list':
      return declaration.type;
    default:
      return expected(declaration).replace(/^an? | such as .*$/g, '');
  }
}
