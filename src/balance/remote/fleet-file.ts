// A gateway of its own remembers on disk which VMs it serves and which keys are good, so that it serves on after its restart
// while the manager is away.
import { readFile } from 'node:fs/promises';
import { writeWhole } from '../../files/write-whole.ts';
import type { Address } from '../../model.ts';
import type { Gateway } from '../core/contract.ts';

/** The same gateway, with every change of its fleet and of the keys written down before it is acknowledged. */
export async function rememberingFleet(gateway: Gateway, path: string, keysPath: string): Promise<Gateway> {
  const fleet = new Map(await readFleet(path));
  for (const [id, address] of fleet) await gateway.add(id, address);
  let saving: Promise<void> = Promise.resolve();
  const save = () =>
    (saving = saving
      .catch(() => undefined)
      .then(() => writeWhole(path, JSON.stringify([...fleet]), { durable: true })));
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
      const drained = gateway.drain(id, deadlineMs);
      await save();
      return drained;
    },
    async remove(id) {
      fleet.delete(id);
      await gateway.remove(id);
      await save();
    },
    reportLoad: (id, load) => gateway.reportLoad(id, load),
    fleet: () => gateway.fleet(),
    async setKeys(keys) {
      await gateway.setKeys(keys);
      await writeWhole(keysPath, JSON.stringify(keys), { durable: true, mode: 0o600 });
    },
    get keys() {
      return gateway.keys;
    },
    counters: () => gateway.counters(),
    close: (lastRequestsMs) => gateway.close(lastRequestsMs),
  };
}

async function readFleet(path: string): Promise<readonly (readonly [string, Address])[]> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as [string, Address][];
  } catch {
    return []; // the first start, or a damaged file: the manager tells the fleet anew
  }
}
