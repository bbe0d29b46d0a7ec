// `name=value`, as a command line has it.
import { parse } from 'yaml';
import { MmeliotError } from '../errors.ts';

/** The value is what it looks like: a number, true, false, null, a list [..] or an object {..}; else the text as it was typed. */
export function parseAssignment(assignment: string, example: string): readonly [name: string, value: unknown] {
  const at = assignment.indexOf('=');
  if (at < 1)
    throw new MmeliotError('BAD_REQUEST', `"${assignment}": name=value is expected, for instance ${example}.`);
  return [assignment.slice(0, at), parseValue(assignment.slice(at + 1))];
}

/** `[fd00::1]:8082` begins as a list does, and is none. */
const ADDRESS = /^\[[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*\]:\d+$/;

function parseValue(text: string): unknown {
  if (ADDRESS.test(text) || !/^[\d.+-]|^(true|false|null)$|^[[{]/.test(text)) return text;
  try {
    return parse(text);
  } catch {
    throw new MmeliotError('BAD_REQUEST', `${text} is neither a text nor a list or an object, such as {capacity: 50}.`);
  }
}
