// Ports: what the admin server needs of the manager. The composition root wires them.
import type { KeyRecord } from '../access/keys.ts';
import type { Deed } from '../act/by-hand.ts';
import type { ElasticityParameters } from '../decide/parameters.ts';
import type { BoundRecord } from '../loop/history.ts';
import type { PastPoint } from '../loop/past.ts';
import type { Preview } from '../loop/preview.ts';
import type { VmPage } from '../loop/vm-view.ts';
import type { ManagerView } from '../loop/view.ts';
import type { Millis } from '../model.ts';

export interface AdminSource {
  /** The manager as it is now. Called about once a second while somebody looks. */
  view(): ManagerView;

  /** The latest periods, newest first, holds too. */
  decisions(limit: number): readonly BoundRecord[];

  /** One VM, also of those that are gone a short while; undefined: nobody knows it. */
  vm(id: string): Promise<VmPage | undefined>;

  /** The past of that span, oldest first, in at most as many points as a chart shows. */
  past(from: Millis, until: Millis): readonly PastPoint[];

  /** What these settings (`high=80`) would have done in that span. Throws what PATCH throws. */
  preview(set: readonly string[], span: { readonly from: Millis; readonly until: Millis }): Promise<Preview>;

  /** The configuration in force, without secrets. */
  config(): unknown;

  /**
   * Changes parameters from the next period on, validated as a whole with those that stay.
   * Throws an MmeliotError (CONFIG_INVALID) that says in one sentence why the change can't hold.
   */
  setParameters(changes: Readonly<Record<string, unknown>>, who: string): Promise<ChangeResult>;

  /**
   * Takes the last change of the parameters back; once more: makes it again. Throws BAD_REQUEST where there is none, or where
   * the last one is another than that of the time `at`.
   */
  undo(who: string, at?: Millis): Promise<ChangeResult>;

  /** The same of the VMs for stored work, where the group has such. */
  readonly work?: AdminSource;

  /** What a person does to the fleet, beside all decisions. Throws BAD_REQUEST where that can't be. */
  byHand(deed: Deed, who: string): Promise<void>;
  /** Somebody looks after a problem (its condition, or its sentence). */
  acknowledge(problem: string, who: string): void;

  /** The parameters that were changed while it ran and differ from the configuration. */
  changedParameters(): readonly string[];
}

export interface ChangeResult {
  readonly parameters: ElasticityParameters;
  /** Sentences about settings that hold but are asking for trouble. */
  readonly warnings: readonly string[];
}

/** A key without its hash. */
export type ShownKey = Omit<KeyRecord, 'hash'>;

/** The keys of clients. A change holds at all gateways that can be reached when it resolves, and at the others when they are back. */
export interface ClientKeys {
  list(): readonly ShownKey[];
  /** Throws BAD_REQUEST for what can be no key. The key itself is not kept anywhere. */
  create(request: unknown, who: string): Promise<ShownKey & { readonly key: string }>;
  /** Throws BAD_REQUEST for one that there isn't. */
  revoke(id: string): Promise<ShownKey>;
  /** The client whose key has that hash (`hashOf`), where it may administer, and is no tenant's: that one's repository is not the group. */
  administrator(hash: string): string | undefined;
}

export interface AuditEntry {
  /** ISO 8601. */
  readonly at: string;
  readonly who: string;
  /** The address; of rules, the machine's name. */
  readonly from: string;
  /** `PATCH /api/parameters`, `login`, `access rules apply`. */
  readonly what: string;
  readonly change?: unknown;
  /** Of the answer: below 400 it has happened. */
  readonly status?: number;
}

/** What was changed, and tried, through the admin server. */
export interface AuditLog {
  note(entry: Omit<AuditEntry, 'at'>): void;
  /** Newest first. */
  latest(limit: number): Promise<readonly AuditEntry[]>;
}
