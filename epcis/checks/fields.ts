// The extension fields of an event by the place where they stand, and how a JSON Schema sees those of its namespace there.
import type { EpcisEvent, Field } from '../domain/event.ts';

export interface FieldsAt {
  /** JSON pointer within the event; empty for the event itself. */
  readonly pointer: string;
  readonly fields: readonly Field[];
}

/** All places of an event that hold fields of other namespaces. */
export function fieldsOf(event: EpcisEvent): FieldsAt[] {
  const places: FieldsAt[] = [];
  const add = (pointer: string, holder: { readonly extensions?: readonly Field[] } | undefined): void => {
    if (holder?.extensions !== undefined) places.push({ pointer, fields: holder.extensions });
  };
  add('', event);
  if (event.ilmd !== undefined) places.push({ pointer: '/ilmd', fields: event.ilmd });
  add('/errorDeclaration', event.errorDeclaration);
  add('/readPoint', event.readPoint);
  add('/bizLocation', event.bizLocation);
  for (const [n, sensor] of (event.sensorElementList ?? []).entries()) {
    const at = `/sensorElementList/${n}`;
    add(at, sensor);
    add(`${at}/sensorMetadata`, sensor.sensorMetadata);
    for (const [m, report] of sensor.sensorReport.entries()) add(`${at}/sensorReport/${m}`, report);
  }
  return places;
}

export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

/**
 * The fields of a namespace as an object: members by local name, a repeated one as an array. A field inside that is of
 * another namespace has its whole name, an attribute an @ before it.
 */
export function asJson(fields: readonly Field[], namespace: string): { [name: string]: Json } {
  const members = new Map<string, Json[]>();
  for (const field of fields) {
    const name = memberName(field, namespace);
    members.set(name, [...(members.get(name) ?? []), valueOf(field, namespace)]);
  }
  return Object.fromEntries(
    [...members].map(([name, values]) => [name, values.length === 1 ? (values[0] ?? null) : values]),
  );
}

const memberName = (field: { readonly namespace: string; readonly name: string }, namespace: string): string =>
  field.namespace === namespace || field.namespace === '' ? field.name : field.namespace + field.name;

function valueOf({ value, json, attributes = [] }: Field, namespace: string): Json {
  if (attributes.length > 0 || typeof value !== 'string') {
    const own = attributes.map((each): [string, Json] => [`@${memberName(each, namespace)}`, each.value]);
    const inside = typeof value === 'string' ? (value === '' ? {} : { '#text': value }) : asJson(value, namespace);
    return { ...inside, ...Object.fromEntries(own) };
  }
  if (json === 'null') return null;
  if (json === 'boolean') return value === 'true';
  return json === 'number' ? Number(value) : value;
}

/** `/temperature/0` of a schema's object → `/ex:temperature/0` of the event's JSON. */
export function pointerOf(fields: readonly Field[], path: string): string {
  let inside: readonly Field[] = fields;
  const steps = path.split('/').slice(1);
  return steps
    .map((step) => {
      const field = inside.find(({ name }) => name === step);
      if (field !== undefined && typeof field.value !== 'string') inside = field.value;
      return `/${field?.prefix === undefined ? '' : `${field.prefix}:`}${step}`;
    })
    .join('');
}
