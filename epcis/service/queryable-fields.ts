// The parts of an event that hold extension fields, one entry each: the prefix of their parameters, what these mean, and where
// the fields are. A field's name is hashed into the index (`event_text.posting`, `event_number.name`), prefix and all, so
// repositories hold it: a prefix is never changed.
import type { EpcisEvent, Field } from '../domain/event.ts';

interface FieldsFact {
  readonly prefix: string;
  readonly meaning: string;
  readonly of: (event: EpcisEvent) => readonly (readonly Field[] | undefined)[];
}

export const FIELDS = {
  event: {
    prefix: '',
    meaning: 'An extension field of the event',
    of: ({ extensions }) => [extensions],
  },
  ilmd: {
    prefix: 'ILMD_',
    meaning: 'A field of the ILMD',
    of: ({ ilmd }) => [ilmd],
  },
  errorDeclaration: {
    prefix: 'ERROR_DECLARATION_',
    meaning: 'A field of the error declaration',
    of: ({ errorDeclaration }) => [errorDeclaration?.extensions],
  },
  sensorElement: {
    prefix: 'SENSORELEMENT_',
    meaning: 'A field of a sensor element',
    of: ({ sensorElementList = [] }) => sensorElementList.map(({ extensions }) => extensions),
  },
  sensorMetadata: {
    prefix: 'SENSORMETADATA_',
    meaning: 'A field of sensor metadata',
    of: ({ sensorElementList = [] }) => sensorElementList.map(({ sensorMetadata }) => sensorMetadata?.extensions),
  },
  sensorReport: {
    prefix: 'SENSORREPORT_',
    meaning: 'A field of a sensor report',
    of: ({ sensorElementList = [] }) =>
      sensorElementList.flatMap(({ sensorReport }) => sensorReport.map(({ extensions }) => extensions)),
  },
  readPoint: {
    prefix: 'readPoint_',
    meaning: 'A field of the read point',
    of: ({ readPoint }) => [readPoint?.extensions],
  },
  bizLocation: {
    prefix: 'bizLocation_',
    meaning: 'A field of the business location',
    of: ({ bizLocation }) => [bizLocation?.extensions],
  },
} as const satisfies Readonly<Record<string, FieldsFact>>;

export type FieldFamily = keyof typeof FIELDS;

export const FIELD_FAMILIES = Object.keys(FIELDS) as readonly FieldFamily[];

/** `INNER_ILMD_http://ns#lot`, after the operator, is also what parameters call it. */
export function fieldName(family: FieldFamily, inner: boolean, key: string): string {
  return `field ${inner ? 'INNER_' : ''}${FIELDS[family].prefix}${key}`;
}

/**
 * A namespace that ends with # gets no second one, and that of CBV's master data is one with a colon at its end, as JSON-LD has it, and without,
 * as XML does. JSON may cut a URI where XML cannot: whoever may not see `urn:x:ns#price` must not find it
 * as `ns#price` of `urn:x:`, or as `ice` of `urn:x:ns#pr`.
 */
export function fieldKey(namespace: string, name: string): string {
  const bare = namespace === 'urn:epcglobal:cbv:mda:' ? 'urn:epcglobal:cbv:mda' : namespace.replace(/#$/, '');
  const at = Math.max(name.lastIndexOf('#'), name.lastIndexOf('/'), name.lastIndexOf(':'));
  if (at >= 0 && namespace !== '') return fieldKey(namespace + name.slice(0, at + 1), name.slice(at + 1));
  const hash = bare.lastIndexOf('#');
  return hash < 0 ? `${bare}#${name}` : `${bare}${name}`;
}
