// A VM's life. Every change of an entry is a function of this file: the ways from one phase to another, and what is noted within one.
//
//   from      | to        | when                                                                     | by
//   ----------|-----------|--------------------------------------------------------------------------|--------
//   (none)    | wanted    | a decision, the minimum, or the place of a VM that failed                | order
//   (none)    | booting   | it runs with the group's mark, without an order                          | find
//   (none)    | releasing | the same, and it doesn't run                                             | find
//   wanted    | booting   | the provider took the order, or lists a VM with its mark                 | settle, notice
//   booting   | ready     | it answered, and the gateway knows it                                    | settle
//   booting   | releasing | it failed, went, is shut down by somebody else, or was not ready in time | notice, restore, lose
//   booting   | draining  | it is not needed any more; the gateway may know it already               | cancel
//   ready     | booting   | the manager was started again: it must show itself once more             | restore
//   ready     | draining  | a decision, a notice, one that relieves it, or somebody else shuts it down | leave, notice
//   ready     | releasing | it crashed, went, or doesn't answer                                      | notice, settle, restore, lose
//   booting   | draining  | a person wants it kept: the gateway may know it from before a restart    | keep
//   ready     | draining  | the same                                                                 | keep
//   draining  | releasing | its requests have ended, or it is gone                                   | settle, notice
//   draining  | kept      | the same, and a person wants it kept                                     | settle, notice
//   kept      | releasing | a person gives it back                                                   | giveBack
//   releasing | (none)    | the provider lists it no more                                            | notice
//   leaving   | (none)    | its number is that of another VM                                         | lose
//   wanted    | (none)    | it is not needed any more                                                | cancel
//   wanted    | (none)    | put off, and the manager was started again                               | restore
//   wanted    | (none)    | a successor for which there is no room                                   | plan.ts
//
//   within    | what is noted                                                            | by
//   ----------|--------------------------------------------------------------------------|--------
//   any       | a step failed and is tried again; what the provider's list says besides  | settle, notice
//   any       | it relieves nobody any more; no other is tried in its place              | standAlone, giveUpPlace
//   ready     | whom it stood in for is gone, and it stays                               | standForItself
//   wanted    | another kind is asked for; there is room for none                        | askFor, waitForRoom
//   is up     | the cloud takes it; tells so no more; has changed its mind               | interrupt, doubt, spare
//   ready     | another pool has become much cheaper than its own; is so no more         | noteDear
//   any       | somebody has set the clock                                               | moved
import { backOff } from '../../epcis/domain/back-off.ts';
import type { Millis } from '../model.ts';
import { isPutOff, isUp, type Entry, type Kind, type Phase } from './entry.ts';
import type { ProvidedVm } from './provider.ts';
import type { Result, Step, StepOf } from './step.ts';

/** The table above, for an entry that is there. */
export const WAYS: Readonly<Record<Phase, readonly Phase[]>> = {
  wanted: ['booting'],
  booting: ['ready', 'draining', 'releasing'],
  ready: ['booting', 'draining', 'releasing'],
  draining: ['kept', 'releasing'],
  kept: ['releasing'],
  releasing: [],
};

/** Before the next attempt: 1, 2, 4 … s, at most 5 min. Worked: after the third failure 4 s. */
const pauseAfter = (failures: number): Millis => backOff(failures, 1_000, 300_000);

/** A running VM without an order gets this long to prove itself. */
const FOUND_MS = 15_000;

/** For so long after it was made a VM may be listed, and not be listed again. */
const LAG_MS = 15_000;

const UNEXPLAINED =
  'No order of this manager explains it and it was never ready. If that goes on, a second manager runs for this group: only one may.';
/** A booting VM that doesn't answer is asked again with the next pass. */
const CHECK_EVERY_MS = 500;
/** A released VM that is still listed after this long is released again. */
const RELEASE_AGAIN_MS = 60_000;
/** What only a person can put right is tried again at this pace: soon after that is done, and no burden until then. */
const REFUSED_AGAIN_MS = 60_000;
const PROBE_EVERY_MS = 5_000;
const PROBES = 3;

/** Wanted. `failures`: VMs in a row that failed in its place. */
export const order = (
  mark: string,
  why: string,
  now: Millis,
  failures = 0,
  period?: number,
  kind: Kind = {},
): Entry => ({
  mark,
  phase: 'wanted',
  since: now,
  why,
  attempts: 0,
  retryAt: now + pauseAfter(failures),
  failures,
  ...(period === undefined ? {} : { period }),
  ...kind,
});

