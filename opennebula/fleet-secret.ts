// A context variable as a VM of the group got it: the way back for a manager that has lost what it once gave its VMs.
import { MmeliotError } from '../src/errors.ts';
import { createClient, type ClientOptions } from './client.ts';
import { OpenNebulaError } from './error.ts';
import { readVm } from './documents/vm.ts';
import { child, children, text } from './documents/xml-rpc.ts';
import { callXml, readOwnVms } from './reading.ts';

/** Of the newest VM of the group that has it; undefined where none has, or there is none. */
export async function contextOfFleet(
  options: ClientOptions & { readonly group: string },
  name: string,
): Promise<string | undefined> {
  const client = createClient(options);
  try {
    const pool = await readOwnVms(client);
    const vms = children(pool, 'VM')
      .map(readVm)
      .filter(({ group, phase }) => group === options.group && phase !== 'done')
      .sort((a, b) => Number(b.id) - Number(a.id));
    for (const { id } of vms) {
      const context = child(await callXml(client, 'one.vm.info', Number(id), false), 'TEMPLATE', 'CONTEXT');
      const encoded = text(context, `${name}_BASE64`);
      const value = encoded === undefined ? text(context, name) : Buffer.from(encoded, 'base64').toString('utf8');
      if (value !== undefined && value !== '') return value;
    }
    return undefined;
  } catch (error) {
    throw unquoted(error);
  } finally {
    await client.close();
  }
}

/** Without the front end's own sentence: it may quote what is asked for here, and nobody knows yet what that is. */
function unquoted(error: unknown): unknown {
  if (!(error instanceof OpenNebulaError) || error.serverCode === undefined) return error;
  const { method, serverCode, message } = error;
  const sentence = error.sentence.replace(`[${method}] `, '');
  return new MmeliotError(error.code, message.replace(sentence, `${method} is refused with code ${serverCode}`));
}
