// Kinds of parameters: how a random one of a kind is asked for, and of which events it holds.
import type { EpcisEvent, VocabularyElement } from '../../../epcis/domain/event.ts';
import { below, pick, some, type Random } from './chance.ts';
import { DEVICES, NUMBERS, TIMES, type Pools } from './events.ts';
import { instant, TESTS, type Operator, without, written } from './values.ts';

export interface Stored {
  readonly event: EpcisEvent;
  readonly hash: string;
  readonly recordTime: string;
}

export interface Question {
  readonly name: string;
  readonly values: readonly string[];
  readonly holds: (stored: Stored) => boolean;
}

export interface Asked extends Pools {
  readonly random: Random;
  readonly elements: readonly VocabularyElement[];
  /** Of the repository. */
  readonly recordTimes: readonly string[];
  readonly hashes: readonly string[];
}

export type Ask = (asked: Asked) => Question;

/** Any of a list: each value with what it matches. An empty one is none. */
export function anyOf<T>(
  name: string,
  { random }: Asked,
  draw: () => { readonly value: string; readonly matches: (of: T) => boolean },
  of: (stored: Stored) => readonly T[],
): Question {
  const wanted = some(random, random() < 0.05 ? 40 : 3, draw);
  const values = wanted.map(({ value }) => value);
  if (random() < 0.05) values.splice(below(random, values.length + 1), 0, '');
  return { name, values, holds: (stored) => of(stored).some((each) => wanted.some(({ matches }) => matches(each))) };
}

export const texts =
  (name: string, pool: readonly string[], of: (event: EpcisEvent) => readonly (string | undefined)[]): Ask =>
  (asked) =>
    anyOf(
      name,
      asked,
      () => {
        const value = pick(asked.random, pool);
        return { value, matches: (each: string) => device(each) === device(value) };
      },
      ({ event }) => without(of(event)),
    );

/** The first two are one. */
const device = (uri: string): string => (uri === DEVICES[1] ? (DEVICES[0] ?? uri) : uri);

/** Words, URNs and CURIEs of the standard are its URIs. */
export const words =
  (
    name: string,
    pool: readonly (readonly string[])[],
    of: (event: EpcisEvent) => readonly (string | undefined)[],
  ): Ask =>
  (asked) =>
    anyOf(
      name,
      asked,
      () => {
        const spellings = asked.random() < 0.15 ? ['urn:x:own'] : pick(asked.random, pool);
        return { value: pick(asked.random, spellings), matches: (each: string) => each === spellings[0] };
      },
      ({ event }) => without(of(event)),
    );

export const numbers =
  (suffix: string, operators: readonly Operator[], of: (event: EpcisEvent) => readonly (number | undefined)[]): Ask =>
  ({ random }) => {
    const operator = pick(random, operators);
    const asked = operator === 'EQ' ? some(random, 3, () => pick(random, NUMBERS)) : [pick(random, NUMBERS)];
    return {
      name: `${operator}_${suffix}`,
      values: asked.map((n) => written(random, n)),
      holds: ({ event }) => without(of(event)).some((n) => asked.some((each) => TESTS[operator](n, each))),
    };
  };

export const times =
  (
    name: string,
    of: (stored: Stored) => readonly (string | undefined)[],
    pool: (asked: Asked) => readonly string[] = () => TIMES,
  ): Ask =>
  (asked) => {
    const operator = pick(asked.random, ['GE', 'LT'] as const);
    const given = pick(asked.random, pool(asked));
    const value = asked.random() < 0.2 && given.endsWith('Z') ? given.slice(0, -1) : given; // without an offset it is UTC
    const at = instant(value) ?? NaN;
    return {
      name: `${operator}_${name}`,
      values: [value],
      holds: (stored) => without(of(stored)).some((time) => TESTS[operator](instant(time) ?? NaN, at)),
    };
  };

export const exists =
  (name: string, holds: (event: EpcisEvent) => boolean): Ask =>
  ({ random }) => ({
    name: `EXISTS_${name}`,
    values: random() < 0.2 ? ['true'] : [],
    holds: ({ event }) => holds(event),
  });
