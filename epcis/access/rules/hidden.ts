// Fields that a client is not shown: which they are, what of a query is about them, and an event without them.
import type { EpcisEvent, Field, Place, QuantityElement } from '../../domain/event.ts';
import type { Criterion } from '../../service/criteria.ts';
import { FIELD_FAMILIES, fieldKey, FIELDS, type FieldFamily } from '../../service/queryable-fields.ts';
import { SENSOR_MEASURES, SENSOR_NUMBERS, SENSOR_TIMES, timeName } from '../../service/queryable-numbers.ts';
import { SENSOR_TEXTS } from '../../service/queryable-texts.ts';

/** A field of the standard with all that is in it, by its name in JSON. */
export const PARTS = [
  'bizStep',
  'disposition',
  'readPoint',
  'bizLocation',
  'persistentDisposition',
  'bizTransactionList',
  'sourceList',
  'destinationList',
  'sensorElementList',
  'ilmd',
  'certificationInfo',
] as const;

export type Part = (typeof PARTS)[number];

export type HiddenField =
  | { readonly kind: 'part'; readonly part: Part }
  /** An extension, wherever it stands; `namespace#name`, or with a star for the name all of the namespace. */
  | { readonly kind: 'extension'; readonly key: string };

const isStar = (key: string): boolean => key.endsWith('#*');

function meets(pattern: string, key: string): boolean {
  return isStar(pattern) ? key.startsWith(pattern.slice(0, -1)) : key === pattern;
}

const TYPED = {
  bizTransactionList: 'bizTransaction_',
  sourceList: 'source_',
  destinationList: 'destination_',
} as const;
const SENSOR_NAMES = new Set([
  'sensorElementList',
  ...[...SENSOR_TEXTS, ...SENSOR_NUMBERS].map(({ name }) => name),
  ...SENSOR_TIMES.map(({ name }) => timeName(name)),
]);
const isSensor = (name: string): boolean =>
  SENSOR_NAMES.has(name) || SENSOR_MEASURES.some((measure) => name.startsWith(`${measure.name}_`));

/** Whether what the criterion asks for may be in one of the fields. */
export function isAbout(criterion: Criterion, fields: readonly HiddenField[]): boolean {
  switch (criterion.kind) {
    case 'column':
    case 'within':
    case 'elements':
    case 'attribute':
      return fields.some((field) => field.kind === 'part' && field.part === criterion.column);
    case 'text':
    case 'number':
      return fields.some((field) =>
        field.kind === 'part' ? isIn(criterion.name, field.part) : isOf(criterion.name, field.key),
      );
    default:
      return false;
  }
}

function isIn(name: string, part: Part): boolean {
  if (part === 'bizTransactionList' || part === 'sourceList' || part === 'destinationList')
    return name.startsWith(TYPED[part]);
  if (part === 'persistentDisposition') return name.startsWith('persistentDisposition_');
  const family = fieldOf(name)?.family;
  if (part === 'sensorElementList') return isSensor(name) || family?.startsWith('sensor') === true;
  return family === part;
}

/** What stands inside of something may stand inside of what is hidden: it is not known in which. */
function isOf(name: string, key: string): boolean {
  const field = fieldOf(name);
  return field !== undefined && (field.inner || meets(key, field.key));
}

interface NamedField {
  readonly family: FieldFamily;
  readonly inner: boolean;
  readonly key: string;
}

/** Longer prefixes first: the event's own fields have none. */
const FAMILIES = FIELD_FAMILIES.toSorted((a, b) => FIELDS[b].prefix.length - FIELDS[a].prefix.length);

/** The reverse of fieldName (service/queryable-fields.ts), of texts, numbers and times. */
function fieldOf(name: string): NamedField | undefined {
  const match = /^(?:time )?field (?<inner>INNER_)?(?<rest>.*)$/s.exec(name);
  const rest = match?.groups?.['rest'];
  if (rest === undefined) return undefined;
  const family = FAMILIES.find((each) => rest.startsWith(FIELDS[each].prefix)) ?? 'event';
  return { family, inner: match?.groups?.['inner'] !== undefined, key: rest.slice(FIELDS[family].prefix.length) };
}

/** The event as one that was captured without these fields. */
export function withoutFields(event: EpcisEvent, fields: readonly HiddenField[]): EpcisEvent {
  const parts = new Set(fields.flatMap((field): string[] => (field.kind === 'part' ? [field.part] : [])));
  const keys = fields.flatMap((field) => (field.kind === 'extension' ? [field.key] : []));
  const left = Object.entries(event).filter(([name]) => !parts.has(name));
  const rest = Object.fromEntries(left) as unknown as EpcisEvent;
  const { curies, ...shown } = keys.length === 0 ? rest : withoutExtensions(rest, keys);
  return curies === undefined ? shown : { ...shown, curies: usedIn(shown, curies) };
}

/** How URIs of hidden fields were written is hidden, too. */
function usedIn(event: EpcisEvent, curies: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const text = JSON.stringify(event);
  return Object.fromEntries(Object.entries(curies).filter(([uri]) => text.includes(JSON.stringify(uri))));
}

type Named = Pick<Field, 'namespace' | 'name'>;

interface Extended {
  readonly extensions?: readonly Field[];
}

function withoutExtensions(event: EpcisEvent, keys: readonly string[]): EpcisEvent {
  // what has no namespace of its own stands in that of what it is in
  const isHidden = ({ namespace, name }: Named, around: string): boolean =>
    keys.some((key) => meets(key, fieldKey(namespace === '' ? around : namespace, name)));
  const shown = (fields: readonly Field[], around = ''): readonly Field[] =>
    fields.flatMap((field) => {
      if (isHidden(field, around)) return [];
      const { attributes, value, ...rest } = field;
      const within = field.namespace === '' ? around : field.namespace;
      const left = attributes?.filter((attribute) => !isHidden(attribute, within)) ?? [];
      const ofValue = typeof value === 'string' ? value : shown(value, within);
      return [{ ...rest, value: ofValue, ...(left.length > 0 && { attributes: left }) }];
    });
  const of = <T extends Extended>(owner: T): T => {
    if (owner.extensions === undefined) return owner;
    const { extensions, ...rest } = owner;
    const left = shown(extensions);
    return (left.length === 0 ? rest : { ...rest, extensions: left }) as T;
  };
  const classes = (list: readonly QuantityElement[]): readonly QuantityElement[] => list.map(of);
  const place = (where: Place): Place => of(where);
  const { ilmd, ...bare } = of(event);
  const left = ilmd && shown(ilmd);
  return {
    ...bare,
    ...(left && left.length > 0 && { ilmd: left }),
    ...(event.errorDeclaration && { errorDeclaration: of(event.errorDeclaration) }),
    ...(event.readPoint && { readPoint: place(event.readPoint) }),
    ...(event.bizLocation && { bizLocation: place(event.bizLocation) }),
    ...(event.quantityList && { quantityList: classes(event.quantityList) }),
    ...(event.childQuantityList && { childQuantityList: classes(event.childQuantityList) }),
    ...(event.inputQuantityList && { inputQuantityList: classes(event.inputQuantityList) }),
    ...(event.outputQuantityList && { outputQuantityList: classes(event.outputQuantityList) }),
    ...(event.sensorElementList && {
      sensorElementList: event.sensorElementList.map((element) => ({
        ...of(element),
        ...(element.sensorMetadata && { sensorMetadata: of(element.sensorMetadata) }),
        sensorReport: element.sensorReport.map(of),
      })),
    }),
  };
}