/** With the group's mark but in no order of ours: it proves itself ready soon, or it is released. */
export function find(vm: ProvidedVm, mark: string, now: Millis): Entry {
  const entry: Entry = {
    mark,
    id: vm.id,
    phase: 'booting',
    since: now,
    why: 'Found at the provider without an order.',
    deadline: now + FOUND_MS,
    attempts: 0,
    retryAt: now,
    failures: 0,
    found: true,
    ...(vm.offer && { offer: vm.offer }),
  };
  return vm.state === 'running' ? entry : fail(entry, UNEXPLAINED, now);
}

/** It is given back: its requests end first. */
export const leave = (entry: Entry, why: string, now: Millis, period?: number): Entry =>
  enter(entry, 'draining', now, { why, ...(period === undefined ? {} : { period }) });

/** It is not needed any more, wherever it is on its way; undefined: it was never there. */
export function cancel(entry: Entry, why: string, now: Millis, period?: number): Entry | undefined {
  if (entry.phase === 'wanted') return undefined;
  // a booting one may be in the gateway already: its admission is under way, or it is from before a restart
  return isUp(entry) ? leave(entry, why, now, period) : entry;
}

/** A person takes it out of the fleet: its requests end, and then it stays until it is given back. */
export function keep(entry: Entry, why: string, now: Millis): Entry {
  if (entry.phase === 'draining') return { ...entry, kept: true, why };
  return enter(entry, 'draining', now, { kept: true, why });
}

/** What was kept goes. */
export function giveBack(entry: Entry, why: string, now: Millis): Entry {
  if (entry.phase === 'draining') return { ...entry, kept: undefined, why };
  return enter(entry, 'releasing', now, { kept: undefined, out: undefined, why });
}

/** Its number is that of another VM: there is nothing of it to be given back. Undefined: nothing of it to be replaced either. */
export const lose = (entry: Entry, now: Millis): Entry | undefined =>
  isUp(entry)
    ? {
        ...fail(entry, `VM ${entry.id}: the cloud has forgotten it, and gave its number to another.`, now),
        id: undefined,
      }
    : undefined;

/** Another kind of VM than it was to be. */
export const askFor = (entry: Entry, kind: Kind, now: Millis): Entry => ({
  ...entry,
  ...kind,
  full: undefined,
  retryAt: now,
});

/** There is no room for it anywhere. */
export const waitForRoom = (entry: Entry): Entry => ({ ...entry, full: true });

/** Whom it was to relieve is gone: it serves for itself. */
export const standAlone = (entry: Entry): Entry => ({ ...entry, relieves: undefined, forLess: undefined });

/** Whom it stood in for is gone, and it stays. */
export const standForItself = (entry: Entry): Entry => ({ ...entry, inPlaceOf: undefined });

/** So many failed one after the other that its place is given up. */
export const giveUpPlace = (entry: Entry, failures: number): Entry => ({
  ...entry,
  why: `${entry.why} After ${failures} in a row no other is tried in its place.`,
});

/** The cloud takes it away then. */
export const interrupt = (entry: Entry, interruptAt: Millis, now: Millis): Entry => ({
  ...entry,
  interruptAt,
  noticedAt: entry.noticedAt ?? now,
  untoldSince: undefined,
});

/** It told of that, and does no more. */
export const doubt = (entry: Entry, now: Millis): Entry => ({ ...entry, untoldSince: now });

/** It has changed its mind. */
export const spare = (entry: Entry): Entry => ({
  ...entry,
  interruptAt: undefined,
  noticedAt: undefined,
  untoldSince: undefined,
});

/** Its pool is dear, or (undefined) not any more. */
export const noteDear = (entry: Entry, dearSince: Millis | undefined): Entry => ({ ...entry, dearSince });

/** The clock by which its times are kept was set; when the cloud takes it is the cloud's to say. */
export const moved = (entry: Entry, by: Millis): Entry => ({
  ...entry,
  since: entry.since + by,
  retryAt: entry.retryAt + by,
  ...(entry.deadline !== undefined && { deadline: entry.deadline + by }),
  ...(entry.noticedAt !== undefined && { noticedAt: entry.noticedAt + by }),
  ...(entry.untoldSince !== undefined && { untoldSince: entry.untoldSince + by }),
  ...(entry.dearSince !== undefined && { dearSince: entry.dearSince + by }),
});

interface Timing {
  readonly now: Millis;
  readonly bootDeadline: Millis;
}

export interface Moment extends Timing {
  /** VMs (by id) of whose load nothing has been heard. */
  readonly dark: ReadonlySet<string>;
}

/** What the provider's list makes of an entry; `vm` is absent where it isn't listed. Undefined: it is done with. */
export function notice(entry: Entry, vm: ProvidedVm | undefined, moment: Moment): Entry | undefined {
  return notices[entry.phase](entry, vm, moment);
}

