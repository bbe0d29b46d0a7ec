// What an event has of a kind, wherever it has it.
import type { EpcisEvent, QuantityElement, SensorReport } from '../../../epcis/domain/event.ts';
import { without } from './values.ts';

export const classes = (list: readonly QuantityElement[] | undefined): readonly string[] | undefined =>
  list?.map(({ epcClass }) => epcClass);
export const parent = ({ parentID }: EpcisEvent): readonly string[] => without([parentID]);
export const quantities = (event: EpcisEvent): readonly QuantityElement[] =>
  [event.quantityList, event.childQuantityList, event.inputQuantityList, event.outputQuantityList].flatMap(
    (list) => list ?? [],
  );

export const elements = ({ sensorElementList = [] }: EpcisEvent) => sensorElementList;
export const metadata = (event: EpcisEvent) => without(elements(event).map(({ sensorMetadata }) => sensorMetadata));
export const reports = (event: EpcisEvent): readonly SensorReport[] =>
  elements(event).flatMap(({ sensorReport }) => sensorReport);
