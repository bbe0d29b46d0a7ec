// The settings that hold, each with where it comes from: default < file < --set < changed while it ran.
import { z } from 'zod';
import { Settings } from '../loop/settings.ts';
import type { ParameterPatch } from '../loop/journal.ts';
import type { OriginOf } from './file.ts';
import { listed } from './print.ts';
import { parametersOf, schema, type Config } from './schema.ts';
import { hideSecrets } from './secrets.ts';

export interface EffectiveSetting {
  readonly name: string;
  /** As people write it, secrets hidden. */
  readonly value: unknown;
  /** `default`, `mmeliot.yaml, line 3, column 7`, `environment ${NAME}`, `command line` or `mmeliot set`. */
  readonly origin: string;
  /** Of a setting that was changed while it ran: what the configuration says, and where. */
  readonly configured?: { readonly value: unknown; readonly origin: string };
}

export interface Effective {
  readonly settings: readonly EffectiveSetting[];
  readonly warnings: readonly string[];
}

/** `saved`: what was changed while it ran, as the data folder keeps it. */
export function effective(config: Config, originOf: OriginOf, saved: ParameterPatch): Effective {
  const parameters = new Settings(parametersOf(config));
  parameters.restore(saved);
  const inForce = writtenOut(withParameters(config, parameters));
  const configured = writtenOut(config);
  const settings = listed().map(({ path }): EffectiveSetting => {
    const [name, origin] = [path.join('.'), originOf(path)];
    const [value, before] = [valueAt(inForce, path), valueAt(configured, path)];
    if (!isChanged(path, parameters.patch)) return { name, value, origin };
    return { name, value, origin: 'mmeliot set', configured: { value: before, origin } };
  });
  return { settings, warnings: parameters.warnings };
}

function withParameters(config: Config, { current }: Settings): Config {
  const pick = (section: object): object =>
    Object.fromEntries(Object.keys(section).map((name) => [name, current[name as keyof typeof current]]));
  return {
    ...config,
    elasticity: pick(config.elasticity) as Config['elasticity'],
    fleet: pick(config.fleet) as Config['fleet'],
  };
}

/** Names of both sections are unique: a change is kept by its name alone. */
const isChanged = ([section, name = '']: readonly string[], patch: ParameterPatch): boolean =>
  (section === 'elasticity' || section === 'fleet') && Object.hasOwn(patch, name);

const writtenOut = (config: Config): unknown => hideSecrets(z.encode(schema, config));

const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((section, key) => (section as Readonly<Record<string, unknown>>)[key], value);
