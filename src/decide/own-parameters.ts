// A policy's own parameters: read and written as people do, by the declarations of the policy that they are for.
import { hint } from '../settings/nearest.ts';
import { read, refusal, write } from '../settings/values.ts';
import type { OwnParameters } from './common/settings.ts';
import { policies, policyNames, type PolicyName } from './policies/index.ts';

export interface OwnRead {
  readonly own: OwnParameters;
  /** `sentence` goes on from `policyParameters.<name>`. */
  readonly refused: readonly { readonly name: string; readonly sentence: string }[];
}

export function readOwn(policy: PolicyName, given: Readonly<Record<string, unknown>>): OwnRead {
  const results = Object.entries(given).map(([name, value]) => {
    const declaration = declarationOf(policy, name);
    return {
      name,
      result: declaration === undefined ? { refused: unknownTo(policy, name) } : read(declaration, value),
    };
  });
  return {
    own: Object.fromEntries(
      results.flatMap(({ name, result }) => ('value' in result ? [[name, result.value]] : [])),
    ) as OwnParameters,
    refused: results.flatMap(({ name, result }) => ('refused' in result ? [{ name, sentence: result.refused }] : [])),
  };
}

/** Values as they are kept: what can't be, as `policyParameters.<name> is ...`. */
export function wrongOwn(policy: PolicyName, own: OwnParameters): readonly string[] {
  if (typeof own !== 'object' || own === null) return ['policyParameters must be names with values'];
  return Object.entries(own).flatMap(([name, value]) => {
    const declaration = declarationOf(policy, name);
    const why = declaration === undefined ? unknownTo(policy, name) : refusal(declaration, value);
    return why === undefined ? [] : [`policyParameters.${name} ${why}`];
  });
}

export const writeOwn = (policy: PolicyName, own: OwnParameters): OwnParameters =>
  Object.fromEntries(
    Object.entries(own).map(([name, value]) => {
      const declaration = declarationOf(policy, name);
      return [name, declaration === undefined ? value : (write(declaration, value) as typeof value)];
    }),
  );

/** Of a name that is no common setting: the policies that have it as a parameter of their own. */
export const ownersOf = (name: string): readonly PolicyName[] =>
  policyNames.filter((policy) => declarationOf(policy, name) !== undefined);

function declarationOf(policy: PolicyName, name: string) {
  const { parameters } = policies[policy];
  return Object.hasOwn(parameters, name) ? parameters[name] : undefined;
}

/** `is unknown to hpa; did you mean target?` */
const unknownTo = (policy: PolicyName, name: string): string =>
  `is unknown to ${policy}${hint(name, Object.keys(policies[policy].parameters))}`;
