// What is to be done: the ledger of VMs, the provider's list and a decision become changes of the ledger and steps, as
// data. The ledger is saved before a step starts (execute.ts does them), so that a killed manager knows what it did.
import type { Decision, Millis } from '../model.ts';
import {
  find,
  isActive,
  isLost,
  isPutOff,
  isUp,
  leave,
  notice,
  order,
  settle,
  type Changes,
  type Entry,
  type Ledger,
  type Phase,
} from './ledger.ts';
import type { ProvidedVm, ProviderList } from './provider.ts';
import type { Result, Step } from './step.ts';

export interface PlanSettings {
  readonly min: number;
  readonly max: number;
  readonly bootDeadline: Millis;
  readonly drainDeadline: Millis;
  readonly dryRun: boolean;
}

export interface View {
  readonly now: Millis;
  readonly ledger: Ledger;
  readonly provided: ProviderList;
  readonly settings: PlanSettings;
  /** Marks whose step is under way. */
  readonly busy: ReadonlySet<string>;
  /** VMs (by id) of whose load nothing has been heard: worth a probe. */
  readonly dark: ReadonlySet<string>;
  readonly newMark: () => string;
}

export interface Plan extends Changes {
  readonly steps: readonly Step[];
  /** VMs of the group that nobody explains and nobody touches. */
  readonly foreign: readonly string[];
}

/** After this many VMs in a row that didn't come up, a place above the minimum is given up. */
const GIVE_UP_AFTER = 6;

/** What a decision changes: orders for an allocation, VMs that begin to drain for a release. */
export function planDecision(decision: Decision, period: number, view: View): Changes {
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
    .map((entry) => leave(entry, decision.reason, view.now, period));
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
    const busy = view.busy.has(entry.mark);
    const next = busy ? entry : notice(entry, vm, momentOf(view));
    if (next === undefined) gone.push(entry.mark);
    else if (next !== entry) changed.push(...withSuccessor(entry, next, view));
    if (next !== undefined && (isUp(next) || next.phase === 'wanted')) active += 1;
    // A phase that has only begun is saved before its first step.
    const step = busy || next?.phase !== entry.phase ? undefined : stepFor(next, vm, view);
    const held = view.settings.dryRun && !next?.kept; // what a person asks for is no decision
    if (step !== undefined && !(held && changesTheCloud(step, vm))) steps.push(step);
  }
  // What the ledger doesn't know, and what the minimum still lacks.
  const strangers = vms.filter((vm) => !known.has(vm.id));
  const found = strangers.filter((vm) => vm.mark !== undefined && vm.state !== 'releasing');
  changed.push(...found.map((vm) => find(vm, freeMark(vm, view), view.now)));
  active += changed.filter((entry) => !view.ledger.has(entry.mark) && entry.phase !== 'releasing').length;
  const missing = view.settings.dryRun ? 0 : view.settings.min - active;
  for (let i = 0; i < missing; i++)
    changed.push(order(view.newMark(), `The fleet has a minimum of ${view.settings.min}.`, view.now));
  return { entries: changed, gone, steps, foreign: strangers.filter((vm) => vm.mark === undefined).map((vm) => vm.id) };
}

/** What a step's result changes. */
export function planResult(step: Step, result: Result, view: View): Changes {
  const entry = view.ledger.get(step.mark);
  if (entry === undefined) return { entries: [], gone: [] };
  const listed = view.provided.byId.has(entry.id ?? '');
  const next = settle(entry, step, result, { ...momentOf(view), listed });
  return { entries: withSuccessor(entry, next, view), gone: [] };
}

const momentOf = ({ now, dark, settings: { bootDeadline } }: View) => ({ now, dark, bootDeadline });

type StepPlanner = (entry: Entry, vm: ProvidedVm | undefined, view: View) => Step | undefined;

function stepFor(entry: Entry, vm: ProvidedVm | undefined, view: View): Step | undefined {
  return entry.retryAt > view.now ? undefined : planners[entry.phase](entry, vm, view);
}

const planners: Readonly<Record<Phase, StepPlanner>> = {
  wanted: ({ mark }) => ({ kind: 'allocate', mark }),

  booting: ({ mark, id }, vm) =>
    id === undefined || vm?.state !== 'running' || vm.address === undefined
      ? undefined
      : { kind: 'admit', mark, id, address: vm.address },

  ready({ mark, id, address }, vm, { dark }) {
    if (id === undefined || address === undefined) return undefined;
    return vm === undefined || dark.has(id) ? { kind: 'probe', mark, id, address } : undefined;
  },

  draining: ({ mark, id }, _vm, { settings }) =>
    id === undefined ? undefined : { kind: 'drain', mark, id, deadlineMs: settings.drainDeadline },

  kept: ({ mark, id, out }) => (id === undefined || out ? undefined : { kind: 'withdraw', mark, id }),

  releasing: ({ mark, id }) => (id === undefined ? undefined : { kind: 'release', mark, id }),
};

/** In a dry run a VM that is gone may still be taken out of the gateway. */
const changesTheCloud = ({ kind }: Step, vm: ProvidedVm | undefined): boolean =>
  kind === 'allocate' || ((kind === 'drain' || kind === 'release') && vm !== undefined);

/** A VM that is lost, and the one in its place: slower after each failure; in the end only the minimum is kept up. */
function withSuccessor(before: Entry, next: Entry, { now, settings, newMark, ledger }: View): readonly Entry[] {
  if (!isLost(next) || isLost(before) || settings.dryRun || before.found) return [next];
  const lasted = before.phase === 'ready' && (next.taken || now - before.since >= settings.bootDeadline);
  const failures = lasted ? 0 : before.failures + 1;
  const others = [...ledger.values()].filter((entry) => isUp(entry) || entry.phase === 'wanted').length - 1;
  if (others >= settings.max) return [next];
  if (failures >= GIVE_UP_AFTER && others >= settings.min)
    return [{ ...next, why: `${next.why} After ${failures} in a row no other is tried in its place.` }];
  // The first loss of a VM that had been serving is made good at once.
  const atOnce = before.phase === 'ready' && failures <= 1;
  const why = `In place of ${next.id ?? next.mark}: ${next.why}`;
  return [next, order(newMark(), why, now, atOnce ? 0 : failures)];
}

/** A second VM under one mark (a provider that forgot its first answer) must not take the first one's place. */
function freeMark(vm: ProvidedVm, { ledger }: View): string {
  const mark = vm.mark ?? vm.id;
  return ledger.has(mark) ? `${mark}/${vm.id}` : mark;
}
