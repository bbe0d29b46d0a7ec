// Port: the door of a node. What the manager orders there, and what the node answers, always: what it carries.
import type { Address, Millis } from '../model.ts';
import type { WorkerSize } from './placement.ts';

export type Order =
  | { readonly what: 'report' }
  /** Asking again for the same mark starts no second one. */
  | { readonly what: 'start'; readonly worker: WorkerOrder }
  /** Its requests end, it hands its jobs on, and it is gone. One that is gone already is no error. */
  | { readonly what: 'stop'; readonly mark: string }
  /** From now on the worker signs with this key. */
  | { readonly what: 'rekey'; readonly mark: string; readonly key: string }
  /** From now on the node obeys who holds one of these keys (public, Ed25519), and nobody else. */
  | { readonly what: 'trust'; readonly keys: readonly string[] }
  | { readonly what: 'log'; readonly mark: string };

export interface WorkerOrder {
  readonly mark: string;
  readonly id: string;
  readonly size: WorkerSize;
  /** What it signs its load reports with. */
  readonly key: string;
  /** Who it is, and what it serves, as any VM is told. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Why a node did not do what it was ordered. */
export const REFUSALS = ['malformed', 'misdirected', 'forged', 'old', 'replayed'] as const;
export type Refusal = (typeof REFUSALS)[number];

export interface NodeReport {
  /** The node's clock. */
  readonly at: Millis;
  readonly workers: readonly ReportedWorker[];
  /** Orders that it refused since it began. */
  readonly refused: Readonly<Record<Refusal, number>>;
  /** Of a `log` order. */
  readonly log?: string;
}

export interface ReportedWorker {
  readonly mark: string;
  readonly id: string;
  readonly size: WorkerSize;
  readonly state: 'pending' | 'running' | 'failed' | 'releasing';
  readonly createdAt: Millis;
  /** Its port there; which host that is, the node's provider knows better. */
  readonly port?: number;
  readonly note?: string;
  readonly monitoring?: { readonly at: Millis; readonly cpu: number };
}

export interface NodeDoor {
  /**
   * Rejects where the node doesn't answer in time, refuses (PROVIDER_REFUSED) or cannot do it (PROVIDER_FAILED); then the order may or may not
   * have been done.
   */
  ask(node: { readonly mark: string; readonly address: Address }, order: Order): Promise<NodeReport>;
  /** The node is gone: what is kept for it need not be kept. */
  forget(mark: string): void;
}
