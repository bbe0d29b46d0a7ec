// A VM of the emulated cloud: its states, what was done to it, and where it runs.
import type { Machine } from '../../src/act/local/machine-room.ts';
import type { Attributes } from './template-text.ts';

export const STATE = { PENDING: [1, 0], DONE: [6, 0], POWEROFF: [8, 0] } as const;
export const LCM = {
  PROLOG: [3, 1],
  BOOT: [3, 2],
  RUNNING: [3, 3],
  EPILOG: [3, 11],
  SHUTDOWN: [3, 12],
  UNKNOWN: [3, 16],
  SHUTDOWN_POWEROFF: [3, 18],
  BOOT_POWEROFF: [3, 20],
  BOOT_FAILURE: [3, 36],
  EPILOG_FAILURE: [3, 40],
} as const;
const NAMES = new Map(Object.entries({ ...STATE, ...LCM }).map(([name, numbers]) => [numbers.join('/'), name]));

/** Numbers of the actions in a VM's history. */
export const ACTION = { poweroff: 19, terminate: 27, terminateHard: 28, monitor: 44 } as const;

export interface Placement {
  readonly host: string;
  readonly hostId: number;
  readonly order: number;
  readonly at: number;
  /** When the VM left. */
  leftAt?: number;
}

/** What was last done to a VM, and by whom; -1: by the front end itself. */
export interface LastAction {
  readonly code: number;
  readonly uid: number;
  readonly gid: number;
}

export interface Reading {
  readonly at: number;
  readonly cpu: number;
}

export interface Vm {
  readonly id: number;
  readonly uid: number;
  readonly name: string;
  readonly ip: string;
  readonly createdAt: number;
  state: readonly [number, number];
  template: Attributes;
  userTemplate: Map<string, string>;
  placement?: Placement;
  readings: Reading[];
  endedAt: number;
  machine?: Machine;
  triedAt: number;
  lastAction?: LastAction;
  /** VMs with the same one are placed on hosts of their own. */
  readonly apart: string | undefined;
  /** The uid of who locked it. */
  lockedBy?: number | undefined;
}

export const seconds = (ms: number): number => Math.floor(ms / 1000);
export const nameOf = (vm: Vm): string => NAMES.get(vm.state.join('/')) ?? vm.state.join('/');
