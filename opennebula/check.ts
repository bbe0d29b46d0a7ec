// A read-mostly check of somebody's front end: may this user do all that mmeliot will do, and how long does it take?
// It allocates one VM, sees it running and gives it back, also when it fails or is interrupted.
import type { ProvidedVm, Provider } from '../src/act/provider.ts';
import type { Address, Millis } from '../src/model.ts';
import type { OpenNebulaClient } from './client.ts';
import { readTemplate } from './reading.ts';
import { child, children, text } from './documents/xml-rpc.ts';

export interface CheckDeps {
  readonly client: OpenNebulaClient;
  /** Of a group that only this check uses. */
  readonly provider: Provider;
  readonly now: () => Millis;
  readonly sleep: (ms: Millis) => Promise<void>;
  readonly print: (line: string) => void;
  /** Does something answer at the VM's address? True, or why not in words. */
  readonly reach: (address: Address) => Promise<true | string>;
  /** Ends the check early; what it allocated is still given back. */
  readonly signal: AbortSignal;
}

export interface CheckOptions {
  readonly template: number | string;
  readonly nic: number | string;
  /** How long the VM may take to run, and to be gone. */
  readonly patienceMs: Millis;
}

/** True when all went well. */
export async function checkFrontEnd(deps: CheckDeps, options: CheckOptions): Promise<boolean> {
  const { client, provider, print } = deps;
  let well = true;

  /** One step with its time; after a failed one the others are left out. */
  async function step<T>(what: string, work: () => Promise<readonly [T, string]>): Promise<T | undefined> {
    if (!well || deps.signal.aborted) return undefined;
    const started = deps.now();
    try {
      const [value, words] = await work();
      print(`ok      ${what.padEnd(10)} ${words} (${Math.round(deps.now() - started)} ms)`);
      return value;
    } catch (error) {
      well = false;
      print(`${deps.signal.aborted ? 'stopped' : 'FAILED '} ${what.padEnd(10)} ${(error as Error).message}`);
      return undefined;
    }
  }

  await step('version', async () => [undefined, String(await client.call('one.system.version'))]);
  await step('rights', async () => {
    const old = await provider.list();
    for (const vm of old) await provider.release(vm.id);
    const words = old.length > 0 ? `, ${old.length} of an earlier check given back` : '';
    return [undefined, `the login works, VMs can be listed${words}`];
  });
  await step('template', () => template(client, options));

  const began = well && !deps.signal.aborted;
  const mark = `check-${deps.now()}`;
  const id = await step('allocate', async () => {
    const vm = await provider.allocate({ mark });
    return [vm, `VM ${vm}`] as const;
  });
  await step('again', async () => {
    const second = await provider.allocate({ mark });
    if (second !== id) throw new Error(`The same mark made a second VM, ${second}.`);
    return [undefined, 'the same mark gives the same VM'];
  });
  const vm = await step('run', async () => {
    const running = await until(deps, options.patienceMs, id ?? '', (seen) => {
      if (seen?.state === 'failed') throw new Error(seen.note ?? 'It failed.');
      return seen?.state === 'running' ? seen : undefined;
    });
    return [running, `it runs, at ${running.address?.host ?? 'no address'}`] as const;
  });
  await step('network', async () => [
    undefined,
    vm?.address ? await reached(deps, vm.address, options.patienceMs) : 'no address',
  ]);

  if (began && !(await giveBack(deps, options.patienceMs))) well = false;
  return well && !deps.signal.aborted;
}

/** The guest boots after OpenNebula says RUNNING, so it is given time. */
async function reached(deps: CheckDeps, address: Address, patienceMs: Millis): Promise<string> {
  const where = `${address.host.includes(':') ? `[${address.host}]` : address.host}:${address.port}`;
  const deadline = deps.now() + patienceMs;
  for (;;) {
    const answer = await deps.reach(address);
    if (answer === true) return `${where} answers`;
    if (deps.now() > deadline || deps.signal.aborted)
      throw new Error(
        `${where} does not answer from here (${answer}): check network, firewall, and the image's service.`,
      );
    await deps.sleep(1_000);
  }
}

async function template(client: OpenNebulaClient, options: CheckOptions): Promise<readonly [undefined, string]> {
  const found = await readTemplate(client, options.template);
  const content = child(found, 'TEMPLATE');
  const nics = children(content, 'NIC');
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
  return [undefined, `${text(found, 'NAME')} (${text(found, 'ID')}), networks: ${networks.join(', ')}`];
}

/** Also what an interrupted `allocate` may have left: all VMs of the check's group. */
async function giveBack(deps: CheckDeps, patienceMs: Millis): Promise<boolean> {
  const started = deps.now();
  try {
    const vms = await deps.provider.list();
    for (const vm of vms) await deps.provider.release(vm.id);
    const patient = { ...deps, signal: new AbortController().signal };
    for (const { id } of vms) await until(patient, patienceMs, id, (seen) => (seen ? undefined : true));
    if (vms.length === 0) deps.print('-       release    there is nothing to give back');
    else deps.print(`ok      release    the VM is gone (${Math.round(deps.now() - started)} ms)`);
    return true;
  } catch (error) {
    deps.print(`FAILED  release    ${(error as Error).message} Look for VMs named mmeliot-check-….`);
    return false;
  }
}

/** Looks each second, and tells what is in the way when that changes. */
async function until<T>(
  deps: CheckDeps,
  patienceMs: Millis,
  id: string,
  done: (vm: ProvidedVm | undefined) => T | undefined,
): Promise<T> {
  const deadline = deps.now() + patienceMs;
  let told: string | undefined;
  for (;;) {
    if (deps.signal.aborted) throw new Error('Interrupted.');
    const vm = (await deps.provider.list()).find((each) => each.id === id);
    const value = done(vm);
    if (value !== undefined) return value;
    if (vm?.note !== undefined && vm.note !== told) deps.print(`        …          ${(told = vm.note)}`);
    if (deps.now() > deadline)
      throw new Error(`VM ${id} is still ${vm?.state ?? 'not listed'}. ${vm?.note ?? ''}`.trim());
    await deps.sleep(1_000);
  }
}
