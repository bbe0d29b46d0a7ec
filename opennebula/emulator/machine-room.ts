// Port: where the emulated cloud's VMs really run. In `mmeliot emulate-opennebula` they are the local provider's.
import { randomUUID } from 'node:crypto';
import type { Provider } from '../../src/act/provider.ts';
import type { Address } from '../../src/model.ts';

export interface MachineRoom {
  /** Resolves when the machine runs; rejects when it does not come up (the VM is then a BOOT_FAILURE). */
  start(order: MachineOrder): Promise<Machine>;
}

export interface MachineOrder {
  /** OpenNebula's id of the VM. */
  readonly id: number;
  /** The VM's CONTEXT, as its contextualisation would see it. */
  readonly context: Readonly<Record<string, string>>;
}

export interface Machine {
  readonly address: Address;
  /** Per cent of one core, now; undefined when the machine has died. */
  cpu(): Promise<number | undefined>;
  stop(): Promise<void>;
}

/** What the VM's context script makes of its context: mmeliot's variables, NAME_BASE64 decoded to NAME. */
export function environmentOf(context: MachineOrder['context']): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(context)
      .filter(([name]) => name.startsWith('MMELIOT_'))
      .map(([name, value]) =>
        name.endsWith('_BASE64')
          ? [name.slice(0, -'_BASE64'.length), Buffer.from(value, 'base64').toString('utf8')]
          : [name, value],
      ),
  );
}

async function emptied(provider: Provider): Promise<void> {
  for (const { id } of await provider.list()) await provider.release(id);
}

/**
 * A room whose machines are another provider's VMs; what that provider still has of an earlier room is released.
 * `prepare` is called before each allocation, one at a time, so that a provider that starts programs can give the
 * next one its context.
 */
export function roomOf(provider: Provider, prepare: (order: MachineOrder) => void, pollMs = 100): MachineRoom {
  const run = randomUUID(); // ids of an emulated cloud begin anew each time, marks must not
  let turn: Promise<unknown> = emptied(provider);
  const find = async (id: string) => (await provider.list()).find((vm) => vm.id === id);

  const allocate = (order: MachineOrder): Promise<string> => {
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
    return {
      address,
      async cpu() {
        const vm = await find(id);
        return vm?.state === 'running' ? (vm.monitoring?.cpu ?? 0) : undefined;
      },
      async stop() {
        await provider.release(id);
        while (await find(id)) await new Promise((resolve) => setTimeout(resolve, pollMs));
      },
    };
  }
}
