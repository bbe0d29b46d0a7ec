// Where the emulated EC2's instances really run: what is ordered there is an instance with its user data.
import type { MachineRoom as Room } from '../../src/act/local/machine-room.ts';

export type MachineRoom = Room<MachineOrder>;

export interface MachineOrder {
  readonly id: string;
  /** As the instance's metadata service gives it. */
  readonly userData: string;
  /** Where this instance's metadata service listens; a real one's is at http://169.254.169.254. */
  readonly metadata: string;
}

/** What cloud-init makes of the user data: the variables that it writes for the service (documents/user-data.ts). */
export function environmentOf({ userData, metadata }: MachineOrder): Readonly<Record<string, string>> {
  const [, , environment = ''] = /<<'([\w-]+)'\n([^]*?\n)\1\n/.exec(userData) ?? [];
  const lines = environment.matchAll(/^(\w+)="((?:[^"\\]|\\[^])*)"$/gm);
  const variables = [...lines].map(([, name = '', value = '']) => [name, value.replace(/\\([^])/g, '$1')] as const);
  return { ...Object.fromEntries(variables), MMELIOT_METADATA: metadata };
}
