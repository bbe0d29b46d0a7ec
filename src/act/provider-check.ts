// A read-mostly check of somebody's cloud, as far as it is the same for all: may mmeliot do there what it will do, and how long
// does it take? It allocates one VM, sees it running and gives it back, also when it fails or is interrupted.
import type { Address, Millis } from '../model.ts';
import { showAddress } from '../../epcis/domain/address.ts';
import type { ProvidedVm, Provider } from './provider.ts';

export interface CheckDeps {
  /** Of a group that only this check uses. */
  readonly provider: Provider;
  readonly now: () => Millis;
  readonly sleep: (ms: Millis) => Promise<void>;
  readonly print: (line: string) => void;
  /** Does the service at the VM's address say that it is ready? True, or why not in words. */
  readonly reach: (address: Address) => Promise<true | string>;
  /** Ends the check early; what it allocated is still given back. */
  readonly signal: AbortSignal;
}

/** What only this cloud has: resolves with what was found, in words. */
export interface OwnStep {
  readonly what: string;
  readonly work: () => Promise<string>;
}

export interface CheckOptions {
  /** Before and after the look whether VMs may be listed. */
  readonly before: readonly OwnStep[];
  readonly after: readonly OwnStep[];
  /** How long the VM may take to run, and to be gone. */
  readonly patienceMs: Millis;
}

/** True when all went well. */
export async function checkProvider(deps: CheckDeps, { before, after, patienceMs }: CheckOptions): Promise<boolean> {
  const { provider, print } = deps;
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

  const own = async (steps: readonly OwnStep[]): Promise<void> => {
    for (const { what, work } of steps) await step(what, async () => [undefined, await work()]);
  };
  await own(before);
  await step('rights', async () => {
    const old = await provider.list();
    const stay = await releaseEach(provider, old);
    const released = old.length - stay.size;
    const words = released > 0 ? `, ${released} of an earlier check given back` : '';
    return [undefined, [`the login works, VMs can be listed${words}`, ...problemsOf(stay)].join('; ')];
  });
  await own(after);

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
    let wasSeen = false;
    const running = await waitFor(deps, patienceMs, id ?? '', (seen) => {
      if (seen === undefined && wasSeen) throw new Error(`VM ${id} is gone: another check may run at the same time.`);
      wasSeen ||= seen !== undefined;
      if (seen?.state === 'failed') throw new Error(seen.note ?? 'It failed.');
      return seen?.state === 'running' ? seen : undefined;
    });
    return [running, `it runs, at ${running.address?.host ?? 'no address'}`] as const;
  });
  await step('network', async () => [
    undefined,
    vm?.address ? await reached(deps, vm.address, patienceMs) : 'no address',
  ]);

  if (began && !(await giveBack(deps, id, patienceMs))) well = false;
  return well && !deps.signal.aborted;
}

/** The guest boots after the provider says that the VM runs, so it is given time. */
async function reached(deps: CheckDeps, address: Address, patienceMs: Millis): Promise<string> {
  const where = showAddress(address);
  const deadline = deps.now() + patienceMs;
  for (;;) {
    const answer = await deps.reach(address);
    if (answer === true) return `${where} answers, and is ready`;
    if (deps.now() > deadline || deps.signal.aborted)
      throw new Error(
        `${where} does not answer from here as it should (${answer}): check network, firewall, and the image's service.`,
      );
    await deps.sleep(1_000);
  }
}

/** One that is refused (locked, for example) keeps no other from being given back. */
async function releaseEach(provider: Provider, vms: readonly ProvidedVm[]): Promise<ReadonlyMap<string, string>> {
  const stay = new Map<string, string>();
  for (const { id } of vms)
    await provider.release(id).catch((error: unknown) => stay.set(id, (error as Error).message));
  return stay;
}

const problemsOf = (stay: ReadonlyMap<string, string>): readonly string[] =>
  [...stay].map(([id, why]) => `VM ${id} stays: ${why}`);

/** Also what an interrupted `allocate` may have left: all VMs of the check's group that let themselves be released. */
async function giveBack(deps: CheckDeps, own: string | undefined, patienceMs: Millis): Promise<boolean> {
  const started = deps.now();
  try {
    const listed = await allThatCome(deps, patienceMs);
    const stay = await releaseEach(deps.provider, listed);
    if (own === undefined ? stay.size > 0 : stay.has(own)) throw new Error(problemsOf(stay).join('; '));
    const vms = listed.filter(({ id }) => !stay.has(id));
    const patient = { ...deps, signal: new AbortController().signal };
    for (const { id } of vms) await waitFor(patient, patienceMs, id, (seen) => (seen ? undefined : true));
    if (vms.length === 0) deps.print('-       release    there is nothing to give back');
    else deps.print(`ok      release    the VM is gone (${Math.round(deps.now() - started)} ms)`);
    return true;
  } catch (error) {
    deps.print(`FAILED  release    ${(error as Error).message} Look for VMs named mmeliot-check-….`);
    return false;
  }
}

/** What is listed, or will be: the answer to `allocate` may have been lost. */
async function allThatCome({ provider, ...deps }: CheckDeps, patienceMs: Millis): Promise<readonly ProvidedVm[]> {
  const deadline = deps.now() + patienceMs;
  for (let told = false; ; told = true) {
    const mayCome = provider.mayCome?.() ?? false;
    const listed = await provider.list();
    if (listed.length > 0 || !mayCome) return listed;
    if (deps.now() > deadline) throw new Error('A VM was asked for, and may still come.');
    if (!told) deps.print('        …          A VM may still come of what was asked for: it is waited for.');
    await deps.sleep(1_000);
  }
}

/** Looks each second, and tells what is in the way when that changes. */
async function waitFor<T>(
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