const notices: Readonly<
  Record<Phase, (entry: Entry, vm: ProvidedVm | undefined, moment: Moment) => Entry | undefined>
> = {
  // An order whose answer got lost was fulfilled all the same.
  wanted: (entry, vm, moment) => (vm === undefined ? entry : accept(entry, vm.id, moment)),

  booting(entry, vm, { now, bootDeadline }) {
    // who is asked next may not know of it yet: of several front ends one is behind the other
    if (vm === undefined && entry.seen && now - entry.since > LAG_MS)
      return fail(entry, 'It vanished while it started.', now);
    if (vm?.state === 'failed') return fail(entry, `It failed to start${noteOf(vm)}.`, now);
    if (vm?.state === 'releasing') return fail(entry, 'Somebody else shuts it down.', now);
    if (vm?.waiting) return entry.waiting && entry.seen ? entry : { ...entry, seen: true, waiting: true };
    if (vm !== undefined && entry.waiting) return { ...entry, waiting: undefined, deadline: now + bootDeadline };
    if (now > (entry.deadline ?? now)) return fail(entry, neverReady(vm, bootDeadline), now);
    return vm === undefined || entry.seen ? entry : { ...entry, seen: true };
  },

  ready(entry, vm, { now, dark }) {
    if (vm?.state === 'failed') return fail(entry, `It failed${noteOf(vm)}.`, now);
    if (vm?.state === 'releasing')
      return enter(entry, 'draining', now, { why: 'Somebody else shuts it down.', taken: true });
    const inDoubt = vm === undefined || dark.has(vm.id);
    return inDoubt || entry.problem === undefined ? entry : { ...entry, attempts: 0, problem: undefined };
  },

  draining: (entry, vm, { now }) =>
    entry.id === undefined || vm === undefined || vm.state === 'failed' ? drained(entry, now) : entry,

  kept(entry, vm) {
    const problem = whyNoUse(vm);
    return !entry.out || problem === entry.problem ? entry : { ...entry, problem };
  },

  releasing(entry, vm, { now }) {
    if (entry.id === undefined || (entry.asked && vm === undefined)) return undefined;
    if (!entry.asked || entry.retryAt > now) return entry;
    return { ...entry, problem: 'The provider took the release but still shows the VM.' };
  },
};

const drained = (entry: Entry, now: Millis): Entry => enter(entry, entry.kept ? 'kept' : 'releasing', now);

/** Whoever kept it decides what becomes of it, also when there is nothing left to look at. */
function whyNoUse(vm: ProvidedVm | undefined): string | undefined {
  if (vm === undefined) return 'It is kept, but the provider lists it no more: give it back, and it is forgotten.';
  return vm.state === 'running' || vm.state === 'pending' ? undefined : `It is kept, and ${vm.state}${noteOf(vm)}.`;
}

function neverReady(vm: ProvidedVm | undefined, bootDeadline: Millis): string {
  const inTime = `within its boot deadline of ${bootDeadline / 1000} s`;
  if (vm === undefined) return `The provider accepted it but did not show it ${inTime}.`;
  if (vm.state === 'running') return `It runs but did not answer its readiness check ${inTime}.`;
  const stage = vm.stage === undefined ? '' : `: the provider still has it in ${vm.stage}`;
  return `It did not come up ${inTime}${stage}${noteOf(vm)}.`;
}

const noteOf = ({ note }: ProvidedVm): string => (note === undefined ? '' : ` (${note.replace(/[.]$/, '')})`);

/** What a step's result makes of its entry. A result that comes when the VM has gone on meanwhile changes nothing. */
export function settle<K extends Step['kind']>(
  entry: Entry,
  step: StepOf<K>,
  result: Result,
  moment: Timing & { readonly listed: boolean },
): Entry {
  const settler: Settler<K> = settlers[step.kind];
  return STEP_OF[entry.phase].includes(step.kind) ? settler(entry, step, result, moment) : entry;
}

const STEP_OF: Readonly<Record<Phase, readonly Step['kind'][]>> = {
  wanted: ['allocate'],
  booting: ['admit'],
  ready: ['probe'],
  draining: ['drain'],
  kept: ['withdraw'],
  releasing: ['release'],
};

type Settler<K extends Step['kind']> = (
  entry: Entry,
  step: StepOf<K>,
  result: Result,
  moment: Timing & { readonly listed: boolean },
) => Entry;

