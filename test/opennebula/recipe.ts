// The README's way from an empty OpenNebula: its steps as they stand there, and how an administrator does them.
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { createClient } from '../../opennebula/client.ts';
import type { RpcValue } from '../../opennebula/documents/xml-rpc.ts';
import type { Emulator } from '../../opennebula/emulator/server.ts';
import { LOGIN } from './emulated.ts';

export const FOLDER = new URL('../../opennebula/', import.meta.url);
const readme = readFileSync(new URL('README.md', FOLDER), 'utf8');
const [, recipe = ''] = /## From an empty OpenNebula[^\n]*\n([^]*?)\n## /.exec(readme) ?? [];

/** The text of a step, by its number. */
export function stepOf(number: number): string {
  const [, text] = new RegExp(`^${number}\\. ([^]*?)(?=^${number + 1}\\. |$(?![^]))`, 'm').exec(recipe) ?? [];
  return text ?? expect.fail(`the README has no step ${number}`);
}

/** The code block of a step. */
export function blockOf(step: number, language: string): string {
  const [, block] = new RegExp(`^ *\`\`\`${language}\\n([^]*?)^ *\`\`\``, 'm').exec(stepOf(step)) ?? [];
  return block?.replace(/^ {3}/gm, '') ?? expect.fail(`step ${step} has no ${language}`);
}

/** In a code block of their own, or within a sentence. */
export const COMMANDS = [
  ...recipe.matchAll(/(?:^ *|`)(one(?:user|vnet|image|template) (?:create|chmod) [^\n`]+)/gm),
].map(([, command = '']) => command);

export async function administer(emulator: Emulator, commands: readonly string[] = COMMANDS): Promise<void> {
  const admin = createClient({ url: emulator.url, user: 'oneadmin', password: LOGIN.password });
  for (const command of commands) await admin.call(...callOf(emulator, command));
  await admin.close();
}

/** The call that the front end's own command makes. */
function callOf({ inventory }: Emulator, command: string): readonly [string, ...RpcValue[]] {
  const { networks, images, templates, vmGroups } = inventory;
  const [program = '', verb, ...args] = command.split(/\s+/);
  const [first = '', second = ''] = args;
  if (program === 'oneuser') return ['one.user.allocate', first, second, ''];
  if (program === 'oneimage' && verb === 'create')
    return ['one.image.allocate', `NAME="${args[args.indexOf('--name') + 1]}"`, 1];
  if (program === 'onetemplate' && verb === 'create')
    return ['one.template.allocate', readFileSync(new URL(`templates/${first}`, FOLDER), 'utf8')];
  const [method, store] =
    {
      onevnet: ['one.vn.chmod', networks] as const,
      oneimage: ['one.image.chmod', images] as const,
      onetemplate: ['one.template.chmod', templates] as const,
      onevmgroup: ['one.vmgroup.chmod', vmGroups] as const,
    }[program] ?? expect.fail(`no ${program} ${verb}`);
  const rights = [...second].flatMap((digit) => [4, 2, 1].map((bit) => (Number(digit) & bit ? 1 : 0)));
  return [method, store.named(first, 0)?.id ?? expect.fail(`there is no ${first}`), ...rights];
}
