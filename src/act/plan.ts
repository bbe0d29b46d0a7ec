// What is to be done: the ledger of VMs, the provider's list and a decision become new entries and steps, as data. The
// ledger is saved before a step starts (execute.ts does them), so that a killed manager knows what it did.
import type { Address, Decision, Millis } from '../model.ts';
import type { ProvidedVm, ProviderList } from './provider.ts';

/**
 * A VM's way: `wanted` (to be asked for) → `booting` (accepted by the provider) → `ready` (in the gateway)
 * → `draining` → `releasing` (out of the gateway, until the provider no longer lists it) → gone from the ledger.
 */
export type Phase = 'wanted' | 'booting' | 'ready' | 'draining' | 'releasing';

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
  /** VMs in a row that failed in this one's place. */
  readonly failures: number;
  /** The provider has listed it. */
  readonly seen?: true;
  /** Leaves because it failed. */
  readonly failed?: true;
  /** The provider took the release. */
  readonly asked?: true;
  /** Found at the provider without an order of ours. */
  readonly found?: true;
}

export type Step =
  | { readonly kind: 'allocate'; readonly mark: string }
  /** Check its readiness; when it answers, add it to the gateway. */
  | { readonly kind: 'admit'; readonly mark: string; readonly id: string; readonly address: Address }
  /** Does it still answer, though provider or agent don't speak of it? */
  | { readonly kind: 'probe'; readonly mark: string; readonly id: string; readonly address: Address }
  | { readonly kind: 'drain'; readonly mark: string; readonly id: string; readonly deadlineMs: number }
  /** Out of the gateway, then back to the provider. */
  | { readonly kind: 'release'; readonly mark: string; readonly id: string };

export interface PlanSettings {
  readonly min: number;
  readonly max: number;
  readonly bootDeadline: Millis;
  readonly drainDeadline: Millis;
  readonly dryRun: boolean;
}

export interface View {
  readonly now: Millis;
  readonly ledger: ReadonlyMap<string, Entry>;
  readonly provided: ProviderList;
  readonly settings: PlanSettings;
  /** Marks whose step is under way. */
  readonly busy: ReadonlySet<string>;
  /** VMs (by id) of whose load nothing has been heard: worth a probe. */
  readonly dark: ReadonlySet<string>;
  /** Marks of ready VMs that a gateway which started anew must be told of. */
  readonly untold: ReadonlySet<string>;
  readonly newMark: () => string;
}

export interface Plan {
  /** Entries that are new or changed. */
  readonly entries: readonly Entry[];
  /** Marks of entries that are done with. */
  readonly gone: readonly string[];
  readonly steps: readonly Step[];
  /** VMs of the group that nobody explains and nobody touches. */
  readonly foreign: readonly string[];
}

/** A failed VM's successor waits 1, 2, 4 … s, at most 5 min. Worked: after the third failure 4 s. */
export const backOff = (failures: number): Millis => (failures <= 0 ? 0 : Math.min(300_000, 500 * 2 ** failures));

/** After this many VMs in a row that didn't come up, a place above the minimum is given up. */
export const GIVE_UP_AFTER = 6;
/** A running VM without an order gets this long to prove itself. */
const FOUND_MS = 15_000;
/** A released VM that is still listed after this long is released again. */
export const RELEASE_AGAIN_MS = 60_000;
const PROBE_EVERY_MS = 5_000;
const PROBES = 3;

/** Pending or ready: the n of the rules. An order that had to be put off is no capacity. */
export const isActive = (entry: Entry): boolean => isUp(entry) || (entry.phase === 'wanted' && !isPutOff(entry));
const isUp = ({ phase }: Entry): boolean => phase === 'booting' || phase === 'ready';
export const isPutOff = ({ phase, attempts, failures }: Entry): boolean =>
  phase === 'wanted' && attempts + failures > 0;

export const order = (mark: string, why: string, now: Millis, failures = 0, period?: number): Entry => ({
  mark,
  phase: 'wanted',
  since: now,
  why,
  attempts: 0,
  retryAt: now + backOff(failures),
  failures,
  ...(period === undefined ? {} : { period }),
});

/** The same VM in its next phase; what was noted of the last phase's attempts is over. */
export function enter(entry: Entry, phase: Phase, now: Millis, more: Partial<Entry> = {}): Entry {
  return { ...entry, phase, since: now, attempts: 0, retryAt: now, problem: undefined, deadline: undefined, ...more };
}

export const fail = (entry: Entry, why: string, now: Millis): Entry =>
  enter(entry, 'releasing', now, { failed: true, why });

