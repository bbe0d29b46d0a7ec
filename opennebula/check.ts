// The check of somebody's front end (src/act/provider-check.ts), with what only OpenNebula has: its version, the VM template.
import { checkProvider, type CheckDeps } from '../src/act/provider-check.ts';
import type { Millis } from '../src/model.ts';
import type { OpenNebulaClient } from './client.ts';
import { readTemplate } from './reading.ts';
import { child, children, text } from './documents/xml-rpc.ts';

export interface CheckOptions {
  readonly template: number | string;
  readonly nic: number | string;
  /** How long the VM may take to run, and to be gone. */
  readonly patienceMs: Millis;
}

/** True when all went well. */
export function checkFrontEnd(
  deps: CheckDeps & { readonly client: OpenNebulaClient },
  options: CheckOptions,
): Promise<boolean> {
  const { client } = deps;
  return checkProvider(deps, {
    before: [{ what: 'version', work: async () => String(await client.call('one.system.version')) }],
    after: [{ what: 'template', work: () => template(client, options) }],
    patienceMs: options.patienceMs,
  });
}

async function template(client: OpenNebulaClient, options: CheckOptions): Promise<string> {
  const found = await readTemplate(client, options.template);
  const content = child(found, 'TEMPLATE');
  // a NIC that is passed through (SR-IOV) stands under PCI, as it does in a VM
  const passed = children(content, 'PCI').filter((pci) => text(pci, 'TYPE') === 'NIC');
  const nics = [...children(content, 'NIC'), ...passed];
  const network = (i: number) => text(nics[i], 'NETWORK') ?? text(nics[i], 'NETWORK_ID') ?? '?';
  const networks = nics.map((_, i) => network(i));
  const byId = nics.some((nic) => !child(nic, 'NETWORK')); // names its network by id: only the VM will tell the name
  const known = typeof options.nic === 'number' ? options.nic < nics.length : byId || networks.includes(options.nic);
  if (!known)
    throw new Error(`The template has no NIC ${options.nic}; its networks are: ${networks.join(', ') || 'none'}.`);
  if (child(content, 'CONTEXT', 'FILES'))
    throw new Error(
      "The template's CONTEXT has FILES, which only administrators may pass on; use FILES_DS or an image.",
    );
  return `${text(found, 'NAME')} (${text(found, 'ID')}), networks: ${networks.join(', ')}`;
}
