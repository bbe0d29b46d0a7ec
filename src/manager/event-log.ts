// What the manager does stands in its log, in words: decisions that change the fleet, steps, changes of settings, and
// problems, once when they come and once when they have gone.
import { shown } from '../loop/settings-text.ts';
import { purchaseSentence } from '../loop/costs.ts';
import type { Condition } from '../loop/conditions.ts';
import type { ParameterPatch } from '../loop/journal.ts';
import type { Problem } from '../loop/view.ts';
import type { DecisionRecord, Role, StepOutcome } from '../model.ts';
import type { Log } from '../telemetry/log.ts';

type Lines = Pick<Log, 'warn' | 'info'>;

export function problemLog(log: Lines): (problems: readonly Problem[]) => void {
  let known = new Map<string, Problem>();
  return (problems) => {
    const now = new Map(problems.map((problem) => [keyOf(problem), problem]));
    for (const [key, { severity, message, condition }] of now)
      if (!known.has(key)) log.warn({ ...(condition !== undefined && { condition }), severity }, message);
    for (const [key, { message }] of known) if (!now.has(key)) log.info(`No longer: ${message}`);
    known = now;
  };
}

/** What is only noted stands in the log, too: once when it comes and once when it has gone. */
export function noteLog(log: Pick<Log, 'info'>): (conditions: readonly Condition[]) => void {
  let known = new Map<Condition['name'], string>();
  return (conditions) => {
    const notes = conditions.filter(({ name, status }) => status === 'note' && !TOLD_BY_STEPS.has(name));
    const now = new Map(notes.map(({ name, reason }) => [name, reason]));
    for (const [condition, reason] of now) if (!known.has(condition)) log.info({ condition }, reason);
    for (const [condition, reason] of known) if (!now.has(condition)) log.info({ condition }, `No longer: ${reason}`);
    known = now;
  };
}

/** That a VM boots, and that it serves. */
const TOLD_BY_STEPS = new Set<Condition['name']>(['rotation']);

/** A condition's sentence begins with what is the matter; numbers and reasons behind that change while it is the same. */
const keyOf = ({ severity, message, condition }: Problem): string =>
  condition === undefined ? `${severity} ${message}` : `${severity} ${condition} ${message.split(/[\d:;,(]/, 1)[0]}`;

/** A decision that comes to nothing (an earlier order is still being tried, a dry run) is told once, however many periods repeat it. */
export function decisionLog(log: Lines): (record: DecisionRecord, dryRun: boolean) => void {
  let told: string | undefined;
  return ({ period, policy, decision, outcome }, dryRun) => {
    const { action, count, reason, rule, purchases = [] } = decision;
    const putOff = outcome.find(({ step, ok }) => step === 'order' && !ok)?.message;
    const comesToNothing = dryRun || putOff !== undefined;
    const matter = comesToNothing ? `${action} ${count} ${rule} ${putOff?.replaceAll(/\d+/g, '#')}` : undefined;
    const isTold = matter !== undefined && matter === told;
    told = matter;
    if (isTold || action === 'hold') return;
    const bought = purchases.length === 0 ? '' : ` ${purchaseSentence(purchases)}`;
    const vms = count === 1 ? 'one VM' : `${count} VMs`;
    const what = putOff ?? `${dryRun ? `Dry run, would ${action}` : VERBS[action]} ${vms}.`;
    log.info({ period, policy, rule }, `${what} ${reason}${bought}`);
  };
}

const VERBS = { allocate: 'Allocating', release: 'Releasing' } as const;

/** A check of a VM that boots is no news; a step that failed says which, of which VM, and why. */
export function logOutcome(log: Lines, { step, vm, ok, message, durationMs }: StepOutcome, role?: Role): void {
  if (step === 'order') return; // its decision is told with it
  const about = { step, ...(vm !== undefined && { vm }), durationMs: Math.round(durationMs) };
  const of = vm === undefined ? '' : ` of VM ${vm}`;
  if (!ok && step === 'failed') log.warn(about, `VM ${vm ?? ''} failed: ${message ?? 'nobody knows why.'}`);
  else if (!ok && message !== undefined) log.warn(about, `The step ${step}${of} failed: ${message}`);
  else if (ok && vm !== undefined) log.info(about, `VM ${vm}: ${message ?? `${doneBy(step, role)}.`}`);
}

const doneBy = (step: StepOutcome['step'], role?: Role): string =>
  role === 'work' && step === 'admit' ? 'it is ready, and does stored work' : (DONE[step] ?? step);

const DONE: Readonly<Record<string, string>> = {
  allocate: 'the provider accepted its allocation',
  admit: 'it is ready, and the gateway sends it requests',
  probe: 'it answers',
  drain: 'its requests have ended',
  release: 'the provider accepted its release',
};

export function logChange(log: Lines, patch: ParameterPatch, who: string): void {
  const each = Object.entries(patch).map(([name, value]) =>
    value === null ? `${name} is as configured again` : `${name} is ${shown(name, value)} now`,
  );
  log.info({ who }, `Settings changed by ${who}: ${each.join(', ')}.`);
}
