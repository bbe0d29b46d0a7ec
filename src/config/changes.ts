// Changes of the elasticity settings while it runs, as people and scripts write them: `{"high": 80, "period": "5s"}`.
import {
  parameterSettings,
  settingsOf,
  type ElasticityParameters,
  type OwnParameters,
  type PolicyName,
} from '../decide/parameters.ts';
import { readOwn } from '../decide/own-parameters.ts';
import { policies } from '../decide/policies/index.ts';
import { MmeliotError } from '../errors.ts';
import type { Role } from '../model.ts';
import type { ParameterPatch } from '../loop/journal.ts';
import { asSentence, read } from '../settings/values.ts';
import { parseAssignment } from './assignments.ts';
import { entryAt } from './names.ts';
import { settings } from './schema.ts';
import { unknownSetting } from './unknown.ts';

const OWN = 'policyParameters';

/** `high=80` from a command line. */
export const parseAssignments = (assignments: readonly string[]): Record<string, unknown> =>
  flat(Object.fromEntries(assignments.map((assignment) => parseAssignment(assignment, 'high=80'))));

/** `elasticity.high` is high here, and `fleet.spotShare` spotShare: names of both sections are unique. */
const flat = (changes: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(changes).map(([name, value]) => [name.replace(/^(elasticity|fleet)\./, ''), value]),
  );

/**
 * Decodes units; `null` is back to the configured value. `policyParameters.nearness` is one of them on top of those in
 * force. Another policy begins with its own defaults. What the values may be together is the loop's to judge.
 */
export function decodeChanges(
  given: Readonly<Record<string, unknown>>,
  inForce: Pick<ElasticityParameters, 'policy' | typeof OWN>,
  role?: Role,
): ParameterPatch {
  const changes = flat(given);
  const names = Object.keys(changes);
  const single = names.filter((name) => name.startsWith(`${OWN}.`));
  const common = names.filter((name) => name !== OWN && !single.includes(name));
  const patch = Object.fromEntries(common.map((name) => [name, decodeChange(name, changes[name], role)]));
  const policy = (patch['policy'] as PolicyName | null | undefined) ?? inForce.policy;
  const isAnother = policy !== inForce.policy || patch['policy'] === null;
  if (!names.includes(OWN) && single.length === 0 && !isAnother) return patch;
  const whole = names.includes(OWN) ? changes[OWN] : isAnother ? (patch['policy'] === null ? null : {}) : undefined;
  if (whole === null && single.length === 0) return { ...patch, [OWN]: null };
  const base = whole === undefined ? {} : objectOf(whole);
  const own = { ...base, ...Object.fromEntries(single.map((name) => [name.slice(OWN.length + 1), changes[name]])) };
  const kept = whole === undefined ? inForce.policyParameters : {};
  return { ...patch, [OWN]: decodeOwn(policy, own, kept) };
}

function decodeChange(name: string, value: unknown, role: Role | undefined): unknown {
  if (!Object.hasOwn(parameterSettings, name)) {
    if (entryAt(settings, name.split('.')) !== undefined)
      throw refused(`${name} cannot be changed while it runs: set it in the configuration, and start again`);
    throw refused(unknownSetting(parameterSettings, [], name));
  }
  if (value === null) return null;
  const result = read(settingsOf(role)[name as keyof typeof parameterSettings], value);
  if ('value' in result) return result.value;
  throw refused(`${name} ${result.refused}`);
}

/** null: its default again. */
function decodeOwn(policy: PolicyName, given: Readonly<Record<string, unknown>>, kept: OwnParameters): OwnParameters {
  const dropped = Object.keys(given).filter(
    (name) => given[name] === null && Object.hasOwn(policies[policy].parameters, name),
  );
  const { own, refused: wrong } = readOwn(policy, without(given, dropped));
  const [first] = wrong;
  if (first !== undefined) throw refused(`${OWN}.${first.name} ${first.sentence}`);
  return { ...without(kept, dropped), ...own };
}

const without = <T>(values: Readonly<Record<string, T>>, names: readonly string[]): Record<string, T> =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)));

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw refused(`${OWN} is ${JSON.stringify(value)}: names with values, such as {"capacity": 50}, are expected`);
}

const refused = (sentence: string): MmeliotError => new MmeliotError('BAD_REQUEST', asSentence(sentence));
