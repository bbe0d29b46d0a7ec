// What is to be done: the ledger of VMs, the provider's list and a decision become changes of the ledger and steps, as
// data. The ledger is saved before a step starts (execute.ts does them), so that a killed manager knows what it did.
import { GIVE_BACK_MS } from './replacements.ts';
import { hasChoice } from '../fleet/offers.ts';
import { counts, interruptible, nextPurchase, onDemand, purchases } from '../fleet/mix.ts';
import type { Decision, Purchase } from '../model.ts';
import { activeIn, kindOf, nextKind, restOf } from './kinds.ts';
import { commit, isActive, isLost, isPutOff, isUp, type Entry, type Phase } from './entry.ts';
import { askFor, cancel, find, giveUpPlace, lose, notice, order, settle, standAlone, waitForRoom } from './ledger.ts';
import type { ProvidedVm } from './provider.ts';
import type { Result, Step } from './step.ts';
import { NOTHING, type Planned, type View } from './view.ts';

export interface Plan extends Planned {
  readonly steps: readonly Step[];
  /** VMs of the group that nobody explains and nobody touches. */
  readonly foreign: readonly string[];
}

/** After this many VMs in a row that didn't come up, a place above the minimum is given up. */
const GIVE_UP_AFTER = 6;

/** What a decision changes: orders for an allocation, VMs that begin to drain for a release. */
export function planDecision(decision: Decision, period: number, view: View): Planned {
  const entries = [...view.ledger.values()];
  const putOff = entries.filter((entry) => isPutOff(entry) && counts(entry));
  if (view.settings.dryRun || decision.action === 'hold') return NOTHING;
  if (decision.action === 'allocate') {
    // Orders that had to be put off are still being tried: they are part of what is wanted now.
    const room = view.settings.max - entries.filter(isActive).length - putOff.length;
    const length = Math.max(0, Math.min(decision.count - putOff.length, room));
    const ordered = (_: unknown, i: number) =>
      order(view.newMark(), decision.reason, view.now, 0, period, kindOf(decision.purchases?.[i]));
    return { ...NOTHING, entries: Array.from({ length }, ordered) };
  }
  return released(decision, period, view, putOff);
}

function released({ vms, reason }: Decision, period: number, view: View, putOff: readonly Entry[]): Planned {
  const leaving = new Set(vms);
  const entries = [...view.ledger.values()];
  const chosen = entries.filter(
    (entry) => leaving.has(entry.id ?? entry.mark) && (entry.phase === 'ready' || entry.inPlaceOf !== undefined),
  );
  // with a stand-in that isn't needed goes the VM that it stands in for
  const stoodInFor = new Set(chosen.map(({ inPlaceOf }) => inPlaceOf).filter((id) => id !== undefined));
  const taken = entries.filter(({ id, interruptAt }) => interruptAt !== undefined && stoodInFor.has(id ?? ''));
  const gone: string[] = [];
  const changed: Entry[] = [];
  // who gives VMs back has no use for an order that nobody could fulfil
  for (const entry of new Set([...chosen, ...taken, ...putOff])) {
    if (entry.phase === 'wanted' ? view.busy.has(entry.mark) : !isUp(entry)) continue;
    const next = cancel(entry, reason, view.now, period);
    if (next === undefined) gone.push(entry.mark);
    else changed.push(next);
  }
  return { ...NOTHING, entries: changed, gone };
}

/** Compares the ledger with the provider's list and says what comes next for each VM. */
export function reconcile(view: View): Plan {
  const { vms, byId, byMark } = view.provided;
  const changed: Entry[] = [];
  const gone: string[] = [];
  const resting: string[] = [];
  const steps: Step[] = [];
  const known = new Set<string>();
  for (const entry of view.ledger.values()) {
    const vm = entry.id === undefined ? byMark.get(entry.mark) : byId.get(entry.id);
    const isAnother = vm !== undefined && !isOf(entry, vm);
    if (vm !== undefined && !isAnother) known.add(vm.id);
    const busy = view.busy.has(entry.mark);
    const next = busy ? entry : isAnother ? lose(entry, view.now) : anew(notice(entry, vm, momentOf(view)), view);
    if (next === undefined) gone.push(entry.mark);
    else if (next !== entry) {
      changed.push(...withSuccessor(entry, next, view, changed));
      if (isLost(next) && !isLost(entry)) resting.push(...restOf(entry));
    }
    // A phase that has only begun is saved before its first step.
    const step =
      busy || next?.phase !== entry.phase || next.offer !== entry.offer ? undefined : stepFor(next, vm, view);
    const held = view.settings.dryRun && !next?.kept; // what a person asks for is no decision
    if (step !== undefined && !(held && changesTheCloud(step, vm))) steps.push(step);
  }
  // What the ledger doesn't know, and what the minimum still lacks.
  const strangers = vms.filter((vm) => !known.has(vm.id));
  const found = strangers.filter((vm) => vm.mark !== undefined && vm.state !== 'releasing');
  changed.push(...found.map((vm) => find(vm, freeMark(vm, view), view.now)));
  changed.push(...missing(view, changed, gone));
  const foreign = strangers.filter((vm) => vm.mark === undefined).map((vm) => vm.id);
  return { entries: changed, gone, resting, steps, foreign };
}

