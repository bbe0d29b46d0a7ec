// What is true of the manager now, with a reason and, where somebody can do something, a remedy. Page, log, metrics,
// alerts, API and `mmeliot status` show the same conditions.
import { calendarSentence, limitsAt } from '../decide/calendar.ts';
import { counts, surplusOnDemand } from '../fleet/mix.ts';
import { hasChoice, isInterruptible } from '../fleet/offers.ts';
import type { Comparison, Decision, Millis, Traffic } from '../model.ts';
import type { GatewayVm, LoopState } from './loop-state.ts';
import { shown } from './settings-text.ts';

export const STATUSES = ['ok', 'note', 'warning', 'error', 'unknown'] as const;

export interface Condition {
  readonly name: ConditionName;
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
  /** Requests that may wait at the gateway. */
  readonly queueCapacity: number;
  /** Absent before it was first asked; `why` where it doesn't answer, `unwritable` where it answers and takes no writes. */
  readonly repository?: { readonly why?: string; readonly unwritable?: string; readonly replica?: ReplicaSeen };
  /** Of the disk that the data folder is on; absent where the system doesn't tell. */
  readonly disk?: { readonly path: string; readonly freeBytes: number; readonly totalBytes: number };
  /** Files that hold secrets, and that every user of this machine may read. */
  readonly exposed?: readonly string[];
  /** When a report last came in the name of a VM, signed with another secret than the group's. */
  readonly refused?: ReadonlyMap<string, Millis>;
  /** The last load report whose time was too far from ours. */
  readonly apart?: { readonly vm: string; readonly ms: Millis; readonly at: Millis };
  /** The machines that carry VMs, where several may be on one; `note`: why it is of no use at present. */
  readonly nodes?: readonly { readonly id: string; readonly note?: string }[];
}

/** Of the replica that queries read from: how far it is behind, or why it doesn't tell. */
type ReplicaSeen = { readonly why: string } | { readonly lag: Millis };

type Finding = Omit<Condition, 'name'>;

/** One function for each condition; a name without one does not compile. */
const findings = {
  repository,
  rotation,
  allocation,
  room,
  market,
  calendar,
  guards,
  settings,
  kept,
  paused,
  'dry-run': dryRun,
  backlog,
  queue,
  refusals,
  disk,
  secrets,
  reports,
  clocks,
  nodes,
  decisions,
} satisfies Readonly<Record<string, (facts: Facts) => Finding>>;

export type ConditionName = keyof typeof findings;

export const CONDITION_NAMES = Object.keys(findings) as readonly ConditionName[];

/** The worst first, wherever they are shown. */
const FIRST: readonly Condition['status'][] = ['error', 'warning', 'unknown', 'note', 'ok'];

export const conditionsOf = (facts: Facts, names: readonly ConditionName[] = CONDITION_NAMES): readonly Condition[] =>
  names
    .map((name) => ({ name, ...findings[name](facts) }))
    .sort((a, b) => FIRST.indexOf(a.status) - FIRST.indexOf(b.status));

/** Of VMs that no client's request goes to; what is the group's is told once, of the role that has clients. */
export const WORK_CONDITIONS: readonly ConditionName[] = [
  ...(['allocation', 'room', 'market', 'calendar', 'guards', 'settings', 'kept', 'paused', 'dry-run'] as const),
  'decisions',
];

const ok = (reason: string): Finding => ({ status: 'ok', reason });
const note = (reason: string, remedy: string): Finding => ({ status: 'note', reason, remedy });
const warning = (reason: string, remedy: string): Finding => ({ status: 'warning', reason, remedy });
const error = (reason: string, remedy: string): Finding => ({ status: 'error', reason, remedy });
const unknown = (reason: string): Finding => ({ status: 'unknown', reason });

