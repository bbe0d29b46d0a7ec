// The elasticity settings for the page: what each is, with its value as people write it. The page's fields come from this.
import { settingsOf, writeParameters, type ElasticityParameters } from '../decide/parameters.ts';
import { policies } from '../decide/policies/index.ts';
import type { Role } from '../model.ts';
import type { Declaration, Declarations } from '../settings/declaration.ts';
import { expected, write } from '../settings/values.ts';

export interface SettingView {
  /** As a change names it: `high`, `policyParameters.nearness`. */
  readonly name: string;
  readonly doc: string;
  /** What a value may be, in words. */
  readonly expected: string;
  readonly kind: 'number' | 'text' | 'choice';
  readonly unit?: string;
  readonly choices?: readonly (string | boolean)[];
  readonly value: unknown;
  /** What the policy in force goes by; the others are set once and left alone. */
  readonly isMain: boolean;
}

export function settingsView(parameters: ElasticityParameters, role?: Role): readonly SettingView[] {
  const definition = policies[parameters.policy];
  const values = writeParameters(parameters);
  const main = new Set(['policy', 'min', 'max', ...definition.thresholds(parameters).map(({ name }) => name)]);
  const common = Object.entries<Declaration>(settingsOf(role))
    .filter(([, { type }]) => type !== 'data')
    .map(([name, declaration]) => viewOf(name, declaration, values[name], main.has(name)));
  return [...common, ...ownViews(definition.parameters, parameters.policyParameters)];
}

const ownViews = (declarations: Declarations, own: Readonly<Record<string, unknown>>): readonly SettingView[] =>
  Object.entries(declarations).map(([name, declaration]) =>
    viewOf(`policyParameters.${name}`, declaration, write(declaration, own[name] ?? declaration.default), true),
  );

function viewOf(name: string, declaration: Declaration, value: unknown, isMain: boolean): SettingView {
  const about = { name, doc: declaration.doc, expected: expected(declaration), value, isMain };
  switch (declaration.type) {
    case 'number':
    case 'whole':
      return { ...about, kind: 'number', ...(declaration.unit !== undefined && { unit: declaration.unit }) };
    case 'choice':
      return { ...about, kind: 'choice', choices: declaration.choices };
    case 'flag':
      return { ...about, kind: 'choice', choices: [true, false] };
    case 'list':
      return { ...about, kind: 'text', value: (value as readonly string[]).join('; ') };
    default:
      return { ...about, kind: 'text' };
  }
}
