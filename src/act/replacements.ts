// VMs that take the place of others: a stand-in on demand for each VM that the cloud has given notice of, at once, and
// with it a cheap successor that relieves the stand-in when it serves; likewise the way back from on demand to interruptible
// where no pool had room, or after the settings of the mix changed.
import { isQuiet } from '../fleet/hours.ts';
import { counts, interruptible, onDemand, surplusOnDemand } from '../fleet/mix.ts';
import { hasChoice, isInterruptible } from '../fleet/offers.ts';
import { dearPools, isWorthIt, reliefsOf, type Relief } from '../fleet/relief.ts';
import type { Millis } from '../model.ts';
import { activeIn, kindOf, restOf } from './kinds.ts';
import { isUp, type Entry } from './entry.ts';
import { cancel, doubt, interrupt, noteDear, order, spare, standAlone, standForItself } from './ledger.ts';
import { NOTHING, type Planned, type View } from './view.ts';

/** What notices, served successors and the mix change. Made before `reconcile`, which starts the steps. */
export function replacements(view: View): Planned {
  if (view.settings.dryRun) return NOTHING;
  const draft = new Draft(view);
  for (const entry of draft.entries) if (isUp(entry)) listen(entry, view, draft);
  for (const entry of draft.entries) if (isUp(entry) && entry.interruptAt !== undefined) replace(entry, view, draft);
  for (const entry of draft.entries) if (entry.relieves !== undefined) relieve(entry, draft);
  outlive(view, draft);
  if (hasChoice(view.market)) {
    balance(view, draft);
    cheapen(view, draft);
  }
  return draft.planned;
}

/** The ledger as it becomes while the plan is made. */
class Draft {
  readonly #view: View;
  readonly #entries: Map<string, Entry>;
  readonly #changed = new Set<string>();
  readonly #resting = new Set<string>();

  constructor(view: View) {
    this.#view = view;
    this.#entries = new Map(view.ledger);
  }