function repository({ repository: asked, traffic: { causes = {}, span = 0 } }: Facts): Finding {
  if (asked === undefined) return unknown('The repository has not been asked yet.');
  const remedy = 'Start the database, or check repository.url: without it no VM can answer a client.';
  if (asked.why !== undefined) return error(`The repository does not answer: ${asked.why}.`, remedy);
  if (asked.unwritable !== undefined)
    return error(`The repository is read, and takes no writes: ${asked.unwritable}.`, UNWRITABLE_REMEDY);
  const { repository: refused = 0 } = causes;
  if (refused === 0) return replicaOf(asked.replica);
  return error(
    `The repository answered the manager when it was last asked, and ${refused === 1 ? 'one request' : `${refused} requests`} in the last ${seconds(span)} found it away, without room, or not to be written to.`,
    `Look whether the database runs. ${UNWRITABLE_REMEDY}`,
  );
}

/** Farther behind, a replica is one that somebody should look after. */
const MOST_LAG_MS = 30_000;

function replicaOf(replica: ReplicaSeen | undefined): Finding {
  if (replica === undefined) return ok('The repository answers.');
  if ('why' in replica)
    return warning(
      `The repository answers, and not its replica, so queries read from the primary: ${replica.why}.`,
      'Start the replica, or check repository.readUrl.',
    );
  if (replica.lag <= MOST_LAG_MS)
    return ok(
      `The repository answers; its replica, which queries read from, ${replica.lag === 0 ? 'has what it has' : `is ${seconds(replica.lag)} behind`}.`,
    );
  return warning(
    `Queries read from a replica that is ${seconds(replica.lag)} behind: what was captured since is not seen.`,
    "Look at the replica's replication, or leave repository.readUrl empty.",
  );
}

const UNWRITABLE_REMEDY =
  'Make room on its disk, or let it be written to (read_only of MariaDB); the log of a VM says what it met.';

/** So long the first allocation may take. */
const FIRST_STEP_MS = 10_000;

function rotation({ loop: { fleet, at, startedAt, parameters }, gatewayVms }: Facts): Finding {
  const ready = fleet.filter(({ state }) => state === 'ready').length;
  const inside = gatewayVms.filter(({ state }) => state === 'ready').length;
  const out = gatewayVms.filter(({ state }) => state === 'out');
  const whyOut = out.map(({ id, note: why }) => (why === undefined ? id : `${id} (${why})`)).slice(0, 3);
  if (inside === 0 && out.length > 0)
    return error(
      `No VM takes requests; out of the rotation: ${whyOut.join(', ')}.`,
      "Look at the repository first, then at the VMs' logs.",
    );
  if (inside === 0 && fleet.length === 0 && parameters.dryRun)
    return error('There is no VM that takes requests, and in a dry run none is added.', LEAVE_DRY_RUN);
  const starting = fleet.filter(({ state }) => state === 'pending').length;
  if (inside === 0 && at - startedAt < parameters.bootDeadline && (starting > 0 || at - startedAt < FIRST_STEP_MS))
    return note(`No VM takes requests yet; ${vms(starting)} ${are(starting)} starting.`, 'Wait for the boot.');
  if (inside === 0) return error('There is no VM that takes requests.', 'Look at what the provider says.');
  if (out.length > 0)
    return warning(
      `${inside} of ${vms(Math.max(ready, inside + out.length))} take requests; out of the rotation: ${whyOut.join(', ')}.`,
      "Look at the VMs' logs.",
    );
  return ok(inside === 1 ? 'One VM takes requests.' : `${inside} VMs take requests.`);
}

function allocation({ loop: { obstacles } }: Facts): Finding {
  if (obstacles.provider !== undefined)
    return error(obstacles.provider, 'Check that the cloud answers, and its address and login in the configuration.');
  const [why] = obstacles.putOff;
  if (why !== undefined)
    return error(
      why,
      obstacles.refused
        ? 'Put right what the provider says, there or in the configuration: it is tried again once a minute.'
        : obstacles.failed
          ? "Look into that VM's log for what keeps it, or raise bootDeadline where it only takes longer: it is tried again by itself."
          : 'Make room at the provider, or lower max: it is tried again by itself.',
    );
  if (obstacles.stuck !== undefined)
    return error(
      obstacles.stuck,
      'Put right at the provider what keeps it, or wait: it is given up at its deadline, and asked for anew.',
    );
  return ok('The provider answers, and no VM is wanted in vain.');
}

