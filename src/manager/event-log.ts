// What the manager does stands in its log, in words: decisions that change the fleet, steps, changes of settings, and
// problems, once when they come and once when they have gone.
import { shown } from '../loop/conditions.ts';
import { purchaseSentence } from '../loop/costs.ts';
import type { ParameterPatch } from '../loop/journal.ts';
import type { Problem } from '../loop/view.ts';
import type { DecisionRecord, StepOutcome } from '../model.ts';
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

/** A condition's sentence has numbers in it that change while the matter is the same. */
const keyOf = ({ severity, message, condition }: Problem): string => `${severity} ${condition ?? message}`;

export function logDecision(log: Lines, { period, policy, decision }: DecisionRecord, dryRun: boolean): void {
  const { action, count, reason, rule, purchases = [] } = decision;
  if (action === 'hold') return;
  const bought = purchases.length === 0 ? '' : ` ${purchaseSentence(purchases)}`;
  const vms = count === 1 ? 'one VM' : `${count} VMs`;
  log.info(
    { period, policy, rule },
    `${dryRun ? `Dry run, would ${action}` : VERBS[action]} ${vms}. ${reason}${bought}`,
  );
}

const VERBS = { allocate: 'Allocating', release: 'Releasing' } as const;

/** A check of a VM that boots is no news; a step that failed says which, of which VM, and why. */
export function logOutcome(log: Lines, { step, vm, ok, message, durationMs }: StepOutcome): void {
  const about = { step, ...(vm !== undefined && { vm }), durationMs: Math.round(durationMs) };
  const of = vm === undefined ? '' : ` of VM ${vm}`;
  if (!ok && step === 'failed') log.warn(about, `VM ${vm ?? ''} failed: ${message ?? 'nobody knows why.'}`);
  else if (!ok && step === 'order') log.info(about, message ?? '');
  else if (!ok && message !== undefined) log.warn(about, `The step ${step}${of} failed: ${message}`);
  else if (ok && vm !== undefined) log.info(about, `VM ${vm}: ${message ?? `${DONE[step] ?? step}.`}`);
}

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
