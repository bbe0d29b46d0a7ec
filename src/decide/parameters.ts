// Every setting of the elasticity manager. Durations in ms. All can be changed while it runs.
import { fleetSettings, type FleetParameters } from '../fleet/settings.ts';
import type { Role } from '../model.ts';
import { defaultsOf, type Declaration, type Declarations } from '../settings/declaration.ts';
import { commonSettings, type CommonParameters, type OwnParameters } from './common/settings.ts';
import { write } from '../settings/values.ts';
import { writeOwn } from './own-parameters.ts';
import { policyNames, type PolicyName } from './policies/index.ts';

export type { PolicyName } from './policies/index.ts';
export type { OwnParameters } from './common/settings.ts';

const own: OwnParameters = {};

export const elasticitySettings = {
  policy: { type: 'choice', choices: policyNames, default: 'mmeliot', doc: 'policy that decides' },
  policyParameters: { type: 'data', default: own, doc: "the policy's own parameters, by name" },
  ...commonSettings,
} as const satisfies Declarations;

/** Those of the section `elasticity`, and those of `fleet`, which no policy sees. */
export const parameterSettings = { ...elasticitySettings, ...fleetSettings } as const satisfies Declarations;

/** VMs for stored work may be none; clients are always served by one. */
export const settingsOf = (role: Role | undefined): Readonly<Record<keyof typeof parameterSettings, Declaration>> =>
  role === 'work' ? { ...parameterSettings, min: { ...parameterSettings.min, min: 0 } } : parameterSettings;

export interface DecisionParameters extends CommonParameters {
  readonly policy: PolicyName;
}

export interface ElasticityParameters extends DecisionParameters, FleetParameters {}

export const DEFAULT_PARAMETERS: ElasticityParameters = defaultsOf(parameterSettings);

/** As people write them, with units: what the API shows is what it takes. */
export const writeParameters = (parameters: ElasticityParameters): Readonly<Record<string, unknown>> => ({
  ...Object.fromEntries(
    Object.entries(parameterSettings).map(([name, declaration]) => [
      name,
      write(declaration, parameters[name as keyof ElasticityParameters]),
    ]),
  ),
  policyParameters: writeOwn(parameters.policy, parameters.policyParameters),
});
