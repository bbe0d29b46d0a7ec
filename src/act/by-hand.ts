// What a person does to the fleet, beside all decisions: a VM more, one less, another one in its place, one kept to look at.
// A string says in one sentence why it can't be.
import { kindOf, nextKind } from './kinds.ts';
import { isActive, isPutOff, isUp, type Entry } from './entry.ts';
import { cancel, giveBack, keep, order } from './ledger.ts';
import { counts, purchases } from '../fleet/mix.ts';
import { hasChoice } from '../fleet/offers.ts';
import { NOTHING, type Planned, type View } from './view.ts';

/** `drain`: its requests end, and it goes. `keep`: its requests end, and it stays until it is given back by `release`. */
export const VM_DEEDS = ['keep', 'release', 'drain', 'replace'] as const;

export type Deed =
  { readonly what: 'add'; readonly count: number } | { readonly what: (typeof VM_DEEDS)[number]; readonly vm: string };

const IN_DRY_RUN = 'This is a dry run, which changes nothing at the provider: mmeliot set dryRun=false first.';

export function planByHand(deed: Deed, who: string, view: View): Planned | string {
  if (deed.what === 'add') return added(deed.count, who, view);
  const entry = [...view.ledger.values()].find(({ id, mark }) => (id ?? mark) === deed.vm);
  if (entry === undefined) return `There is no VM ${deed.vm} in this group.`;
  return ofVm[deed.what](entry, who, view);
}

type Planner = (entry: Entry, who: string, view: View) => Planned | string;

const ofVm: Readonly<Record<(typeof VM_DEEDS)[number], Planner>> = {
  keep(entry, who, { now }) {
    if (entry.kept) return `VM ${nameOf(entry)} is kept already.`;
    if (entry.phase === 'releasing') return `VM ${nameOf(entry)} is being given back already.`;
    if (entry.phase === 'wanted') return `VM ${nameOf(entry)} is not there yet: there is nothing to keep.`;
    return changed(keep(entry, `Kept by ${who}.`, now));
  },

  release(entry, who, { now, settings }) {
    if (!entry.kept) return `VM ${nameOf(entry)} is not kept: drain it, or let the manager decide when it goes.`;
    if (settings.dryRun) return IN_DRY_RUN;
    return changed(giveBack(entry, `Given back by ${who}.`, now));
  },

  drain(entry, who, { now, settings, busy }) {
    const refused = onItsWayOut(entry);
    if (refused !== undefined) return refused;
    if (settings.dryRun) return IN_DRY_RUN;
    if (entry.phase === 'wanted' && busy.has(entry.mark))
      return `The provider is being asked for VM ${nameOf(entry)} at this moment: try again in some seconds.`;
    const next = cancel(entry, `Drained by ${who}.`, now);
    return next === undefined ? { ...NOTHING, gone: [entry.mark] } : changed(next);
  },

  replace(entry, who, view) {
    const { now, settings, ledger, newMark } = view;
    const refused = onItsWayOut(entry);
    if (refused !== undefined) return refused;
    if (settings.dryRun) return IN_DRY_RUN;
    if (!isUp(entry)) return `VM ${nameOf(entry)} is not there yet: there is nothing to replace.`;
    if (!counts(entry)) return `VM ${nameOf(entry)} is being replaced, or replaces another one, already.`;
    const entries = [...ledger.values()];
    if (entries.some(({ relieves, phase }) => relieves === entry.mark && phase !== 'releasing'))
      return `VM ${nameOf(entry)} is being replaced already.`;
    const others = entries.filter(({ mark }) => mark !== entry.mark);
    const why = `In place of ${nameOf(entry)}: replaced by ${who}.`;
    return changed(order(newMark(), why, now, 0, undefined, { ...nextKind(others, view), relieves: entry.mark }));
  },
};

function onItsWayOut(entry: Entry): string | undefined {
  if (entry.kept) return `VM ${nameOf(entry)} is kept for somebody to look at: give it back first.`;
  if (entry.phase === 'draining' || entry.phase === 'releasing')
    return `VM ${nameOf(entry)} is on its way out already.`;
  return undefined;
}

function added(count: number, who: string, view: View): Planned | string {
  const { settings, market, now, newMark } = view;
  if (settings.dryRun) return IN_DRY_RUN;
  const entries = [...view.ledger.values()];
  const there = entries.filter((entry) => isActive(entry) || (isPutOff(entry) && counts(entry)));
  const room = settings.max - there.length;
  if (count > room)
    return `There ${there.length === 1 ? 'is 1 VM' : `are ${there.length} VMs`} and max is ${settings.max}: raise max first, for instance mmeliot set max=${there.length + count}.`;
  const bought = hasChoice(market) ? purchases(count, there, market, settings) : [];
  const orders = Array.from({ length: count }, (_, i) =>
    order(newMark(), `Added by ${who}.`, now, 0, undefined, kindOf(bought[i])),
  );
  return { ...NOTHING, entries: orders };
}

const changed = (entry: Entry): Planned => ({ ...NOTHING, entries: [entry] });

const nameOf = ({ id, mark }: Entry): string => id ?? mark;
