// The fields of sensor metadata and sensor reports, and what kind of value each holds.
import type { CbvKind } from './cbv.ts';
import type { SensorMetadata, SensorReport } from './event.ts';

export type SensorValueKind = 'time' | 'uri' | 'number' | 'boolean' | 'string' | 'hex' | { readonly word: CbvKind };

export const METADATA_FIELDS: Readonly<Record<Exclude<keyof SensorMetadata, 'extensions'>, SensorValueKind>> = {
  time: 'time',
  startTime: 'time',
  endTime: 'time',
  deviceID: 'uri',
  deviceMetadata: 'uri',
  rawData: 'uri',
  dataProcessingMethod: 'uri',
  bizRules: 'uri',
};

export const REPORT_FIELDS: Readonly<Record<Exclude<keyof SensorReport, 'extensions'>, SensorValueKind>> = {
  type: { word: 'measurement' },
  exception: { word: 'alert' },
  deviceID: 'uri',
  deviceMetadata: 'uri',
  rawData: 'uri',
  dataProcessingMethod: 'uri',
  bizRules: 'uri',
  time: 'time',
  microorganism: 'uri',
  chemicalSubstance: 'uri',
  value: 'number',
  component: { word: 'component' },
  stringValue: 'string',
  booleanValue: 'boolean',
  hexBinaryValue: 'hex',
  uriValue: 'uri',
  minValue: 'number',
  maxValue: 'number',
  meanValue: 'number',
  sDev: 'number',
  percRank: 'number',
  percValue: 'number',
  uom: 'string',
  coordinateReferenceSystem: 'uri',
};
