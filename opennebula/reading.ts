// Questions to the front end whose answers are XML.
import { MmeliotError } from '../src/errors.ts';
import type { OpenNebulaClient } from './client.ts';
import { isKind, OpenNebulaError } from './error.ts';
import { parseXml } from './xml-parser.ts';
import { children, text, type RpcValue, type XmlElement } from './documents/xml-rpc.ts';

/** What each answers with: another document is no list without VMs. */
const ROOTS = {
  'one.vmpool.infoextended': 'VM_POOL',
  'one.vmpool.info': 'VM_POOL',
  'one.vmpool.monitoring': 'MONITORING_DATA',
  'one.vm.info': 'VM',
  'one.template.info': 'VMTEMPLATE',
  'one.templatepool.info': 'VMTEMPLATE_POOL',
} as const;

export async function callXml(
  client: OpenNebulaClient,
  method: keyof typeof ROOTS,
  ...params: readonly RpcValue[]
): Promise<XmlElement> {
  const root = rootOf(method, String(await client.call(method, ...params)));
  if (root.name === ROOTS[method]) return root;
  const sentence = `the answer is <${root.name.slice(0, 40)}> instead of <${ROOTS[method]}>.`;
  throw new OpenNebulaError('malformed', { method, sentence });
}

function rootOf(method: string, answer: string): XmlElement {
  try {
    return parseXml(answer);
  } catch (error) {
    throw new OpenNebulaError('malformed', { method, sentence: (error as Error).message });
  }
}

/** Our own VMs, all ids, any state but DONE. */
const OWN: readonly RpcValue[] = [-3, -1, -1, -1];
const UNKNOWN_METHOD = -506;

/** With all of USER_TEMPLATE, where the marks are: before 5.8 there is no such call, and the short one has it. */
export async function readOwnVms(client: OpenNebulaClient): Promise<XmlElement> {
  try {
    return await callXml(client, 'one.vmpool.infoextended', ...OWN);
  } catch (error) {
    if (!isKind(error, 'fault') || error.serverCode !== UNKNOWN_METHOD) throw error;
    return callXml(client, 'one.vmpool.info', ...OWN);
  }
}

/** Read for each allocation: an operator may change, delete or replace the template while we run. */
export async function readTemplate(client: OpenNebulaClient, wanted: number | string): Promise<XmlElement> {
  if (/^\d+$/.test(String(wanted)))
    return callXml(client, 'one.template.info', Number(wanted), false).catch(noTemplate);
  const pool = await callXml(client, 'one.templatepool.info', -2, -1, -1);
  const [found, second] = children(pool, 'VMTEMPLATE').filter((template) => text(template, 'NAME') === wanted);
  if (!found)
    throw new MmeliotError(
      'PROVIDER_REFUSED',
      `OpenNebula shows this user no VM template named "${wanted}": check opennebula.template, or let others use it ` +
        '(onetemplate chmod ID 604).',
    );
  if (second)
    throw new MmeliotError('PROVIDER_REFUSED', `OpenNebula has several VM templates named "${wanted}"; give the id.`);
  return found;
}

function noTemplate(error: unknown): never {
  if (isKind(error, 'no-such-object', 'authorization'))
    throw new MmeliotError('PROVIDER_REFUSED', `${error.message} Check opennebula.template.`, { cause: error });
  throw error;
}
