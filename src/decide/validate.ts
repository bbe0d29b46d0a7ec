// Settings that can't hold, in one sentence each, and settings that are allowed but ask for trouble.
import { asSentence, refusal } from '../settings/values.ts';
import type { Role } from '../model.ts';
import { show } from './common/policy.ts';
import { quietErrors } from '../fleet/settings.ts';
import { calendarErrors } from './calendar.ts';
import { guardsAgainstFlapping } from './index.ts';
import { wrongOwn } from './own-parameters.ts';
import { settingsOf, type ElasticityParameters } from './parameters.ts';
import { policies } from './policies/index.ts';

export interface Validation {
  /** Refused because of these. */
  readonly errors: readonly string[];
  /** Accepted, but the operator should know. */
  readonly warnings: readonly string[];
}

export function validateParameters(p: ElasticityParameters, role?: Role): Validation {
  const wrong = wrongValues(p, role);
  const errors = wrong.length > 0 ? wrong : contradictions(p);
  return { errors, warnings: errors.length > 0 ? [] : warnings(p) };
}

function wrongValues(p: ElasticityParameters, role: Role | undefined): readonly string[] {
  const refused = Object.entries(settingsOf(role)).flatMap(([name, declaration]) => {
    const why = refusal(declaration, p[name as keyof ElasticityParameters]);
    return why === undefined ? [] : [`${name} ${why}`];
  });
  const own = Object.hasOwn(policies, p.policy) ? wrongOwn(p.policy, p.policyParameters) : [];
  return [...refused, ...own].map(asSentence);
}

function contradictions(p: ElasticityParameters): readonly string[] {
  const own = p.low < p.high ? policies[p.policy].contradiction(p) : undefined;
  const checks: readonly (readonly [wrong: boolean, sentence: string])[] = [
    [p.low >= p.high, `low (${p.low}) must be below high (${p.high}): raise high or lower low.`],
    [p.min > p.max, `min (${p.min}) must not be above max (${p.max}).`],
    [
      p.min === 0 && p.policy !== 'backlog',
      `min is 0, and only the policy backlog knows when none is too few: policy ${p.policy} needs a min of 1.`,
    ],
    [p.warmup > p.window, `warmup (${p.warmup}) must not be above window (${p.window}): no VM would ever be warm.`],
    [own !== undefined, own ?? ''],
  ];
  return [
    ...checks.filter(([wrong]) => wrong).map(([, sentence]) => sentence),
    ...calendarErrors(p),
    ...quietErrors(p),
  ];
}

function warnings(p: ElasticityParameters): readonly string[] {
  const flapping = flaps(p);
  const reacts = p.window * p.period > 30 * 60_000;
  return [
    ...(flapping === undefined ? [] : [flapping]),
    ...(reacts
      ? [`window × period is ${show((p.window * p.period) / 60_000)} min: the manager reacts very late.`]
      : []),
  ];
}

/** The pair flaps when what a release leaves behind allocates again. Worked: released below 36 on 2 VMs is up to 72 on one. */
function flaps(p: ElasticityParameters): string | undefined {
  const steady = policies[p.policy].steady(p);
  const from = Math.max(2, p.min + 1);
  if (steady === undefined || p.max < from || guardsAgainstFlapping(p)) return undefined;
  const { releases, allocates } = steady;
  const after = (releases * from) / (from - 1);
  if (after <= allocates) return undefined;
  return `${from} VMs are released to ${from - 1} below ${show(releases)}, which may leave ${show(after)}, and above ${show(allocates)} one is allocated again: the pair flaps; turn noFlap on, or lower low.`;
}
