// Where the emulated front end's VMs really run: what is ordered there is a VM with its CONTEXT.
import type { MachineRoom as Room } from '../../src/act/local/machine-room.ts';

export type MachineRoom = Room<MachineOrder>;

export interface MachineOrder {
  /** OpenNebula's id of the VM. */
  readonly id: number;
  /** The VM's CONTEXT, as its contextualisation would see it. */
  readonly context: Readonly<Record<string, string>>;
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
