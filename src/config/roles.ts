// The roles of the group: which there are, and what their control loops go by.
import type { ElasticityParameters } from '../decide/parameters.ts';
import { validateParameters } from '../decide/validate.ts';
import { patched } from '../loop/settings.ts';
import { decodeChanges } from './changes.ts';
import { parametersOf, type Config } from './schema.ts';

/** What the loop over the VMs for stored work goes by; undefined: there are none, every VM does both. */
export function workParametersOf(config: Config): ElasticityParameters | undefined {
  const given = config.roles['work'];
  if (given === undefined) return undefined;
  const base = { ...parametersOf(config), ...OWN };
  return patched(base, decodeChanges(given, base, 'work'));
}

/** Where the settings of clients' VMs are not those of VMs for stored work. */
const OWN = { policy: 'backlog', policyParameters: {}, min: 0, calendar: [] } as const;

/** In one sentence. */
export function rolesComplaint(config: Config): string | undefined {
  try {
    const parameters = workParametersOf(config);
    if (parameters === undefined) return undefined;
    const [error] = validateParameters(parameters, 'work').errors;
    return error === undefined ? undefined : `roles.work: ${error}`;
  } catch (error) {
    const { message } = error as Error;
    const unknown = message.replace(/^there is no setting /i, '$&roles.work.');
    return unknown === message ? `roles.work: ${message}` : unknown;
  }
}