function room({ loop: { last, parameters, fleet, at } }: Facts): Finding {
  const { max, scheduledBy } = limitsAt(parameters, at);
  const present = fleet.filter((vm) => counts(vm) && (vm.state === 'ready' || vm.state === 'pending')).length;
  const text = `${present} of at most ${vms(max)} ${are(present)} there`;
  if (last === undefined || present < max || !wantsMore(last.decision)) return ok(`${text}.`);
  return warning(
    `The fleet is saturated: ${text}, and the load asks for more.`,
    scheduledBy === undefined
      ? `Raise max, for instance: mmeliot set max=${max + 1}.`
      : `Raise max in the calendar's window ${scheduledBy}: elasticity.calendar.`,
  );
}

/** A policy holds at the maximum by a rule of its own, or the guard of the bounds holds it. */
function wantsMore({ action, guard, comparisons }: Decision): boolean {
  if (action !== 'hold') return false;
  if (guard?.name === 'bounds' && guard.was === 'allocate') return true;
  const rules = new Map<string, Comparison[]>();
  for (const term of comparisons)
    if (term.for === 'allocate') rules.set(term.rule ?? '', [...(rules.get(term.rule ?? '') ?? []), term]);
  return [...rules.values()].some((terms) => {
    const missing = terms.filter(({ holds }) => !holds);
    return missing.length > 0 && missing.every(isRoom);
  });
}

function market({ loop: { market: seen, fleet, parameters } }: Facts): Finding {
  if (!hasChoice(seen)) return ok('The provider offers one kind of VM.');
  const taken = fleet.filter(({ interruptAt, state }) => interruptAt !== undefined && state !== 'releasing');
  if (taken.length > 0)
    return note(
      `The cloud takes ${taken.map(({ id }) => id).join(', ')}.`,
      'Nothing is to do: others take the place, and mmeliot explain says which.',
    );
  const active = fleet.filter((vm) => counts(vm) && (vm.state === 'ready' || vm.state === 'pending'));
  const missing = surplusOnDemand(active, parameters);
  const cheap = active.filter(isInterruptible).length;
  const text = `${cheap} of ${active.length} VMs are interruptible`;
  if (missing <= 0 || seen.resting.length === 0) return ok(`${text}.`);
  return note(
    `${text}, and ${missing} more should be; left in peace for a while, since they had no room, were refused or interrupted: ${seen.resting.join(', ')}.`,
    'It is tried again by itself; fleet.pools and fleet.maxPrice widen the choice.',
  );
}

function calendar({ loop: { parameters, at } }: Facts): Finding {
  return ok(parameters.calendar.length === 0 ? 'There is no calendar.' : calendarSentence(parameters, at));
}

/** `VMs < max`: the term by which a policy keeps to the maximum itself. */
const isRoom = ({ what, operator }: Comparison): boolean => what === 'VMs' && operator === '<';

const GUARD_REMEDIES: Readonly<Record<string, string>> = {
  pending: 'Wait until every VM is ready and warm, or set decideWhilePending=true.',
  dark: 'Look at the agent of that VM: nothing is released until its load is known.',
  cooldown: 'Wait, or shorten allocateCooldown and releaseCooldown.',
  step: 'Raise step for larger changes in one period.',
  'no-flap': 'Nothing is wrong: one VM less would be one too few. Lower low for rarer attempts.',
};

function guards({ loop: { last } }: Facts): Finding {
  const guard = last?.decision.guard;
  const remedy = GUARD_REMEDIES[guard?.name ?? ''];
  return guard === undefined || remedy === undefined ? ok('No guard holds anything back.') : note(guard.reason, remedy);
}

function settings({ loop: { overrides } }: Facts): Finding {
  const different = overrides.filter(({ value, configured }) => JSON.stringify(value) !== JSON.stringify(configured));
  if (different.length === 0) return ok('The settings are those of the configuration.');
  const each = different.map(
    ({ name, value, configured }) => `${name} is ${shown(name, value)} (configured: ${shown(name, configured)})`,
  );
  return note(
    `Settings were changed while it ran, and hold over restarts: ${each.join('; ')}.`,
    'Back to the configuration: mmeliot set --reset.',
  );
}