const settlers: { readonly [K in Step['kind']]: Settler<K> } = {
  allocate: (entry, _step, result, moment) =>
    result.ok && result.id !== undefined ? accept(entry, result.id, moment) : putOff(entry, result, moment.now),
  admit(entry, { address }, result, { now }) {
    if (result.ok) return enter(entry, 'ready', now, { address, found: undefined, ...bootTime(entry, now) });
    return result.message === undefined ? { ...entry, retryAt: now + CHECK_EVERY_MS } : putOff(entry, result, now);
  },
  probe: (entry, _step, { ok }, { listed, now }) => (ok ? heard(entry, listed, now) : unheard(entry, listed, now)),
  drain: (entry, _step, result, { now }) => (result.ok ? drained(entry, now) : putOff(entry, result, now)),
  withdraw: (entry, _step, result, { now }) =>
    result.ok ? { ...entry, out: true, attempts: 0, problem: undefined } : putOff(entry, result, now),
  release: (entry, _step, result, { now }) =>
    result.ok ? { ...entry, asked: true, attempts: 0, retryAt: now + RELEASE_AGAIN_MS } : putOff(entry, result, now),
};

/** Measured once: a restarted manager sees VMs come in that booted long ago. */
const bootTime = (entry: Entry, now: Millis): Pick<Entry, 'bootTime'> =>
  entry.bootTime === undefined && !entry.found ? { bootTime: now - entry.since } : {};

/** A VM that answers although it was in doubt. */
function heard(entry: Entry, listed: boolean, now: Millis): Entry {
  const problem = 'It answers, but the provider does not list it: it stays until it stops answering.';
  return { ...entry, attempts: 0, retryAt: now + PROBE_EVERY_MS, problem: listed ? undefined : problem };
}

/** A VM in doubt that doesn't answer. */
function unheard(entry: Entry, listed: boolean, now: Millis): Entry {
  if (!listed) return fail(entry, 'It is gone from the provider and does not answer.', now);
  const problem = 'Its agent is silent and it does not answer.';
  const attempts = entry.attempts + 1;
  return attempts >= PROBES
    ? fail(entry, problem, now)
    : { ...entry, attempts, retryAt: now + PROBE_EVERY_MS, problem };
}

/** Tried again later, with the reason kept for the operator. */
function putOff(entry: Entry, { message = 'It failed.', refused }: Result, now: Millis): Entry {
  const attempts = entry.attempts + 1;
  const retryAt = now + (refused ? REFUSED_AGAIN_MS : pauseAfter(attempts));
  return { ...entry, attempts, retryAt, problem: message, refused: refused ? true : undefined };
}

/**
 * The ledger after a restart. VMs that were ready must show themselves ready again before they are told to the
 * gateway, which may be new, too; VMs that are gone are taken out of the gateway, which may be as old as they are; orders
 * that had been put off are taken anew by the next decision, unless one was fulfilled before its manager had heard of it.
 */
export function restore(entries: readonly Entry[], provided: readonly ProvidedVm[], moment: Timing): readonly Entry[] {
  const listed = new Set(provided.map((vm) => vm.id));
  const fulfilled = new Set(provided.map((vm) => vm.mark));
  return entries
    .filter((entry) => !isPutOff(entry) || fulfilled.has(entry.mark))
    .map((entry) => restoreOne(entry, listed, moment));
}

function restoreOne(entry: Entry, listed: ReadonlySet<string>, { now, bootDeadline }: Timing): Entry {
  const accepted = entry.phase === 'ready' || entry.phase === 'booting';
  if (accepted && !listed.has(entry.id ?? '')) return fail(entry, 'It went while the manager was away.', now);
  // the gateway may be as old as the manager's last life
  if (entry.phase === 'kept') return { ...entry, out: undefined, retryAt: now };
  if (entry.phase !== 'ready') return { ...entry, retryAt: now };
  return enter(entry, 'booting', now, { deadline: now + bootDeadline, seen: true });
}

const accept = (entry: Entry, id: string, { now, bootDeadline }: Timing): Entry =>
  enter(entry, 'booting', now, { id, deadline: now + bootDeadline });

const fail = (entry: Entry, why: string, now: Millis): Entry => enter(entry, 'releasing', now, { failed: true, why });

/** The same VM in its next phase; what was noted of the last phase's attempts is over. */
function enter(entry: Entry, phase: Phase, now: Millis, more: Partial<Entry> = {}): Entry {
  if (!WAYS[entry.phase].includes(phase)) throw new Error(`A VM can't go from ${entry.phase} to ${phase}.`);
  const over = { problem: undefined, refused: undefined, deadline: undefined };
  return { ...entry, phase, since: now, attempts: 0, retryAt: now, ...over, ...more };
}
