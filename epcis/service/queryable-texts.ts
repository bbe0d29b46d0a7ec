// Named texts that can be asked of an event: one entry each is the parameter, its line in PARAMETERS.md and what capture
// stores. An entry's `name` is hashed into the key of the index (`event_text.posting`), so repositories hold it: it is never
// changed, and an event that was captured before its entry was added is not found by it.
import { cbvUri } from '../domain/cbv.ts';
import type { EpcisEvent, SensorElement, SensorMetadata, SensorReport } from '../domain/event.ts';
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

/** Of the event, its error declaration and its persistent dispositions. */
export const STANDARD_TEXTS: readonly TextFact[] = [
  {
    name: 'transformationID',
    parameter: 'EQ_transformationID',
    meaning: 'The ID of the transformation.',
    of: ({ transformationID }) => [transformationID],
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
  readonly ofMetadata?: (metadata: SensorMetadata) => string | undefined;
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
    ofReport: ({ deviceID }) => deviceID,
    ofMetadata: ({ deviceID }) => deviceID,
  },
  dataProcessingMethod: {
    meaning: 'How the data was processed.',
    ofReport: ({ dataProcessingMethod }) => dataProcessingMethod,
    ofMetadata: ({ dataProcessingMethod }) => dataProcessingMethod,
  },
  microorganism: { meaning: 'The microorganism found.', ofReport: ({ microorganism }) => microorganism },
  chemicalSubstance: {
    meaning: 'The chemical substance found.',
    ofReport: ({ chemicalSubstance }) => chemicalSubstance,
  },
  bizRules: { meaning: 'The business rules applied.', ofMetadata: ({ bizRules }) => bizRules },
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
  uriValue: { meaning: 'A URI read.', ofReport: ({ uriValue }) => uriValue },
};

export const SENSOR_TEXTS: readonly TextFact[] = Object.entries(SENSOR).map(
  ([name, { meaning, canonical, ...where }]) => ({
    name,
    parameter: `EQ_${name}`,
    meaning,
    ...(canonical && { canonical }),
    of: ({ sensorElementList = [] }) => sensorElementList.flatMap((element) => textsOf(element, where)),
  }),
);

function textsOf(
  { sensorMetadata, sensorReport }: SensorElement,
  { ofReport, ofMetadata }: Pick<OfSensor, 'ofReport' | 'ofMetadata'>,
): readonly (string | undefined)[] {
  return [sensorMetadata && ofMetadata?.(sensorMetadata), ...(ofReport ? sensorReport.flatMap(ofReport) : [])];
}