function kept({ loop: { fleet, at } }: Facts): Finding {
  const aside = fleet.filter(({ state }) => state === 'kept');
  const [first] = aside;
  if (first === undefined) return ok('No VM is kept aside.');
  const which = aside.map(({ id, since }) => `${id} (for ${seconds(at - since)})`).join(', ');
  return note(
    `${aside.length === 1 ? 'One VM is' : `${aside.length} VMs are`} kept aside, takes no requests and still costs: ${which}.`,
    `Give it back when nobody needs it any more: mmeliot vm release ${first.id}.`,
  );
}

function paused({ loop: { parameters, last } }: Facts): Finding {
  if (!parameters.paused) return ok('The manager decides.');
  const reason = 'The manager is paused: no decision adds or releases a VM';
  const { name, was } = last?.decision.guard ?? {};
  return name === 'paused' && was === 'allocate'
    ? warning(`${reason}, and the load asks for more.`, 'Let it decide again: mmeliot resume.')
    : note(`${reason}.`, 'Let it decide again: mmeliot resume.');
}

function dryRun({ loop: { parameters } }: Facts): Finding {
  if (!parameters.dryRun) return ok('Decisions are carried out.');
  return note('This is a dry run: decisions are recorded, and nothing is changed.', LEAVE_DRY_RUN);
}

function backlog({ loop: { last, parameters } }: Facts): Finding {
  const waiting = last?.observation.backlog;
  if (waiting === undefined) return unknown('The backlog of jobs is not known.');
  const { longestBacklog: longest } = parameters;
  const { jobs } = waiting;
  if (jobs === 0) return ok('All jobs are finished.');
  const text = `${jobs === 1 ? 'One job is' : `${jobs} jobs are`} not finished`;
  if (longest === 0 || waiting.age <= longest) return ok(`${text}.`);
  return warning(
    `${text}, the oldest for ${seconds(waiting.age)}, and longestBacklog is ${seconds(longest)}.`,
    'A VM is added as long as max allows it: raise max, or look at the failures in the log of the VMs.',
  );
}

const LEAVE_DRY_RUN = 'Carry decisions out: mmeliot set dryRun=false.';

/** From this share of the queue on the operator is warned. */
const NEARLY_FULL = 0.8;

function queue({ traffic: { queued, queueTime }, queueCapacity, loop: { parameters } }: Facts): Finding {
  const { longestQueueTime: longest } = parameters;
  const text = `${queued} of at most ${queueCapacity} requests wait for a VM`;
  if (queueCapacity > 0 && queued >= NEARLY_FULL * queueCapacity)
    return warning(`${text}; more are answered 503.`, 'Raise max, or gateway.queue.capacity.');
  if (longest > 0 && queueTime > longest)
    return warning(
      `Requests wait ${seconds(queueTime)} for a VM, and longestQueueTime is ${seconds(longest)}.`,
      'Raise max.',
    );
  return ok(`${text}.`);
}

/** From this share of all on it is said what was refused: strangers try what they like. */
const MANY_REFUSED = 0.01;

function refusals({ traffic: { refused = 0, arrivalRate, span = 0 } }: Facts): Finding {
  const arrived = (arrivalRate * span) / 1000;
  if (refused === 0 || refused < MANY_REFUSED * (arrived + refused)) return ok('Hardly any request is refused.');
  return note(
    `${refused === 1 ? 'One request or connection was' : `${refused} requests and connections were`} refused in the last ${seconds(span)}, before they counted.`,
    "Malformed, of a client that is not known, or beyond one of gateway.limits: the answer says which, and of connections the gateway's log.",
  );
}

const GB = 1_000_000_000;

function disk({ disk: seen, loop: { obstacles } }: Facts): Finding {
  const remedy = 'Make room there: without it no decision can be saved, and nothing is changed.';
  if (obstacles.save !== undefined) return error(obstacles.save, remedy);
  if (seen === undefined) return unknown('The system does not tell how much room the disk has.');
  const { path, freeBytes, totalBytes } = seen;
  // what is nearly full is told in the smaller unit
  const free = freeBytes < 0.1 * GB ? `${Math.floor(freeBytes / 1_000_000)} MB` : `${(freeBytes / GB).toFixed(1)} GB`;
  const text = `${free} are free at ${path}`;
  if (freeBytes < 0.1 * GB) return error(`Only ${text}.`, remedy);
  return freeBytes < GB && freeBytes < 0.1 * totalBytes ? warning(`Only ${text}.`, remedy) : ok(`${text}.`);
}

