// Named texts that can be asked of an event: one entry each is the parameter, its line in PARAMETERS.md and what capture
// stores. An entry's `name` is hashed into the key of the index (`event_text.posting`), so repositories hold it: it is never
// changed, and an event that was captured before its entry was added is not found by it.
import { cbvUri, type CbvKind } from '../domain/cbv.ts';
import { epcKey } from '../domain/epc.ts';
import type { EpcisEvent, SensorElement, SensorMetadata, SensorReport, TypedValue } from '../domain/event.ts';
import { wrongValue } from './parameter-values.ts';
import { vocabulary } from './queryable-columns.ts';

/** A QueryParameterException for what is none of the type. */
type Canonical = (value: string) => string | readonly string[];

export interface TextFact {
  readonly name: string;
  readonly parameter: string;
  readonly meaning: string;
  /** Makes one value (or all that may be stored) of the ways in which a query may write it. */
  readonly canonical?: Canonical;
  readonly of: (event: EpcisEvent) => readonly (string | undefined)[];
}

const NONE: readonly string[] = [];

/** An identifier as it is written, which is all that earlier versions stored, and as its URN and its digital links agree on. */
export function eachForm(uri: string): readonly string[] {
  const key = epcKey(uri);
  return key === uri ? [uri] : [uri, key];
}
const formsOf = (uri: string | undefined): readonly string[] => (uri === undefined ? NONE : eachForm(uri));

/** The ID by which an event is found; one without an ID of its own is found by its hash, which its row has. */
export const EVENT_ID = {
  name: 'eventID',
  parameter: 'EQ_eventID',
  meaning: 'The ID of the event; its hash where it was captured without one.',
  of: ({ eventID }: EpcisEvent, hash: string) => (eventID === hash ? undefined : eventID),
} as const;

/** Of the event, its error declaration and its persistent dispositions. */
export const STANDARD_TEXTS: readonly TextFact[] = [
  {
    name: 'transformationID',
    parameter: 'EQ_transformationID',
    meaning: 'The ID of the transformation.',
    canonical: eachForm,
    of: ({ transformationID }) => formsOf(transformationID),
  },
  {
    name: 'errorReason',
    parameter: 'EQ_errorReason',
    meaning: 'The reason of the error declaration.',
    canonical: vocabulary('errorReason'),
    of: ({ errorDeclaration }) => [errorDeclaration?.reason],
  },
  {
    name: 'correctiveEventID',
    parameter: 'EQ_correctiveEventID',
    meaning: 'An ID among the corrective events of the error declaration.',
    of: ({ errorDeclaration }) => errorDeclaration?.correctiveEventIDs ?? NONE,
  },
  {
    name: 'persistentDisposition_set',
    parameter: 'EQ_persistentDisposition_set',
    meaning: 'A disposition that was set.',
    canonical: vocabulary('disposition'),
    of: ({ persistentDisposition }) => persistentDisposition?.set ?? NONE,
  },
  {
    name: 'persistentDisposition_unset',
    parameter: 'EQ_persistentDisposition_unset',
    meaning: 'A disposition that was unset.',
    canonical: vocabulary('disposition'),
    of: ({ persistentDisposition }) => persistentDisposition?.unset ?? NONE,
  },
];

interface OfSensor {
  readonly meaning: string;
  readonly canonical?: Canonical;
  readonly ofReport?: (report: SensorReport) => string | readonly string[] | undefined;
  readonly ofMetadata?: (metadata: SensorMetadata) => string | readonly string[] | undefined;
}

const BOOLEANS = new Map([
  ['true', 'true'],
  ['1', 'true'],
  ['false', 'false'],
  ['0', 'false'],
]);

/** 0fA0 → 0fA0, 0FA0: as it is written, which is all that earlier versions stored, and as all agree on. */
const bothCases = (hex: string): readonly string[] => [...new Set([hex, hex.toUpperCase()])];

function refuse(parameter: string, value: string, wanted: string): never {
  throw wrongValue(parameter, value, wanted);
}

