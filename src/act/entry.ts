// A VM as the manager has it in mind, and the ledger of them all. What changes an entry is in ledger.ts, and nowhere else.
import type { Address, Millis, Offer } from '../model.ts';
import { counts } from '../fleet/mix.ts';

export type Phase = 'wanted' | 'booting' | 'ready' | 'draining' | 'kept' | 'releasing';

/** One VM that the manager wants, has, or is giving back. */
export interface Entry {
  /** Unique; the VM carries it at the provider. */
  readonly mark: string;
  /** What the provider calls it, once known. */
  readonly id?: string;
  readonly address?: Address;
  readonly phase: Phase;
  /** When the phase began. */
  readonly since: Millis;
  /** How long it took to boot, once it was ready. */
  readonly bootTime?: Millis;
  /** Why it is wanted or leaves: one sentence for people. */
  readonly why: string;
  /** The period whose decision it belongs to. */
  readonly period?: number;
  /** Booting: to be ready by then. */
  readonly deadline?: Millis;
  /** Failed attempts at this phase's step, and when to try again. */
  readonly attempts: number;
  readonly retryAt: Millis;
  /** What went wrong last, for the operator. */
  readonly problem?: string;
  /** That is for a person to put right. */
  readonly refused?: true;
  /** VMs in a row that failed in this one's place. */
  readonly failures: number;
  /** The provider has listed it. */
  readonly seen?: true;
  /** Booting, but no host has it yet: its deadline begins when one has. */
  readonly waiting?: true;
  /** Somebody else shuts it down. */
  readonly taken?: true;
  /** Leaves because it failed. */
  readonly failed?: true;
  /** The provider took the release. */
  readonly asked?: true;
  /** Found at the provider without an order of ours. */
  readonly found?: true;
  /** A person wants it kept, out of the fleet. */
  readonly kept?: true;
  /** Kept: the gateway has forgotten it. */
  readonly out?: true;
  /** What it is, or is to be, where the provider offers several kinds, and the most to be paid for it. */
  readonly offer?: Offer;
  readonly maxPrice?: number;
  /** Wanted: its pool had no room, and no other was to be had either. */
  readonly full?: true;
  /** The cloud takes it away then, as was first heard `noticedAt`. */
  readonly interruptAt?: Millis;
  readonly noticedAt?: Millis;
  /** Since then nobody has told of that any more. */
  readonly untoldSince?: Millis;
  /** Stand-in for the VM with that mark, which the cloud takes away. */
  readonly inPlaceOf?: string;
  /** Successor: the VM with that mark leaves when this one serves. */
  readonly relieves?: string;
  /** It is wanted only for being in a cheaper pool: where that has no room, it is no use. */
  readonly forLess?: true;
  /** Since then its pool has been dear: another one costs a sixth less, or still less. */
  readonly dearSince?: Millis;
}

/** What an order may have besides. */
export type Kind = Pick<Entry, 'offer' | 'maxPrice' | 'inPlaceOf' | 'relieves' | 'forLess'>;

/** All VMs by their mark. */
export type Ledger = ReadonlyMap<string, Entry>;

export interface Changes {
  /** Entries that are new or changed. */
  readonly entries: readonly Entry[];
  /** Marks of entries that are done with. */
  readonly gone: readonly string[];
}

export function commit(ledger: Ledger, { entries, gone }: Changes): Ledger {
  const next = new Map(ledger);
  for (const entry of entries) next.set(entry.mark, entry);
  for (const mark of gone) next.delete(mark);
  return next;
}

/** Those that a change gives up. */
export const givenUp = (ledger: Ledger, { entries }: Changes): readonly Entry[] =>
  entries.filter((entry) => entry.failed && !ledger.get(entry.mark)?.failed);

/** In the gateway, or on the way into it. */
export const isUp = ({ phase }: Entry): boolean => phase === 'booting' || phase === 'ready';
/** An order that could not be fulfilled at once is tried on, but is no capacity. */
export const isPutOff = ({ phase, attempts, failures }: Entry): boolean =>
  phase === 'wanted' && attempts + failures > 0;
/** Pending or ready, and to be counted on: the n of the rules. */
export const isActive = (entry: Entry): boolean =>
  counts(entry) && (isUp(entry) || (entry.phase === 'wanted' && !isPutOff(entry)));

/** Ids of the VMs that a person keeps. */
export const keptOf = (entries: readonly Entry[]): ReadonlySet<string> =>
  new Set(entries.flatMap(({ id, kept }) => (kept && id !== undefined ? [id] : [])));

/** Another VM is wanted in its place: it failed, or somebody else takes it. */
export const isLost = ({ failed, taken }: Entry): boolean => failed === true || taken === true;