/** Orders for what the minimum lacks after these changes. */
function missing(view: View, entries: readonly Entry[], gone: readonly string[]): readonly Entry[] {
  const { settings, market, now, newMark } = view;
  const after = [...commit(view.ledger, { entries, gone }).values()].filter(
    (entry) => counts(entry) && (isUp(entry) || entry.phase === 'wanted'),
  );
  const length = settings.dryRun ? 0 : Math.max(0, settings.min - after.length);
  const bought = hasChoice(market) && length > 0 ? purchases(length, activeIn(after), market, settings) : [];
  const why = `The fleet has a minimum of ${settings.min}.`;
  return Array.from({ length }, (_, i) => order(newMark(), why, now, 0, undefined, kindOf(bought[i])));
}

/** What had no room anywhere is asked for where there may be some now. */
function anew(entry: Entry | undefined, view: View): Entry | undefined {
  if (entry?.phase !== 'wanted' || entry.full === undefined || entry.retryAt > view.now) return entry;
  const others = [...view.ledger.values()].filter(({ mark }) => mark !== entry.mark);
  return askFor(entry, nextKind(others, view), view.now);
}

/** What a step's result changes. */
export function planResult(step: Step, result: Result, view: View): Planned {
  const entry = view.ledger.get(step.mark);
  if (entry === undefined) return NOTHING;
  if (step.kind === 'allocate' && step.offer !== undefined && entry.phase === 'wanted' && result.full)
    return elsewhere(entry, step.offer.id, result, view);
  return { ...NOTHING, ...settled(entry, step, result, view) };
}

function settled(entry: Entry, step: Step, result: Result, view: View): Pick<Planned, 'entries' | 'resting'> {
  const listed = view.provided.byId.has(entry.id ?? '');
  const next = settle(entry, step, result, { ...momentOf(view), listed });
  const lost = isLost(next) && !isLost(entry);
  return { entries: withSuccessor(entry, next, view, []), resting: lost ? restOf(entry) : [] };
}

/** Its pool had no room: another one is asked at once; where there is none, a successor is given up and others wait. */
function elsewhere(entry: Entry, full: string, result: Result, view: View): Planned {
  const { settings, now } = view;
  const market = { ...view.market, resting: [...view.market.resting, full] };
  const others = activeIn(view.ledger.values()).filter(({ mark }) => mark !== entry.mark);
  const why = result.message ?? '';
  const other =
    entry.relieves !== undefined
      ? entry.forLess
        ? undefined
        : interruptible(others, market, settings, why)
      : entry.inPlaceOf !== undefined
        ? (freshOf(onDemand(market, settings, why), market) ?? interruptible(others, market, settings, why))
        : freshOf(nextPurchase(others, market, settings), market);
  if (other !== undefined) return { ...NOTHING, entries: [askFor(entry, kindOf(other), now)], resting: [full] };
  if (entry.relieves !== undefined) return { ...NOTHING, gone: [entry.mark], resting: [full] };
  const step = { kind: 'allocate', mark: entry.mark } as const;
  const { entries } = settled(entry, step, result, view);
  return { ...NOTHING, entries: entries.map(waitForRoom), resting: [full] };
}

const freshOf = (purchase: Purchase | undefined, { resting }: View['market']): Purchase | undefined =>
  purchase === undefined || resting.includes(purchase.offer.id) ? undefined : purchase;

const momentOf = ({ now, dark, settings: { bootDeadline } }: View) => ({ now, dark, bootDeadline });