function secrets({ exposed = [] }: Facts): Finding {
  if (exposed.length === 0) return ok('No file with a secret is open to every user of this machine.');
  return warning(
    `Every user of this machine can read ${exposed.join(', ')}, and secrets stand there.`,
    'Take that right away (chmod o-r; of /proc/self/cmdline, the command line: write into mmeliot.yaml what --set says), and change these secrets.',
  );
}

/** So long a report with a wrong time is news. */
const APART_NEWS_MS = 120_000;

/** Only of VMs of which nothing genuine is heard: what anybody else sends in their names is no news. */
function reports({ refused = new Map(), loop: { last, at } }: Facts): Finding {
  const strange = (last?.observation.vms ?? [])
    .filter(({ vm, source }) => vm.state === 'ready' && source !== 'agent')
    .map(({ vm }) => vm.id)
    .filter((id) => at - (refused.get(id) ?? -Infinity) < APART_NEWS_MS);
  if (strange.length === 0) return ok("No VM's load reports are refused for their signature.");
  return error(
    `The load reports of ${strange.slice(0, 5).join(', ')}${strange.length > 5 ? ` and ${strange.length - 5} more` : ''} are refused: ` +
      "they are signed with another secret than this group's, as after a lost data folder.",
    'Stop mmeliot, remove the file "secret" in its data folder and start it again: on OpenNebula the secret is read back from the VMs. ' +
      'Or set collector.secret to theirs, or release these VMs.',
  );
}

function clocks({ apart, loop: { at } }: Facts): Finding {
  if (apart === undefined || at - apart.at > APART_NEWS_MS)
    return ok('The load reports have the time of this machine.');
  const which = apart.ms > 0 ? 'ahead of' : 'behind';
  return warning(
    `The clock of ${apart.vm} is ${seconds(Math.abs(apart.ms))} ${which} this machine's, and its load reports are refused.`,
    'Synchronise the clocks of manager and VMs (chrony, systemd-timesyncd).',
  );
}

function nodes({ nodes: list = [] }: Facts): Finding {
  const troubled = list.flatMap(({ id, note: why }) => (why === undefined ? [] : [`Node ${id}: ${why}`]));
  const [first] = troubled;
  if (first === undefined)
    return ok(list.length === 0 ? 'VMs have machines of their own.' : 'The nodes do what they are told.');
  const more = troubled.length > 1 ? ` (${troubled.length - 1} more)` : '';
  return warning(
    `${first}${/[.!?]$/.test(first) ? '' : '.'}${more}`,
    'Look at that machine: VMs are put on other nodes meanwhile, and those that run there serve on.',
  );
}

/** Late by so many periods, and the loop stands still. */
const OVERDUE_PERIODS = 2;

function decisions({ loop: { at, nextPeriodAt, parameters, last, providerAnswered } }: Facts): Finding {
  if (!providerAnswered)
    return warning('Nothing is decided before the provider has listed its VMs once.', 'Look at what it answers.');
  const left = nextPeriodAt - at;
  if (left < -OVERDUE_PERIODS * parameters.period)
    return error(`The decision is overdue for ${seconds(-left)}.`, "Look at the manager's log, and report the defect.");
  const first = last === undefined ? 'first' : 'next';
  return ok(`The ${first} decision comes ${left <= 0 ? 'now' : `in ${seconds(left)}`}.`);
}

/** 40 ms, 2.5 s, 90 s, 12 min, 2 h */
function seconds(ms: Millis): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${Math.round(ms / 100) / 10} s`;
  if (ms < 120_000) return `${Math.round(ms / 1_000)} s`;
  return ms < 7_200_000 ? `${Math.round(ms / 60_000)} min` : `${Math.round(ms / 3_600_000)} h`;
}

const vms = (count: number): string => (count === 1 ? 'one VM' : `${count} VMs`);
const are = (count: number): string => (count === 1 ? 'is' : 'are');
