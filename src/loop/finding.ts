// What is found out about one matter: how it stands, a reason and, where somebody can do something, a remedy; and the facts that all of it is made of.
import type { Millis, Traffic } from '../model.ts';
import type { GatewayVm, LoopState } from './loop-state.ts';

export const STATUSES = ['ok', 'note', 'warning', 'error', 'unknown'] as const;

export interface Finding {
  readonly status: (typeof STATUSES)[number];
  /** One sentence: what is so. */
  readonly reason: string;
  /** One sentence: what to do about it. */
  readonly remedy?: string;
}

/** Everything that conditions are made of. */
export interface Facts {
  readonly loop: LoopState;
  readonly gatewayVms: readonly GatewayVm[];
  readonly traffic: Traffic;
  /** What is the matter with gateways in other processes, one sentence each. */
  readonly gateways?: readonly string[];
  /** Requests that may wait at the gateway. */
  readonly queueCapacity: number;
  /** Absent before it was first asked. */
  readonly repository?: RepositorySeen;
  /** Of the disk that the data folder is on; absent where the system doesn't tell. */
  readonly disk?: DiskSeen;
  /** Files that hold secrets, and that every user of this machine may read. */
  readonly exposed?: readonly string[];
  /** When a report last came in the name of a VM, signed with another secret than the group's. */
  readonly refused?: ReadonlyMap<string, Millis>;
  /** The last load report whose time was too far from ours. */
  readonly apart?: { readonly vm: string; readonly ms: Millis; readonly at: Millis };
  /** The machines that carry VMs, where several may be on one; `note`: why it is of no use at present. */
  readonly nodes?: readonly { readonly id: string; readonly note?: string }[];
}

/** `isGone`: the folder is not there any more. */
export type DiskSeen =
  | { readonly path: string; readonly freeBytes: number; readonly totalBytes: number }
  | { readonly path: string; readonly isGone: true };

/** `why` where it doesn't answer, `unwritable` where it answers and takes no writes, `isPart` where it holds a part of a backup. */
export interface RepositorySeen {
  readonly why?: string;
  readonly unwritable?: string;
  readonly isPart?: true;
  readonly replica?: ReplicaSeen;
}

/** Of the replica that queries read from: how far it is behind, or why it doesn't tell. */
export type ReplicaSeen = { readonly why: string } | { readonly lag: Millis };

export const ok = (reason: string): Finding => ({ status: 'ok', reason });
export const note = (reason: string, remedy: string): Finding => ({ status: 'note', reason, remedy });
export const warning = (reason: string, remedy: string): Finding => ({ status: 'warning', reason, remedy });
export const error = (reason: string, remedy: string): Finding => ({ status: 'error', reason, remedy });
export const unknown = (reason: string): Finding => ({ status: 'unknown', reason });

/** 40 ms, 2.5 s, 90 s, 12 min, 2 h */
export function seconds(ms: Millis): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${Math.round(ms / 100) / 10} s`;
  if (ms < 120_000) return `${Math.round(ms / 1_000)} s`;
  return ms < 7_200_000 ? `${Math.round(ms / 60_000)} min` : `${Math.round(ms / 3_600_000)} h`;
}

export const vms = (count: number): string => (count === 1 ? 'one VM' : `${count} VMs`);
export const are = (count: number): string => (count === 1 ? 'is' : 'are');
