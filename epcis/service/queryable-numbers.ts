// Named times and numbers that can be asked of an event, one entry each: parameters, their lines in PARAMETERS.md and what
// capture stores. An entry's `name` is hashed into the key of the index (`event_number.name`), so repositories hold it: it is
// never changed, and an event that was captured before its entry was added is not found by it.
import type { EpcisEvent, QuantityElement, SensorMetadata, SensorReport } from '../domain/event.ts';
import { toBaseUnit } from './units.ts';

/** Times of a name are numbers under a name of their own, so that they never compare with plain numbers. */
export const timeName = (name: string): string => `time ${name}`;

/** GE_ and LT_ before the name are the parameters; `timeName` is stored. */
export interface TimeFact {
  readonly name: string;
  /** Another spelling that the parameters have. */
  readonly also?: string;
  /** What "at this time or later" says more about. */
  readonly meaning: string;
  readonly of: (event: EpcisEvent) => readonly (string | undefined)[];
}

/** The operator, `_` and the name are the parameters. */
export interface NumberFact {
  readonly name: string;
  readonly operators: readonly Operator[];
  readonly meaning: string;
  readonly of: (event: EpcisEvent) => readonly (number | undefined)[];
}

export const OPERATORS = ['EQ', 'GT', 'GE', 'LT', 'LE'] as const;

export type Operator = (typeof OPERATORS)[number];

/** The operator, the name and a unit are the parameters, all joined by `_`. */
export interface MeasureFact {
  readonly name: string;
  /** A difference knows no offset: 1.8 FAH are 1 CEL. */
  readonly kind: 'value' | 'difference';
  readonly of: (event: EpcisEvent) => readonly Measure[];
}

interface Measure {
  readonly value?: number | undefined;
  readonly uom?: string | undefined;
}

/** `value_KEL` and 293.15 for a value of 20 CEL: what is stored, and what a query asks for. */
export function measured({ name, kind }: MeasureFact, value: number, uom: string): { name: string; value: number } {
  const base = toBaseUnit(value, uom, kind);
  return { name: `${name}_${base.unit}`, value: base.value };
}

export const STANDARD_TIMES: readonly TimeFact[] = [
  {
    name: 'errorDeclarationTime',
    also: 'errorDeclaration_Time',
    meaning: 'Declared an error',
    of: ({ errorDeclaration }) => [errorDeclaration?.declarationTime],
  },
];

const reportsOf = ({ sensorElementList = [] }: EpcisEvent): readonly SensorReport[] =>
  sensorElementList.length === 1
    ? (sensorElementList[0]?.sensorReport ?? [])
    : sensorElementList.flatMap(({ sensorReport }) => sensorReport);

const metadataOf = ({ sensorElementList = [] }: EpcisEvent): readonly SensorMetadata[] =>
  sensorElementList.flatMap(({ sensorMetadata = [] }) => sensorMetadata);

export const SENSOR_TIMES: readonly TimeFact[] = [
  {
    name: 'time',
    meaning: 'A sensor was read',
    of: (event) => [...metadataOf(event), ...reportsOf(event)].map(({ time }) => time),
  },
  {
    name: 'startTime',
    meaning: 'A sensor was read in a time that starts',
    of: (event) => metadataOf(event).map(({ startTime }) => startTime),
  },
  {
    name: 'endTime',
    meaning: 'A sensor was read in a time that ends',
    of: (event) => metadataOf(event).map(({ endTime }) => endTime),
  },
];

const quantitiesOf = (event: EpcisEvent): readonly QuantityElement[] =>
  [event.quantityList, event.childQuantityList, event.inputQuantityList, event.outputQuantityList].flatMap(
    (list) => list ?? [],
  );

export const STANDARD_NUMBERS: readonly NumberFact[] = [
  {
    name: 'quantity',
    operators: OPERATORS,
    meaning: 'A quantity, in whatever unit,',
    // a QuantityEvent has one and no list
    of: (event) => [event.quantity, ...quantitiesOf(event).map(({ quantity }) => quantity)],
  },
];

export const SENSOR_NUMBERS: readonly NumberFact[] = [
  {
    name: 'percRank',
    operators: ['GE', 'GT', 'LE', 'LT'],
    meaning: 'A percentile rank',
    of: (event) => reportsOf(event).map(({ percRank }) => percRank),
  },
];

type Read = 'value' | 'minValue' | 'maxValue' | 'meanValue' | 'sDev' | 'percValue';

const ofReports = (name: Read, kind: MeasureFact['kind'] = 'value'): MeasureFact => ({
  name,
  kind,
  of: (event) => reportsOf(event).map(({ [name]: value, uom }) => ({ value, uom })),
});

export const SENSOR_MEASURES: readonly MeasureFact[] = [
  ofReports('value'),
  ofReports('minValue'),
  ofReports('maxValue'),
  ofReports('meanValue'),
  ofReports('sDev', 'difference'),
  ofReports('percValue'),
];

export const STANDARD_MEASURES: readonly MeasureFact[] = [
  {
    name: 'quantity',
    kind: 'value',
    of: (event) => quantitiesOf(event).map(({ quantity, uom }) => ({ value: quantity, uom })),
  },
];
