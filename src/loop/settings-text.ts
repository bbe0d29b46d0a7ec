// Settings, and changes of them, in words.
import { ownersOf, writeOwn } from '../decide/own-parameters.ts';
import { parameterSettings } from '../decide/parameters.ts';
import type { OwnParameters } from '../decide/parameters.ts';
import type { Declarations } from '../settings/declaration.ts';
import { write } from '../settings/values.ts';
import type { ParameterPatch } from './journal.ts';

const OWN = 'policyParameters';

/** As people write it: a period is 2s, not 2000. */
export function shown(name: string, value: unknown): string {
  const declaration = (parameterSettings as Declarations)[name];
  if (name === OWN) return textOf(written(value));
  return textOf(declaration === undefined ? value : write(declaration, value));
}

/** `high=80 period=5s policyParameters.every=15s low=as configured` */
export const changeText = (patch: ParameterPatch): string =>
  Object.entries(patch)
    .flatMap(([name, value]) => {
      if (value === null) return `${name}=as configured`;
      const own = name === OWN ? Object.entries(written(value)) : [];
      // another policy begins with its own defaults: that needs no word
      if (name === OWN && (own.length > 0 || 'policy' in patch))
        return own.map(([each, one]) => `${OWN}.${each}=${textOf(one)}`);
      return `${name}=${shown(name, value)}`;
    })
    .join(' ');

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** Whichever policy they are of: a name is of the same kind in all that have it. */
const written = (value: unknown): OwnParameters =>
  Object.fromEntries(
    Object.entries((value ?? {}) as OwnParameters).flatMap(([name, one]) => {
      const [owner] = ownersOf(name);
      return Object.entries(owner === undefined ? { [name]: one } : writeOwn(owner, { [name]: one }));
    }),
  );
