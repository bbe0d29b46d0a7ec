// A gateway of its own remembers on disk which VMs it serves and which keys are good, so that it serves on after its restart
// while the manager is away. What there is no room to remember it does all the same, and writes down as soon as there is.
import { readFile } from 'node:fs/promises';
import { writeWhole } from '../../files/write-whole.ts';
import type { Address } from '../../model.ts';
import type { Gateway, GatewayLog } from '../core/contract.ts';

const AGAIN_MS = 1_000;

/** The same gateway, with every change of its fleet and of the keys written down, where that can be, before it is acknowledged. */
export async function rememberingFleet(
  gateway: Gateway,
  path: string,
  keysPath: string,
  log: GatewayLog,
): Promise<Gateway> {
  const fleet = new Map(await readFleet(path));
  for (const [id, address] of fleet) await gateway.add(id, address);
  const vms = kept(path, 0o644, log);
  const keys = kept(keysPath, 0o600, log);
  const save = () => vms.keep(JSON.stringify([...fleet]));
  return {
    get address() {
      return gateway.address;
    },
    get secure() {
      return gateway.secure;
    },
    async add(id, address) {
      fleet.set(id, address);
      await gateway.add(id, address);
      await save();
    },
    async drain(id, deadlineMs) {
      fleet.delete(id);
      const [drained] = await Promise.all([gateway.drain(id, deadlineMs), save()]);
      return drained;
    },
    async remove(id) {
      fleet.delete(id);
      await gateway.remove(id);
      await save();
    },
    reportLoad: (id, load) => gateway.reportLoad(id, load),
    fleet: () => gateway.fleet(),
    async setKeys(records) {
      await gateway.setKeys(records);
      await keys.keep(JSON.stringify(records));
    },
    get keys() {
      return gateway.keys;
    },
    counters: () => gateway.counters(),
    get problems() {
      return [...(gateway.problems ?? []), ...[vms, keys].flatMap((one) => one.problem ?? [])];
    },
    async close(lastRequestsMs) {
      for (const one of [vms, keys]) one.close();
      await gateway.close(lastRequestsMs);
    },
  };
}

/** A file whose newest text is written as soon as that can be. */
function kept(path: string, mode: number, log: GatewayLog) {
  let newest = '';
  let problem: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  async function write(): Promise<void> {
    clearTimeout(timer);
    try {
      await writeWhole(path, newest, { durable: true, mode });
      problem = undefined;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const what = `${path} cannot be written (${code}): make room there, or after a restart this gateway begins with what that file holds.`;
      if (problem === undefined) log.warn({ err: error }, what);
      problem = what;
      timer = setTimeout(() => void (writing = writing.then(write)), AGAIN_MS).unref();
    }
  }
  return {
    /** Resolves when it is written, or cannot be. */
    keep(text: string): Promise<void> {
      newest = text;
      return (writing = writing.then(write));
    },
    get problem() {
      return problem;
    },
    close: () => clearTimeout(timer),
  };
}

async function readFleet(path: string): Promise<readonly (readonly [string, Address])[]> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as [string, Address][];
  } catch {
    return []; // the first start, or a damaged file: the manager tells the fleet anew
  }
}
