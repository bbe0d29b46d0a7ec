// Parameters whose values name a thing, in any of its spellings: EPCs, places, elements of vocabularies, transactions.
import type { EpcisEvent } from '../../../epcis/domain/event.ts';
import { below, pick, some } from './chance.ts';
import { wantedOf, type Thing } from './epcs.ts';
import { ATTRIBUTE_TEXTS, ATTRIBUTES, placeOf, PLACES, type Pools } from './events.ts';
import { anyOf, type Ask, type Asked, type Stored } from './kinds.ts';
import { quantities } from './parts.ts';
import { without } from './values.ts';

/** Which thing a URI names: those of the pools. */
const things = new WeakMap<readonly Thing[], Map<string, Thing>>();
function thingOf(uri: string, pool: readonly Thing[]): Thing | undefined {
  let known = things.get(pool);
  if (known === undefined)
    things.set(pool, (known = new Map(pool.flatMap((thing) => thing.spellings.map((spelling) => [spelling, thing])))));
  return known.get(uri);
}

export const match =
  (name: string, pool: keyof Pools, of: (event: EpcisEvent) => readonly (readonly string[] | undefined)[]): Ask =>
  (asked) =>
    anyOf(
      name,
      asked,
      () => wantedOf(pick(asked.random, asked[pool]), asked.random),
      ({ event }) =>
        without(
          of(event)
            .flatMap((uris) => uris ?? [])
            .map((uri) => thingOf(uri, asked[pool])),
        ),
    );

/** One thing, however it is spelt. */
export const identity = (uri: string, { classes: pool }: Pick<Pools, 'classes'>): string => {
  const place = placeOf(uri);
  return place >= 0 ? (PLACES[place]?.[0] ?? uri) : (thingOf(uri, pool)?.spellings[0] ?? uri);
};

export function under(roots: readonly string[], asked: Pick<Asked, 'elements' | 'classes'>): ReadonlySet<string> {
  const seen = new Set<string>();
  const visit = (id: string): void => {
    if (seen.has(id)) return;
    seen.add(id);
    for (const element of asked.elements)
      if (identity(element.id, asked) === id) for (const child of element.children) visit(identity(child, asked));
  };
  for (const root of roots) visit(identity(root, asked));
  return seen;
}

export const within =
  (name: string, of: (event: EpcisEvent) => string | undefined): Ask =>
  (asked) => {
    const values = some(asked.random, 3, () => pick(asked.random, pick(asked.random, PLACES)));
    const all = under(values, asked);
    return {
      name,
      values,
      holds: ({ event }) => {
        const place = of(event);
        return place !== undefined && all.has(identity(place, asked));
      },
    };
  };

export const places =
  (name: string, of: (event: EpcisEvent) => string | undefined): Ask =>
  (asked) =>
    anyOf(
      name,
      asked,
      () => {
        const place = below(asked.random, PLACES.length);
        return { value: pick(asked.random, PLACES[place] ?? []), matches: (each: string) => placeOf(each) === place };
      },
      ({ event }) => without([of(event)]),
    );

const ATTRIBUTED: Readonly<Record<string, (event: EpcisEvent) => readonly (string | undefined)[]>> = {
  bizStep: ({ bizStep }) => [bizStep],
  disposition: ({ disposition }) => [disposition],
  readPoint: ({ readPoint }) => [readPoint?.id],
  bizLocation: ({ bizLocation }) => [bizLocation?.id],
  epcClass: (event) => [event.epcClass, ...quantities(event).map(({ epcClass }) => epcClass)],
};

export const attribute: Ask = (asked) => {
  const { random, elements: known } = asked;
  const of = pick(random, Object.keys(ATTRIBUTED));
  const isEqual = random() < 0.5;
  const names = isEqual ? [pick(random, ATTRIBUTES)] : some(random, 2, () => pick(random, ATTRIBUTES));
  const values = isEqual ? some(random, 2, () => pick(random, ATTRIBUTE_TEXTS)) : names;
  const ids = new Set(
    known
      .filter(({ attributes }) =>
        attributes.some(
          ({ id, value }) =>
            names.includes(id) && (!isEqual || (value !== '' && typeof value === 'string' && values.includes(value))),
        ),
      )
      .map(({ id }) => identity(id, asked)),
  );
  return {
    name: isEqual ? `EQATTR_${of}_${names[0]}` : `HASATTR_${of}`,
    values,
    holds: ({ event }) => without(ATTRIBUTED[of]?.(event) ?? []).some((id) => ids.has(identity(id, asked))),
  };
};

export const typed =
  (
    kind: 'bizTransaction' | 'source' | 'destination',
    types: readonly (readonly string[])[],
    pool: readonly string[],
  ): Ask =>
  (asked) => {
    const type = asked.random() < 0.15 ? ['urn:x:own'] : pick(asked.random, types);
    const name = `EQ_${kind}_${pick(asked.random, type)}`;
    const of = ({ event }: Stored): readonly string[] =>
      (event[`${kind}List`] ?? []).filter((each) => each.type === type[0]).map(({ value }) => value);
    return anyOf(
      name,
      asked,
      () => {
        if (asked.random() < 0.5) {
          const thing = pick(asked.random, asked.instances);
          return {
            value: pick(asked.random, thing.spellings),
            matches: (each: string) =>
              thing.spellings.includes(each) || thingOf(each, asked.instances)?.spellings[0] === thing.spellings[0],
          };
        }
        const value = pick(asked.random, pool);
        return {
          value,
          matches: (each: string) =>
            each === value ||
            (placeOf(each) >= 0 && placeOf(each) === placeOf(value)) ||
            (/PO-1$/.test(each) && /PO-1$/.test(value)),
        };
      },
      of,
    );
  };