/** What a decision changes: orders for an allocation, VMs that begin to drain for a release. */
export function planDecision(decision: Decision, period: number, view: View): Pick<Plan, 'entries' | 'gone'> {
  const entries = [...view.ledger.values()];
  const putOff = entries.filter(isPutOff);
  if (view.settings.dryRun || decision.action === 'hold') return { entries: [], gone: [] };
  if (decision.action === 'allocate') {
    // Orders that had to be put off are still being tried: they are part of what is wanted now.
    const room = view.settings.max - entries.filter(isActive).length - putOff.length;
    const length = Math.max(0, Math.min(decision.count - putOff.length, room));
    const ordered = () => order(view.newMark(), decision.reason, view.now, 0, period);
    return { entries: Array.from({ length }, ordered), gone: [] };
  }
  const leaving = new Set(decision.vms);
  const drained = entries
    .filter((entry) => entry.phase === 'ready' && entry.id !== undefined && leaving.has(entry.id))
    .map((entry) => enter(entry, 'draining', view.now, { why: decision.reason, period }));
  // Who gives VMs back has no use for an order that nobody could fulfil.
  const needless = putOff.map(({ mark }) => mark).filter((mark) => !view.busy.has(mark));
  return { entries: drained, gone: needless };
}

/** Compares the ledger with the provider's list and says what comes next for each VM. */
export function reconcile(view: View): Plan {
  const { vms, byId, byMark } = view.provided;
  const changed: Entry[] = [];
  const gone: string[] = [];
  const steps: Step[] = [];
  const known = new Set<string>();
  let active = 0;
  for (const entry of view.ledger.values()) {
    const vm = entry.id === undefined ? byMark.get(entry.mark) : byId.get(entry.id);
    if (vm !== undefined) known.add(vm.id);
    const { next, step } = view.busy.has(entry.mark) ? { next: entry } : phases[entry.phase](entry, vm, view);
    if (next === undefined) gone.push(entry.mark);
    else if (next.failed && !entry.failed) changed.push(...succeeded(entry, next, view));
    else if (next !== entry) changed.push(next);
    if (next !== undefined && next.phase !== 'releasing' && next.phase !== 'draining') active += 1;
    const changesCloud = step !== undefined && CHANGES_THE_CLOUD[step.kind] && vm !== undefined;
    if (step !== undefined && !(view.settings.dryRun && (changesCloud || step.kind === 'allocate'))) steps.push(step);
  }
  // What the ledger doesn't know, and what the minimum still lacks.
  const strangers = vms.filter((vm) => !known.has(vm.id));
  const found = strangers.filter((vm) => vm.mark !== undefined && vm.state !== 'releasing');
  changed.push(...found.map((vm) => unexplained(vm, view)));
  active += changed.filter((entry) => !view.ledger.has(entry.mark) && entry.phase !== 'releasing').length;
  const missing = view.settings.dryRun ? 0 : view.settings.min - active;
  for (let i = 0; i < missing; i++)
    changed.push(order(view.newMark(), `The fleet has a minimum of ${view.settings.min}.`, view.now));
  return { entries: changed, gone, steps, foreign: strangers.filter((vm) => vm.mark === undefined).map((vm) => vm.id) };
}

const CHANGES_THE_CLOUD: Readonly<Record<Step['kind'], boolean>> = {
  allocate: true,
  drain: true,
  release: true,
  admit: false,
  probe: false,
};

interface Next {
  /** Undefined: the entry is done with. */
  readonly next: Entry | undefined;
  readonly step?: Step;
}

type PhasePlanner = (entry: Entry, vm: ProvidedVm | undefined, view: View) => Next;