/** Of sensor elements (2.0): the name of the attribute is that of the text, and with EQ_ that of the parameter. */
const SENSOR: Readonly<Record<string, OfSensor>> = {
  type: {
    meaning: 'What a sensor measured, or its alert.',
    canonical: (value) => cbvUri('measurement', value) ?? cbvUri('alert', value) ?? value, // a bare word may be either
    ofReport: ({ type }) => type,
  },
  deviceID: {
    meaning: 'The device, of a sensor element or report.',
    canonical: eachForm,
    ofReport: ({ deviceID }) => formsOf(deviceID),
    ofMetadata: ({ deviceID }) => formsOf(deviceID),
  },
  dataProcessingMethod: {
    meaning: 'How the data was processed.',
    canonical: eachForm,
    ofReport: ({ dataProcessingMethod }) => formsOf(dataProcessingMethod),
    ofMetadata: ({ dataProcessingMethod }) => formsOf(dataProcessingMethod),
  },
  microorganism: { meaning: 'The microorganism found.', ofReport: ({ microorganism }) => microorganism },
  chemicalSubstance: {
    meaning: 'The chemical substance found.',
    ofReport: ({ chemicalSubstance }) => chemicalSubstance,
  },
  bizRules: {
    meaning: 'The business rules applied.',
    canonical: eachForm,
    ofMetadata: ({ bizRules }) => formsOf(bizRules),
  },
  stringValue: { meaning: 'A text read.', ofReport: ({ stringValue }) => stringValue },
  booleanValue: {
    meaning: '`true` or `false`, also written `1` and `0`.',
    canonical: (value) => BOOLEANS.get(value) ?? refuse('EQ_booleanValue', value, 'true or false'),
    ofReport: ({ booleanValue }) => (booleanValue === undefined ? undefined : String(booleanValue)),
  },
  hexBinaryValue: {
    meaning: 'Bytes read, in hexadecimal of either case.',
    canonical: (value) =>
      /^[0-9A-Fa-f]+$/.test(value) ? bothCases(value) : refuse('EQ_hexBinaryValue', value, 'bytes in hexadecimal'),
    ofReport: ({ hexBinaryValue }) => hexBinaryValue && bothCases(hexBinaryValue),
  },
  uriValue: { meaning: 'A URI read.', canonical: eachForm, ofReport: ({ uriValue }) => formsOf(uriValue) },
};

export const SENSOR_TEXTS: readonly TextFact[] = Object.entries(SENSOR).map(
  ([name, { meaning, canonical, ...where }]) => ({
    name,
    parameter: `EQ_${name}`,
    meaning,
    ...(canonical && { canonical }),
    of: ({ sensorElementList = [] }) => textsOf(sensorElementList, where),
  }),
);

/** In loops: capture does this for every sensor element and every name. */
function textsOf(
  elements: readonly SensorElement[],
  { ofReport, ofMetadata }: Pick<OfSensor, 'ofReport' | 'ofMetadata'>,
): readonly (string | undefined)[] {
  const found: (string | undefined)[] = [];
  const add = (value: string | readonly string[] | undefined): void => {
    if (typeof value === 'object') found.push(...value);
    else found.push(value);
  };
  for (const { sensorMetadata, sensorReport } of elements) {
    if (sensorMetadata && ofMetadata) add(ofMetadata(sensorMetadata));
    if (ofReport !== undefined) for (const report of sensorReport) add(ofReport(report));
  }
  return found;
}

/** The value that stands for "there is one", whatever it is. */
export const EXISTS = '\u0000exists';

/** What an event has or has not: EXISTS_ and the name is the parameter. */
export interface PresenceFact {
  readonly name: string;
  readonly meaning: string;
  readonly of: (event: EpcisEvent) => boolean;
}

export const ERROR_DECLARATION: PresenceFact = {
  name: 'errorDeclaration',
  meaning: 'The event is an error declaration.',
  of: ({ errorDeclaration }) => errorDeclaration !== undefined,
};

export const PRESENCES: readonly PresenceFact[] = [
  ERROR_DECLARATION,
  {
    name: 'sensorElementList',
    meaning: 'The event has sensor elements.',
    of: ({ sensorElementList = [] }) => sensorElementList.length > 0,
  },
];

/** Values that have a type, which is a part of the name: EQ_bizTransaction_ and the type is the parameter. */
export interface TypedFact {
  readonly name: string;
  readonly meaning: string;
  /** The standard's vocabulary of its types. */
  readonly types: CbvKind;
  readonly of: (event: EpcisEvent) => readonly TypedValue[] | undefined;
}

/** `source_https://ref.gs1.org/cbv/SDT-location`; a value without a type has an empty one. */
export const typedName = ({ name }: TypedFact, type = ''): string => `${name}_${type}`;

export const TYPED_TEXTS: readonly TypedFact[] = [
  {
    name: 'bizTransaction',
    meaning: 'A business transaction of this type.',
    types: 'bizTransaction',
    of: ({ bizTransactionList }) => bizTransactionList,
  },
  {
    name: 'source',
    meaning: 'A source of this type.',
    types: 'sourceDestination',
    of: ({ sourceList }) => sourceList,
  },
  {
    name: 'destination',
    meaning: 'A destination of this type.',
    types: 'sourceDestination',
    of: ({ destinationList }) => destinationList,
  },
];