  get entries(): readonly Entry[] {
    return [...this.#entries.values()];
  }

  get planned(): Planned {
    const marks = [...this.#changed];
    return {
      entries: marks.flatMap((mark) => this.#entries.get(mark) ?? []),
      gone: marks.filter((mark) => !this.#entries.has(mark)),
      resting: [...this.#resting],
    };
  }

  get(mark: string): Entry | undefined {
    return this.#entries.get(mark);
  }

  put(entry: Entry): void {
    this.#entries.set(entry.mark, entry);
    this.#changed.add(entry.mark);
  }

  /** False: it can't be, since its allocation is under way. */
  cancel(entry: Entry, why: string): boolean {
    if (entry.phase === 'wanted' && this.#view.busy.has(entry.mark)) return false;
    const next = cancel(entry, why, this.#view.now);
    if (next !== undefined) this.put(next);
    else {
      this.#entries.delete(entry.mark);
      this.#changed.add(entry.mark);
    }
    return true;
  }

  rest(offers: readonly string[]): void {
    for (const offer of offers) this.#resting.add(offer);
  }

  /** The market after what was learnt in this plan. */
  get market(): View['market'] {
    const { offers, resting } = this.#view.market;
    return { offers, resting: [...resting, ...this.#resting] };
  }
}

/** A notice is withdrawn when it wasn't told for this long: a cloud that knows of it here and not yet there may change its mind with every answer. */
const WITHDRAWN_MS = 10_000;

/** A notice that is new, has another time, or was withdrawn. */
function listen(entry: Entry, { provided, notices, now }: View, draft: Draft): void {
  const { id = '', interruptAt, untoldSince } = entry;
  const vm = provided.byId.get(id);
  const at = vm?.interruptAt ?? notices?.get(id);
  if (at !== undefined) {
    if (at === interruptAt && untoldSince === undefined) return;
    draft.put(interrupt(entry, at, now));
    if (at !== interruptAt) draft.rest(restOf(entry));
    return;
  }
  // who hasn't spoken yet, as after a restart, has withdrawn nothing
  if (interruptAt === undefined || vm === undefined || vm.noticeUnknown || notices?.has(id) === false) return;
  if (untoldSince === undefined) draft.put(doubt(entry, now));
  else if (now - untoldSince >= WITHDRAWN_MS) {
    draft.put(spare(entry));
    for (const standIn of standInsFor(entry, draft)) draft.cancel(standIn, `The notice for ${id} was withdrawn.`);
  }
}

/** A VM that will be taken: its stand-in is ordered at once, and it leaves when that serves, or at the last moment. */
function replace(entry: Entry, { now, settings, newMark }: View, draft: Draft): void {
  const { id = entry.mark, interruptAt = now } = entry;
  const notice = `The cloud takes ${id} in ${seconds(interruptAt - now)}.`;
  if (entry.relieves !== undefined) {
    draft.cancel(entry, notice); // it isn't needed yet: another one is tried
    return;
  }
  const standIns = standInsFor(entry, draft);
  if (standIns.length === 0) {
    const kind = hasChoice(draft.market) ? kindOf(onDemand(draft.market, settings, notice)) : {};
    draft.put(order(newMark(), `Stand-in for ${id}: ${notice}`, now, 0, undefined, { ...kind, inPlaceOf: id }));
  }
  const serves = standIns.some(({ phase }) => phase === 'ready');
  const alone = !draft.entries.some((other) => other.phase === 'ready' && other.interruptAt === undefined);
  if (serves || now >= lastMoment(entry, settings.drainDeadline, alone)) draft.cancel(entry, notice);
}

/** Before the cloud takes a VM it is given back, so that it hands its work on. */
export const GIVE_BACK_MS = 2_000;

/**
 * From then on it gets no request, since one may need as long as a drain may take, and would outlast the notice. Where no
 * other VM serves, all would be refused then: such a one goes on for half of a short notice.
 * Worked: a notice of 120 s, 30 s for the drain: 88 s after the notice; of 20 s: at once, or alone 9 s after it.
 */
export function lastMoment(
  { interruptAt = 0, noticedAt = 0 }: Pick<Entry, 'interruptAt' | 'noticedAt'>,
  drainDeadline: Millis,
  alone: boolean,
): Millis {
  const notice = Math.max(0, interruptAt - GIVE_BACK_MS - noticedAt);
  return noticedAt + Math.max(notice - drainDeadline, alone ? notice / 2 : 0);
}

const standInsFor = ({ id }: Entry, draft: Draft): readonly Entry[] =>
  draft.entries.filter((entry) => id !== undefined && entry.inPlaceOf === id && isComing(entry));

/** A successor that serves sends away whom it relieves; one whose place is needed no more goes itself. */
function relieve(entry: Entry, draft: Draft): void {
  const relieved = draft.get(entry.relieves ?? '');
  const isThere = relieved !== undefined && isComing(relieved);
  if (!isThere) {
    if (isComing(entry)) draft.cancel(entry, 'The place that it was to take is given up.');
    return;
  }
  if (entry.phase !== 'ready') return;
  const name = entry.id ?? entry.mark;
  // where the relieved one is to be taken itself, nobody needs to stand in for it any more
  if (!standInsFor(relieved, draft).every((standIn) => draft.cancel(standIn, `${name} serves in its place.`))) return;
  if (!draft.cancel(relieved, `${name} has relieved it.`)) return;
  draft.put(standAlone(entry));
  // whom it stood in for has nothing to wait for either
  const taken = draft.entries.find(({ id, interruptAt }) => id === relieved.inPlaceOf && interruptAt !== undefined);
  if (taken !== undefined && isUp(taken)) draft.cancel(taken, `${name} serves in its place.`);
}

/** Whom it stood in for is gone, and nobody is to relieve it, since it is of the kind that is wanted: it stays for itself. */
function outlive({ settings, market }: View, draft: Draft): void {
  const active = activeIn(draft.entries);
  const isWanted = hasChoice(market) && surplusOnDemand(active, settings) > 0 ? isInterruptible : () => true;
  for (const entry of active) {
    const { inPlaceOf } = entry;
    if (inPlaceOf === undefined || entry.phase !== 'ready' || !isWanted(entry)) continue;
    if (draft.entries.some((other) => other.id === inPlaceOf || other.relieves === entry.mark)) continue;
    draft.put(standForItself(entry));
  }
}

/** Towards the mix that is wanted: those that stand in are relieved at once, others one at a time and not in quiet hours. */
function balance(view: View, draft: Draft): void {
  const { now, settings, newMark } = view;
  const active = activeIn(draft.entries);
  const coming = draft.entries.filter((entry) => entry.relieves !== undefined && isComing(entry));
  const relieved = new Set(coming.map(({ relieves }) => relieves));
  const surplus = surplusOnDemand(active, settings);
  const isProtected = new Set(settings.protected);
  const isOver = surplus > 0 ? (entry: Entry) => !isInterruptible(entry) : isInterruptible;
  const candidates = active
    .filter((entry) => isOver(entry) && !relieved.has(entry.mark) && !isProtected.has(entry.id ?? ''))
    .toSorted((a, b) => Number(isUrgent(b, draft)) - Number(isUrgent(a, draft)) || a.since - b.since);
  let left = Math.abs(surplus) - coming.length;
  let mayReplace = coming.length === 0 && !isQuiet(settings.quietHours, now);
  for (const entry of candidates) {
    const urgent = isUrgent(entry, draft);
    if (left <= 0 || !(urgent || (mayReplace && entry.phase === 'ready'))) return;
    const held = draft.entries.filter(isComing);
    const why = `It relieves ${entry.id ?? entry.mark}.`;
    const purchase =
      surplus > 0 ? interruptible(held, draft.market, settings, why) : onDemand(draft.market, settings, why);
    if (purchase === undefined) return;
    const kind = { ...kindOf(purchase), relieves: entry.mark };
    draft.put(order(newMark(), `Successor of ${entry.id ?? entry.inPlaceOf ?? entry.mark}.`, now, 0, undefined, kind));
    left -= 1;
    mayReplace &&= urgent;
  }
}

/** Who is in a pool that has become dear is relieved from a cheaper one, as soon as that is worth a boot: where most is saved first. */
function cheapen(view: View, draft: Draft): void {
  const { now, settings, newMark } = view;
  const coming = draft.entries.filter((entry) => entry.relieves !== undefined && isComing(entry));
  const relieved = new Set(coming.map(({ relieves }) => relieves));
  const held = draft.entries.filter(
    (entry) => isComing(entry) && entry.interruptAt === undefined && !relieved.has(entry.mark),
  );
  const { market } = draft;
  const dear = dearPools(held, market, settings);
  const ready = activeIn(draft.entries).filter(({ phase }) => phase === 'ready');
  const due = new Map<string, Relief>();
  for (const entry of ready) {
    const relief = isInterruptible(entry) ? dear.get(entry.offer?.pool ?? '') : undefined;
    if ((relief === undefined) !== (entry.dearSince === undefined)) draft.put(noteDear(entry, relief && now));
    const bootMs = (entry.bootTime ?? settings.bootDeadline) + settings.drainDeadline;
    const isDue = relief !== undefined && isWorthIt(relief, now - (entry.dearSince ?? now), bootMs);
    if (isDue && !settings.protected.includes(entry.id ?? '')) due.set(entry.mark, relief);
  }
  const isBalanced = surplusOnDemand(activeIn(draft.entries), settings) === 0;
  if (due.size === 0 || !isBalanced || coming.length > 0 || isQuiet(settings.quietHours, now)) return;
  const saves = (group: readonly Entry[]): number =>
    group.reduce((sum, { mark }) => sum + (due.get(mark)?.saves ?? 0), 0);
  const groups = machinesIn(view, draft).filter((group) => group.every(({ mark }) => due.has(mark)));
  for (const group of groups.toSorted((a, b) => saves(b) - saves(a) || (a[0]?.since ?? 0) - (b[0]?.since ?? 0))) {
    const reliefs = reliefsOf(group, held, market, settings);
    if (reliefs === undefined) continue;
    for (const [i, entry] of group.entries()) {
      const why = `Successor of ${entry.id ?? entry.mark}: ${reliefs[i]?.why}`;
      draft.put(
        order(newMark(), why, now, 0, undefined, { ...kindOf(reliefs[i]), relieves: entry.mark, forLess: true }),
      );
    }
    return;
  }
}

/** Who is on a machine together; who has one of his own is alone. */
function machinesIn({ provided }: View, draft: Draft): readonly (readonly Entry[])[] {
  const there = draft.entries.filter(({ phase }) => phase !== 'wanted' && phase !== 'releasing');
  return [...Map.groupBy(there, ({ id = '', mark }) => provided.byId.get(id)?.node ?? mark).values()];
}

const isComing = (entry: Entry): boolean => isUp(entry) || entry.phase === 'wanted';

/** It stands in for a VM that is still there, so that its successor is ordered together with it. */
const isUrgent = ({ inPlaceOf }: Entry, draft: Draft): boolean =>
  inPlaceOf !== undefined && draft.entries.some((entry) => entry.id === inPlaceOf && !counts(entry));

const seconds = (ms: Millis): string => `${Math.max(0, Math.round(ms / 1000))} s`;
