// Guards wrap any policy. Each is written once, changes a decision only towards caution, and says so in the decision.
import type { Decision, Fleet, Millis } from '../model.ts';
import { leastLoaded } from './common/choose.ts';
import { show, type Situation } from './common/policy.ts';

export interface GuardSettings {
  readonly decideWhilePending: boolean;
  readonly noFlap: boolean;
  readonly paused: boolean;
  readonly allocateCooldown: Millis;
  readonly releaseCooldown: Millis;
  /** 0: no limit. */
  readonly step: number;
  /** The policy itself, to ask what it would do next. */
  readonly policy: (situation: Situation) => Decision;
}

type Guard = (decision: Decision, situation: Situation, settings: GuardSettings) => Decision;

/**
 * In this order: first what makes the evidence unfit, then pace, then consequences; then the bounds, and that somebody serves; a
 * person has the last word.
 */
export function guarded(situation: Situation, settings: GuardSettings): Decision {
  const guards: readonly Guard[] = [
    settled,
    allSeen,
    cooledDown,
    oneStep,
    noFlap,
    withinBounds,
    oneServes,
    unlessPaused,
  ];
  return guards.reduce((decision, guard) => guard(decision, situation, settings), settings.policy(situation));
}

/** While any VM is pending or warming the fleet's size is about to show its effect: wait for it. */
const settled: Guard = (decision, situation, { decideWhilePending }) => {
  if (decideWhilePending || decision.action === 'hold') return decision;
  const pending = situation.fleet.filter((vm) => vm.state === 'pending').length;
  const warming = warmingVms(situation);
  if (pending === 0 && warming === 0) return decision;
  const which = [[pending, 'pending'] as const, [warming, 'warming up'] as const].filter(([count]) => count > 0);
  return held(decision, 'pending', which.map(([count, what]) => `${vmsAre(count)} ${what}`).join(' and '));
};

/** A dark VM may be the loaded one: nothing leaves until all are seen. */
const allSeen: Guard = (decision, situation) => {
  if (decision.action !== 'release') return decision;
  const ready = readyIds(situation.fleet);
  const dark = situation.forecast.vms.filter((vm) => vm.dark && ready.has(vm.id));
  return dark.length === 0 ? decision : held(decision, 'dark', `nothing is known of the load of ${names(dark)}`);
};

const cooledDown: Guard = (decision, situation, { allocateCooldown, releaseCooldown }) => {
  const cooldown = { allocate: allocateCooldown, release: releaseCooldown, hold: 0 }[decision.action];
  if (cooldown === 0) return decision;
  const change = situation.history.find((past) => (past.action ?? 'hold') !== 'hold');
  if (change === undefined || situation.now - change.at >= cooldown) return decision;
  const left = Math.ceil((cooldown - (situation.now - change.at)) / 1000);
  return held(decision, 'cooldown', `the last change was ${change.action}, and ${left} s of the cooldown are left`);
};

const oneStep: Guard = (decision, _situation, { step }) =>
  step === 0 || decision.count <= step ? decision : shortened(decision, step, 'step', `${step} VMs a period at most`);

/** LP × n / (n − k) on those that stay. Worked: LP 45 on 2 VMs is 90 on one, and 90 would allocate again. */
const noFlap: Guard = (decision, situation, settings) => {
  if (!settings.noFlap || decision.action !== 'release') return decision;
  const { ready } = situation.present;
  const staying = ready - decision.count;
  if (staying <= 0) return decision;
  const after = settings.policy(projected(situation, decision, ready / staying));
  if (after.action !== 'allocate') return decision;
  const lp = show((situation.forecast.lp ?? 0) * (ready / staying));
  return held(decision, 'no-flap', `on ${staying} VMs the LP would be ${lp}, which allocates again (${after.rule})`);
};

