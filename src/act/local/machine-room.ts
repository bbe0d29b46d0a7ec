// Port of an emulated cloud: where its VMs really run. In `mmeliot emulate …` they are the local provider's.
import { randomUUID } from 'node:crypto';
import type { Address } from '../../model.ts';
import type { Provider } from '../provider.ts';

export interface MachineRoom<Order> {
  /** Resolves when the machine runs; rejects when it does not come up (the VM's boot has then failed). */
  start(order: Order): Promise<Machine>;
}

export interface Machine {
  readonly address: Address;
  /** Per cent of one core, now; undefined when the machine has died. */
  cpu(): Promise<number | undefined>;
  /** It is told to end, and has its time for that. */
  stop(): Promise<void>;
  /** Its power is cut. */
  kill(): Promise<void>;
}

/** `kill` ends one of its VMs without a word, where the provider can. */
type Machines = Provider & { kill?(id: string): Promise<void> };

async function emptied(provider: Provider): Promise<void> {
  for (const { id } of await provider.list()) await provider.release(id);
}

/**
 * A room whose machines are another provider's VMs; what that provider still has of an earlier room is released.
 * `prepare` is called before each allocation, one at a time, so that a provider that starts programs can give the
 * next one what was ordered for it.
 */
export function roomOf<Order extends { readonly id: number | string }>(
  provider: Machines,
  prepare: (order: Order) => void,
  pollMs = 100,
): MachineRoom<Order> {
  const run = randomUUID(); // ids of an emulated cloud begin anew each time, marks must not
  let turn: Promise<unknown> = emptied(provider);
  const find = async (id: string) => (await provider.list()).find((vm) => vm.id === id);

  const allocate = (order: Order): Promise<string> => {
    const mine = turn.then(() => {
      prepare(order);
      return provider.allocate({ mark: `${run}-${order.id}` });
    });
    turn = mine.catch(() => undefined);
    return mine;
  };

  return {
    async start(order) {
      const id = await allocate(order);
      for (;;) {
        const vm = await find(id);
        if (!vm || vm.state === 'failed') throw new Error(vm?.note ?? 'The machine ended while it started.');
        if (vm.state === 'running' && vm.address) return machine(id, vm.address);
        await new Promise((resolve) => setTimeout(resolve, pollMs));
      }
    },
  };

  function machine(id: string, address: Address): Machine {
    const stop = async (): Promise<void> => {
      await provider.release(id);
      while (await find(id)) await new Promise((resolve) => setTimeout(resolve, pollMs));
    };
    return {
      address,
      async cpu() {
        const vm = await find(id);
        return vm?.state === 'running' ? (vm.monitoring?.cpu ?? 0) : undefined;
      },
      stop,
      async kill() {
        await provider.kill?.(id);
        await stop();
      },
    };
  }
}
