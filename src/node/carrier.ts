// What a node carries: workers as processes of its machine, each held to its cores and its memory.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeWhole } from '../files/write-whole.ts';
import type { ProvidedVm, Provider } from '../act/provider.ts';
import type { ReportedWorker, WorkerOrder } from '../packing/orders.ts';

/** Processes of this machine, of any size. */
type Machines = Pick<Provider, 'list' | 'allocate' | 'release' | 'log'>;

export interface Carrier {
  start(worker: WorkerOrder): Promise<void>;
  /** Of who isn't there: nothing. */
  stop(mark: string): Promise<void>;
  rekey(mark: string, key: string): Promise<void>;
  log(mark: string): Promise<string | undefined>;
  list(): Promise<readonly ReportedWorker[]>;
}

/** The id that the manager knows a worker by is told to it, and is how it is found again. */
const ID = 'MMELIOT_VM_ID';

/** `folder`: where the keys are that workers sign with, each in a file that its worker reads. */
export function createCarrier(machines: Machines, folder: string): Carrier {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const find = async (mark: string): Promise<ProvidedVm | undefined> =>
    (await machines.list()).find((vm) => idAndMark(vm)?.mark === mark);

  return {
    async start({ mark, id, size, key, environment }) {
      const file = keyFile(folder, mark);
      // one that runs already has its key
      if ((await find(mark)) === undefined) writeFileSync(file, key, { mode: 0o600 });
      const memory = size.memoryBytes > 0 ? { memoryBytes: size.memoryBytes } : {};
      const offer = {
        id: 'worker',
        size: { name: 'worker', vcpu: size.cpu, ...memory },
        market: 'on-demand',
        pool: 'node',
        price: 0,
      } as const;
      await machines.allocate({
        mark: JSON.stringify({ mark, id }),
        offer,
        environment: { ...environment, [ID]: id, MMELIOT_KEY_FILE: file },
      });
    },

    async stop(mark) {
      const vm = await find(mark);
      if (vm !== undefined) await machines.release(vm.id);
      // until it has ended it signs with the one that it read last
      rmSync(keyFile(folder, mark), { force: true });
    },

    /** The file is there in whole at any time: the worker may read it now. */
    async rekey(mark, key) {
      if ((await find(mark)) === undefined) return;
      await writeWhole(keyFile(folder, mark), key, { mode: 0o600 });
    },

    async log(mark) {
      const vm = await find(mark);
      return vm && machines.log?.(vm.id);
    },

    async list() {
      return (await machines.list()).flatMap((vm) => {
        const known = idAndMark(vm);
        return known === undefined ? [] : [{ ...known, ...reported(vm) }];
      });
    },
  };
}

function reported({
  offer,
  state,
  createdAt,
  address,
  note,
  monitoring,
}: ProvidedVm): Omit<ReportedWorker, 'mark' | 'id'> {
  const { vcpu = 0, memoryBytes = 0 } = offer?.size ?? {};
  return {
    size: { cpu: vcpu, memoryBytes },
    ...{ state, createdAt },
    ...(address && { port: address.port }),
    ...(note !== undefined && { note }),
    ...(monitoring && { monitoring }),
  };
}

/** Its name is no path: marks are the manager's, but the manager may be of another version. */
const keyFile = (folder: string, mark: string): string =>
  join(folder, `${encodeURIComponent(mark).replaceAll('.', '%2E')}.key`);

function idAndMark({ mark = '' }: ProvidedVm): { readonly mark: string; readonly id: string } | undefined {
  try {
    return JSON.parse(mark) as { mark: string; id: string };
  } catch {
    return undefined; // nobody's order
  }
}