const phases: Readonly<Record<Phase, PhasePlanner>> = {
  wanted(entry, vm, { now, settings }) {
    // An order whose answer got lost was fulfilled all the same.
    if (vm !== undefined) return { next: accepted(entry, vm.id, now, settings.bootDeadline) };
    return entry.retryAt > now ? { next: entry } : { next: entry, step: { kind: 'allocate', mark: entry.mark } };
  },

  booting(entry, vm, { now }) {
    if (vm === undefined && entry.seen) return { next: fail(entry, 'It vanished while it started.', now) };
    if (vm?.state === 'failed') return { next: fail(entry, `It failed to start${told(vm)}.`, now) };
    if (vm?.state === 'releasing') return { next: fail(entry, 'Somebody else shuts it down.', now) };
    const { id, deadline = now } = entry;
    if (now > deadline) return { next: fail(entry, neverReady(vm), now) };
    const next = vm === undefined || entry.seen ? entry : { ...entry, seen: true as const };
    if (vm?.state !== 'running' || vm.address === undefined || id === undefined || entry.retryAt > now) return { next };
    return { next, step: { kind: 'admit', mark: entry.mark, id, address: vm.address } };
  },

  ready(entry, vm, { now, dark, untold }) {
    if (vm?.state === 'failed') return { next: fail(entry, `It crashed${told(vm)}.`, now) };
    if (vm?.state === 'releasing')
      return { next: enter(entry, 'draining', now, { why: 'Somebody else shuts it down.' }) };
    const { id, address } = entry;
    const doubtful = vm === undefined || (id !== undefined && dark.has(id));
    const kind = doubtful ? 'probe' : untold.has(entry.mark) ? 'admit' : undefined;
    if (kind === undefined || id === undefined || address === undefined || entry.retryAt > now) return { next: entry };
    return { next: entry, step: { kind, mark: entry.mark, id, address } };
  },

  draining(entry, vm, { now, settings }) {
    const { id } = entry;
    if (id === undefined || vm === undefined || vm.state === 'failed') return { next: enter(entry, 'releasing', now) };
    if (entry.retryAt > now) return { next: entry };
    return { next: entry, step: { kind: 'drain', mark: entry.mark, id, deadlineMs: settings.drainDeadline } };
  },

  releasing(entry, vm, { now }) {
    const { id } = entry;
    if (id === undefined || (entry.asked && vm === undefined)) return { next: undefined };
    if (entry.retryAt > now) return { next: entry };
    const again = entry.asked ? { ...entry, problem: 'The provider took the release but still shows the VM.' } : entry;
    return { next: again, step: { kind: 'release', mark: entry.mark, id } };
  },
};

function neverReady(vm: ProvidedVm | undefined): string {
  if (vm === undefined) return 'The provider accepted it but never showed it.';
  return vm.state === 'running' ? 'It runs but never answered its readiness check.' : `It never came up${told(vm)}.`;
}

export const accepted = (entry: Entry, id: string, now: Millis, bootDeadline: Millis): Entry =>
  enter(entry, 'booting', now, { id, deadline: now + bootDeadline });

/** A VM that answered although it was doubtful, or didn't. */
export function probed(entry: Entry, answers: boolean, listed: boolean, now: Millis): Entry {
  const retryAt = now + PROBE_EVERY_MS;
  if (answers) {
    const problem = 'It answers, but the provider does not list it: it stays until it stops answering.';
    return { ...entry, attempts: 0, retryAt, problem: listed ? undefined : problem };
  }
  if (!listed) return fail(entry, 'It is gone from the provider and does not answer.', now);
  if (entry.attempts + 1 >= PROBES) return fail(entry, 'Its agent is silent and it does not answer.', now);
  return { ...entry, attempts: entry.attempts + 1, retryAt, problem: 'Its agent is silent and it does not answer.' };
}

/** A VM that failed, and the one in its place: slower after each failure; in the end only the minimum is kept up. */
export function succeeded(before: Entry, failed: Entry, { now, settings, newMark, ledger }: View): readonly Entry[] {
  if (settings.dryRun || before.found) return [failed];
  const lasted = before.phase === 'ready' && now - before.since >= settings.bootDeadline;
  const failures = lasted ? 0 : before.failures + 1;
  const others = [...ledger.values()].filter((entry) => isUp(entry) || entry.phase === 'wanted').length - 1;
  if (others >= settings.max) return [failed];
  if (failures >= GIVE_UP_AFTER && others >= settings.min)
    return [{ ...failed, why: `${failed.why} After ${failures} in a row no other is tried in its place.` }];
  // The first loss of a VM that had been serving is made good at once.
  const atOnce = before.phase === 'ready' && failures <= 1;
  const why = `In place of ${failed.id ?? failed.mark}: ${failed.why}`;
  return [failed, order(newMark(), why, now, atOnce ? 0 : failures)];
}

/** With the group's mark but in no order of ours: it proves itself ready soon, or it is released. */
function unexplained(vm: ProvidedVm, { now, ledger }: View): Entry {
  const mark = vm.mark ?? vm.id;
  const entry: Entry = {
    // A second VM under one mark (a provider that forgot its first answer) must not take the first one's place.
    mark: ledger.has(mark) ? `${mark}/${vm.id}` : mark,
    id: vm.id,
    phase: 'booting',
    since: now,
    why: 'Found at the provider without an order.',
    deadline: now + FOUND_MS,
    attempts: 0,
    retryAt: now,
    failures: 0,
    found: true,
  };
  return vm.state === 'running' ? entry : fail(entry, 'Nothing explains it and it was never ready.', now);
}

const told = (vm: ProvidedVm): string => (vm.note === undefined ? '' : ` (${vm.note})`);
