// Changes of the elasticity settings while it runs, as people and scripts write them: `{"high": 80, "period": "5s"}`.
import { MmeliotError } from '../errors.ts';
import type { ParameterPatch } from '../loop/journal.ts';
import { elasticity } from './schema.ts';

/** Decodes units; `null` is back to the configured value. What the values may be together is the loop's to judge. */
export function decodeChanges(changes: Readonly<Record<string, unknown>>): ParameterPatch {
  return Object.fromEntries(Object.entries(changes).map(([name, value]) => [name, decodeChange(name, value)]));
}

function decodeChange(name: string, value: unknown): unknown {
  if (!Object.hasOwn(elasticity.shape, name)) {
    const names = Object.keys(elasticity.shape).join(', ');
    throw new MmeliotError('BAD_REQUEST', `There is no setting ${name}; there are: ${names}.`);
  }
  // a duration may be given in ms as well: that is how the API shows it
  if (value === null || typeof value === 'number') return value;
  const parsed = elasticity.shape[name as keyof typeof elasticity.shape].safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new MmeliotError('BAD_REQUEST', `${name}: ${(issue?.message ?? '').replace(/^Invalid (input|option): /, '')}.`);
}

/** `high=80` from a command line; `auto`, `true` and `null` are what they look like, a bare number is one. */
export function parseAssignments(assignments: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    assignments.map((assignment) => {
      const at = assignment.indexOf('=');
      if (at < 1)
        throw new MmeliotError('BAD_REQUEST', `"${assignment}": name=value is expected, for instance high=80.`);
      return [assignment.slice(0, at), parseValue(assignment.slice(at + 1))];
    }),
  );
}

function parseValue(text: string): unknown {
  const literals: Readonly<Record<string, unknown>> = { true: true, false: false, null: null };
  if (Object.hasOwn(literals, text)) return literals[text];
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  return text.startsWith('{') ? parseObject(text) : text;
}

function parseObject(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new MmeliotError('BAD_REQUEST', `${text} is no JSON object, such as {"capacity": 50}.`);
  }
}
