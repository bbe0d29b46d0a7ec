// Parameters that ask for an extension field, and the order by one.
import type { EpcisEvent, Field } from '../../../epcis/domain/event.ts';
import { pick, some } from './chance.ts';
import { NAMES, NUMBERS, TEXTS, TIMES, WRAPPERS, type Name } from './events.ts';
import { type Ask, type Stored } from './kinds.ts';
import { elements, metadata, reports } from './parts.ts';
import { bare, equal, instant, number, ORDERS, TESTS, without, written } from './values.ts';

type Fields = readonly Field[];
const FAMILIES: Readonly<Record<string, (event: EpcisEvent) => Fields>> = {
  '': ({ extensions = [] }) => extensions,
  ILMD_: ({ ilmd = [] }) => ilmd,
  ERROR_DECLARATION_: ({ errorDeclaration }) => errorDeclaration?.extensions ?? [],
  SENSORELEMENT_: (event) => elements(event).flatMap(({ extensions }) => extensions ?? []),
  SENSORMETADATA_: (event) => metadata(event).flatMap(({ extensions }) => extensions ?? []),
  SENSORREPORT_: (event) => reports(event).flatMap(({ extensions }) => extensions ?? []),
  readPoint_: ({ readPoint }) => readPoint?.extensions ?? [],
  bizLocation_: ({ bizLocation }) => bizLocation?.extensions ?? [],
};

const inside = (fields: Fields): Fields =>
  fields.flatMap(({ value }) => (typeof value === 'string' ? [] : [...value, ...inside(value)]));

/** What a field says by itself, or by what JSON-LD and XML wrap its text in. */
const said = ({ value, json }: Field): readonly string[] =>
  typeof value === 'string'
    ? [
        json === 'number' && /e/i.test(value) && Math.abs(Number(value)) < 1e20 && Math.abs(Number(value)) > 1e-6
          ? String(Number(value))
          : value,
      ]
    : value.filter(({ namespace, name }) => namespace === '' && WRAPPERS.includes(name)).flatMap(said);

const isCalled = ({ namespace, name }: Field, wanted: Name): boolean =>
  namespace === wanted.namespace && name === wanted.name;

export const field: Ask = ({ random }) => {
  const family = pick(random, Object.keys(FAMILIES));
  const inner = random() < 0.35;
  const wanted = pick(random, NAMES);
  const suffix = `${inner ? 'INNER_' : ''}${family}${pick(random, wanted.spellings)}`;
  const found = ({ event }: Stored): Fields => {
    const all = FAMILIES[family]?.(event) ?? [];
    return (inner ? inside(all) : all).filter((each) => isCalled(each, wanted));
  };
  const kind = random();
  if (kind < 0.2) return { name: `EXISTS_${suffix}`, values: [], holds: (stored) => found(stored).length > 0 };
  if (kind < 0.6) {
    const values = some(random, 4, () => pick(random, TEXTS));
    return {
      name: `EQ_${suffix}`,
      values,
      holds: (stored) =>
        found(stored)
          .flatMap(said)
          .some((text) => values.some((value) => value !== '' && equal(text, value))),
    };
  }
  const operator = pick(random, ORDERS);
  const isNumber = random() < 0.6;
  const value = isNumber ? written(random, pick(random, NUMBERS)) : pick(random, TIMES);
  const read = isNumber ? number : (text: string) => (number(text) === undefined ? instant(bare(text)) : undefined);
  return {
    name: `${operator}_${suffix}`,
    values: [value],
    holds: (stored) =>
      without(found(stored).flatMap(said).map(read)).some((known) => TESTS[operator](known, read(value) ?? NaN)),
  };
};

/** Numbers, then times, then texts; undefined where the event has none. */
export function sortKey(
  { event }: Pick<Stored, 'event'>,
  wanted: Name,
): readonly [number, number | string] | undefined {
  const found = (event.extensions ?? []).find((each) => isCalled(each, wanted));
  if (found === undefined || typeof found.value !== 'string') return undefined;
  const known = number(found.value);
  if (known !== undefined) return [0, known];
  const time = instant(bare(found.value), 'required');
  return time === undefined ? [2, found.value] : [1, time];
}
