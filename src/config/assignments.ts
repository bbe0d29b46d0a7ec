// `name=value`, as a command line has it.
import { parse } from 'yaml';
import { MmeliotError } from '../errors.ts';

/** The value is what it looks like: a number, true, false, null, a list [..] or an object {..}; else the text as it was typed. */
export function parseAssignment(assignment: string, example: string): readonly [name: string, value: unknown] {
  const at = assignment.indexOf('=');
  if (at < 1)
    throw new MmeliotError('BAD_REQUEST', `"${assignment}": name=value is expected, for instance ${example}.`);
  const name = assignment.slice(0, at);
  return [name, parseValue(name, assignment.slice(at + 1))];
}

/** `[fd00::1]:8082` begins as a list does, and is none. */
const ADDRESS = /^\[[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*\]:\d+$/;

function parseValue(name: string, text: string): unknown {
  if (ADDRESS.test(text) || !/^[\d.+-]|^(true|false|null)$|^[[{]/.test(text)) return text;
  try {
    return parse(text);
  } catch {
    // which may be a password
    throw new MmeliotError(
      'BAD_REQUEST',
      `${name}: what stands behind = is neither a text nor a list or an object, such as {capacity: 50}.`,
    );
  }
}