type StepPlanner = (entry: Entry, vm: ProvidedVm | undefined, view: View) => Step | undefined;

function stepFor(entry: Entry, vm: ProvidedVm | undefined, view: View): Step | undefined {
  return entry.retryAt > view.now ? undefined : planners[entry.phase](entry, vm, view);
}

const planners: Readonly<Record<Phase, StepPlanner>> = {
  wanted: ({ mark, offer, maxPrice }) => ({
    ...{ kind: 'allocate', mark },
    ...(offer && { offer }),
    ...(maxPrice !== undefined && { maxPrice }),
  }),

  booting: ({ mark, id }, vm) =>
    id === undefined || vm?.state !== 'running' || vm.address === undefined
      ? undefined
      : { kind: 'admit', mark, id, address: vm.address },

  ready({ mark, id, address }, vm, { dark }) {
    if (id === undefined || address === undefined) return undefined;
    return vm === undefined || dark.has(id) ? { kind: 'probe', mark, id, address } : undefined;
  },

  draining({ mark, id, interruptAt = Infinity }, _vm, { settings, now }) {
    // what the cloud takes sooner has less time
    const deadlineMs = Math.min(settings.drainDeadline, Math.max(0, interruptAt - now - GIVE_BACK_MS));
    return id === undefined ? undefined : { kind: 'drain', mark, id, deadlineMs };
  },

  kept: ({ mark, id, out }) => (id === undefined || out ? undefined : { kind: 'withdraw', mark, id }),

  releasing: ({ mark, id }) => (id === undefined ? undefined : { kind: 'release', mark, id }),
};

/** In a dry run a VM that is gone may still be taken out of the gateway. */
const changesTheCloud = ({ kind }: Step, vm: ProvidedVm | undefined): boolean =>
  kind === 'allocate' || ((kind === 'drain' || kind === 'release') && vm !== undefined);

/** A VM that is lost, and the one in its place: slower after each failure; in the end only the minimum is kept up. */
function withSuccessor(before: Entry, next: Entry, view: View, changed: readonly Entry[]): readonly Entry[] {
  const { now, settings, newMark } = view;
  if (!isLost(next) || isLost(before) || settings.dryRun || before.found) return [next];
  const entries = [...commit(view.ledger, { entries: [...changed, next], gone: [] }).values()];
  // one that is lost before it relieved anybody is missed by nobody, and neither is one that has a stand-in
  if (before.relieves !== undefined) return [next];
  if (before.interruptAt !== undefined && entries.some(({ inPlaceOf }) => inPlaceOf === before.id)) return [next];
  const relief = entries.find(
    ({ relieves, phase }) => relieves === before.mark && (phase === 'wanted' || phase === 'booting'),
  );
  if (relief !== undefined) return [next, standAlone(relief)];
  const lasted = before.phase === 'ready' && (next.taken || now - before.since >= settings.bootDeadline);
  const failures = lasted ? 0 : before.failures + 1;
  const others = entries.filter((entry) => counts(entry) && (isUp(entry) || entry.phase === 'wanted')).length;
  if (others >= settings.max) return [next];
  if (failures >= GIVE_UP_AFTER && others >= settings.min) return [giveUpPlace(next, failures)];
  // The first loss of a VM that had been serving is made good at once.
  const atOnce = before.phase === 'ready' && failures <= 1;
  const why = `In place of ${next.id ?? next.mark}: ${next.why}`;
  const market = { ...view.market, resting: [...view.market.resting, ...restOf(before)] };
  const kind = { ...nextKind(entries, { settings, market }), ...(before.inPlaceOf && { inPlaceOf: before.inPlaceOf }) };
  return [next, order(newMark(), why, now, atOnce ? 0 : failures, undefined, kind)];
}

/** A front end that was restored counts from an earlier number again, and knows nothing of the VMs that had those after it. */
const isOf = (entry: Entry, { mark, id }: ProvidedVm): boolean =>
  mark === undefined || entry.mark === mark || entry.mark === `${mark}/${id}`;

/** A second VM under one mark (a provider that forgot its first answer) must not take the first one's place. */
function freeMark(vm: ProvidedVm, { ledger }: View): string {
  const mark = vm.mark ?? vm.id;
  return ledger.has(mark) ? `${mark}/${vm.id}` : mark;
}
