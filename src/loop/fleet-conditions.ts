// Conditions of the fleet and of who decides about it: are there VMs that serve, may there be more, does anybody hold decisions back?
import { calendarSentence, limitsAt } from '../decide/calendar.ts';
import { counts, surplusOnDemand } from '../fleet/mix.ts';
import { hasChoice, isInterruptible } from '../fleet/offers.ts';
import type { Comparison, Decision } from '../model.ts';
import { are, error, note, ok, seconds, vms, warning, type Facts, type Finding } from './finding.ts';
import { shown } from './settings-text.ts';

/** So long the first allocation may take. */
const FIRST_STEP_MS = 10_000;

export function rotation({ loop: { fleet, at, startedAt, parameters }, gatewayVms }: Facts): Finding {
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

export function allocation({ loop: { obstacles } }: Facts): Finding {
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

export function room({ loop: { last, parameters, fleet, at } }: Facts): Finding {
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

export function market({ loop: { market: seen, fleet, parameters } }: Facts): Finding {
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

export function calendar({ loop: { parameters, at } }: Facts): Finding {
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

export function guards({ loop: { last } }: Facts): Finding {
  const guard = last?.decision.guard;
  const remedy = GUARD_REMEDIES[guard?.name ?? ''];
  return guard === undefined || remedy === undefined ? ok('No guard holds anything back.') : note(guard.reason, remedy);
}

export function settings({ loop: { overrides } }: Facts): Finding {
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

export function kept({ loop: { fleet, at } }: Facts): Finding {
  const aside = fleet.filter(({ state }) => state === 'kept');
  const [first] = aside;
  if (first === undefined) return ok('No VM is kept aside.');
  const which = aside.map(({ id, since }) => `${id} (for ${seconds(at - since)})`).join(', ');
  return note(
    `${aside.length === 1 ? 'One VM is' : `${aside.length} VMs are`} kept aside, takes no requests and still costs: ${which}.`,
    `Give it back when nobody needs it any more: mmeliot vm release ${first.id}.`,
  );
}

export function paused({ loop: { parameters, last } }: Facts): Finding {
  if (!parameters.paused) return ok('The manager decides.');
  const reason = 'The manager is paused: no decision adds or releases a VM';
  const { name, was } = last?.decision.guard ?? {};
  return name === 'paused' && was === 'allocate'
    ? warning(`${reason}, and the load asks for more.`, 'Let it decide again: mmeliot resume.')
    : note(`${reason}.`, 'Let it decide again: mmeliot resume.');
}

export function dryRun({ loop: { parameters } }: Facts): Finding {
  if (!parameters.dryRun) return ok('Decisions are carried out.');
  return note('This is a dry run: decisions are recorded, and nothing is changed.', LEAVE_DRY_RUN);
}

const LEAVE_DRY_RUN = 'Carry decisions out: mmeliot set dryRun=false.';

/** Late by so many periods, and the loop stands still. */
const OVERDUE_PERIODS = 2;

export function decisions({ loop: { at, nextPeriodAt, parameters, last, providerAnswered } }: Facts): Finding {
  if (!providerAnswered)
    return warning('Nothing is decided before the provider has listed its VMs once.', 'Look at what it answers.');
  const left = nextPeriodAt - at;
  if (left < -OVERDUE_PERIODS * parameters.period)
    return error(`The decision is overdue for ${seconds(-left)}.`, "Look at the manager's log, and report the defect.");
  const first = last === undefined ? 'first' : 'next';
  return ok(`The ${first} decision comes ${left <= 0 ? 'now' : `in ${seconds(left)}`}.`);
}