const withinBounds: Guard = (decision, situation) => {
  const { min, max, scheduledBy } = situation.limits;
  const by = scheduledBy === undefined ? '' : ` (calendar: ${scheduledBy})`;
  const n = situation.present.vms;
  if (n < min) return forced(decision, 'allocate', min - n, `${vmsAre(n)} fewer than the minimum of ${min}${by}`);
  if (n > max) {
    const vms = leastLoaded(situation, n - max);
    if (vms.length === 0)
      return decision.action === 'allocate' ? held(decision, 'bounds', `max is ${max}${by}`) : decision;
    return { ...forced(decision, 'release', vms.length, `${vmsAre(n)} more than the maximum of ${max}${by}`), vms };
  }
  if (decision.action === 'allocate')
    return shortened(decision, max - n, 'bounds', `${n} of at most ${vmsAre(max)} there${by}`);
  return shortened(decision, n - min, 'bounds', `${vmsAre(n)} there and ${min} must stay${by}`);
};

/** One that only boots is no reason for the last one that serves to leave. */
const oneServes: Guard = (decision, { fleet }) => {
  if (decision.action !== 'release' || fleet.every((vm) => vm.state !== 'pending')) return decision;
  return shortened(decision, readyIds(fleet).size - 1, 'serving', 'one has to serve until those that boot do');
};

const unlessPaused: Guard = (decision, _situation, { paused }) =>
  !paused || decision.action === 'hold' ? decision : held(decision, 'paused', 'the manager is paused');

function held(decision: Decision, name: string, why: string): Decision {
  const reason = `Held (${decision.action} by rule ${decision.rule}): ${why}.`;
  return {
    ...decision,
    vms: undefined,
    action: 'hold',
    count: 0,
    reason,
    guard: { name, was: decision.action, reason },
  };
}

function shortened(decision: Decision, count: number, name: string, why: string): Decision {
  if (decision.count <= count) return decision;
  if (count <= 0) return held(decision, name, why);
  const reason = `${decision.reason} Only ${count} of ${decision.count}: ${why}.`;
  const leaving = decision.vms === undefined ? {} : { vms: decision.vms.slice(0, count) };
  return { ...decision, count, reason, ...leaving, guard: { name, was: decision.action, reason } };
}

/** The bounds don't ask the policy. */
function forced(decision: Decision, action: 'allocate' | 'release', count: number, why: string): Decision {
  if (decision.action === action && decision.count === count) return decision;
  return {
    ...decision,
    vms: undefined,
    action,
    count,
    reason: `${why}.`,
    guard: { name: 'bounds', was: decision.action, reason: `${why}.` },
  };
}

/** The situation after the release, with the same load on fewer VMs. */
function projected(situation: Situation, release: Decision, factor: number): Situation {
  const leaving = new Set(release.vms);
  const { forecast, present } = situation;
  const scaled = (value: number | undefined) => (value === undefined ? undefined : value * factor);
  const lp = scaled(forecast.lp);
  const cpu = scaled(present.cpu);
  return {
    ...situation,
    fleet: situation.fleet.filter((vm) => !leaving.has(vm.id)),
    forecast: { ...forecast, ...(lp === undefined ? {} : { lp }) },
    present: {
      ...present,
      vms: present.vms - release.count,
      ready: present.ready - release.count,
      ...(lp === undefined ? {} : { lp }),
      ...(cpu === undefined ? {} : { cpu }),
    },
  };
}

/** Ready VMs that haven't enough samples yet; a dark one isn't waited for, since its samples may never come. */
function warmingVms({ fleet, forecast }: Situation): number {
  const ready = readyIds(fleet);
  return forecast.vms.filter((vm) => vm.warming && !vm.dark && ready.has(vm.id)).length;
}

const vmsAre = (count: number): string => (count === 1 ? '1 VM is' : `${count} VMs are`);

const readyIds = (fleet: Fleet): Set<string> => new Set(fleet.filter((vm) => vm.state === 'ready').map((vm) => vm.id));

const names = (vms: readonly { readonly id: string }[]): string =>
  vms.length > 3 ? `${vms.length} VMs` : vms.map((vm) => vm.id).join(', ');
