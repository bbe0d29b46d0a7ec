// Random parameters of SimpleEventQuery, each with what it means of an event, said as plainly as the standard does: no index, no keys.
import { pick } from './chance.ts';
import { DEVICES, EVENT_TYPES, IDS, MEASURES, PLACES, TEXTS, TRANSACTIONS, WORDS } from './events.ts';
import { field } from './fields.ts';
import { anyOf, exists, numbers, texts, times, type Ask, words } from './kinds.ts';
import { measure } from './measures.ts';
import { classes, elements, metadata, parent, quantities, reports } from './parts.ts';
import { attribute, match, places, typed, within } from './things.ts';
import { OPERATORS, ORDERS, without } from './values.ts';

const ALL: readonly Ask[] = [
  (asked) =>
    anyOf(
      'eventType',
      asked,
      () => {
        const type = pick(asked.random, EVENT_TYPES);
        const own = type.includes(':');
        return {
          value: own ? type : pick(asked.random, [type, `epcis:${type}`, `https://ref.gs1.org/epcis/${type}`]),
          matches: (each: string) => each === type,
        };
      },
      ({ event }) => [event.type],
    ),
  texts('EQ_action', ['ADD', 'OBSERVE', 'DELETE'], ({ action }) => [action]),
  words('EQ_bizStep', WORDS.bizStep, ({ bizStep }) => [bizStep]),
  words('EQ_disposition', WORDS.disposition, ({ disposition }) => [disposition]),
  words(
    'EQ_persistentDisposition_set',
    WORDS.disposition,
    ({ persistentDisposition }) => persistentDisposition?.set ?? [],
  ),
  words(
    'EQ_persistentDisposition_unset',
    WORDS.disposition,
    ({ persistentDisposition }) => persistentDisposition?.unset ?? [],
  ),
  words('EQ_errorReason', WORDS.errorReason, ({ errorDeclaration }) => [errorDeclaration?.reason]),
  texts('EQ_correctiveEventID', IDS, ({ errorDeclaration }) => errorDeclaration?.correctiveEventIDs ?? []),
  texts('EQ_transformationID', IDS, ({ transformationID }) => [transformationID]),
  (asked) =>
    anyOf(
      'EQ_eventID',
      asked,
      () => {
        const value = pick(asked.random, asked.random() < 0.5 ? IDS : asked.hashes);
        return { value, matches: (each: string) => each === value };
      },
      ({ event, hash }) => [event.eventID ?? hash],
    ),
  places('EQ_readPoint', ({ readPoint }) => readPoint?.id),
  places('EQ_bizLocation', ({ bizLocation }) => bizLocation?.id),
  within('WD_readPoint', ({ readPoint }) => readPoint?.id),
  within('WD_bizLocation', ({ bizLocation }) => bizLocation?.id),
  attribute,
  attribute,
  times('eventTime', ({ event }) => [event.eventTime]),
  times(
    'recordTime',
    ({ recordTime }) => [recordTime],
    ({ recordTimes }) => recordTimes,
  ),
  times('errorDeclarationTime', ({ event }) => [event.errorDeclaration?.declarationTime]),
  times('errorDeclaration_Time', ({ event }) => [event.errorDeclaration?.declarationTime]),
  times('time', ({ event }) => [...metadata(event), ...reports(event)].map(({ time }) => time)),
  times('startTime', ({ event }) => metadata(event).map(({ startTime }) => startTime)),
  times('endTime', ({ event }) => metadata(event).map(({ endTime }) => endTime)),
  exists('errorDeclaration', ({ errorDeclaration }) => errorDeclaration !== undefined),
  exists('sensorElementList', (event) => elements(event).length > 0),
  typed('bizTransaction', WORDS.bizTransaction, TRANSACTIONS),
  typed('source', WORDS.party, PLACES.flat()),
  typed('destination', WORDS.party, PLACES.flat()),
  match('MATCH_epc', 'instances', ({ epcList, childEPCs }) => [epcList, childEPCs]),
  match('MATCH_parentID', 'instances', (event) => [parent(event)]),
  match('MATCH_inputEPC', 'instances', ({ inputEPCList }) => [inputEPCList]),
  match('MATCH_outputEPC', 'instances', ({ outputEPCList }) => [outputEPCList]),
  ...[1, 2, 3].map(() =>
    match('MATCH_anyEPC', 'instances', (event) => [
      event.epcList,
      event.childEPCs,
      parent(event),
      event.inputEPCList,
      event.outputEPCList,
    ]),
  ),
  match('MATCH_epcClass', 'classes', (event) => [
    without([event.epcClass]),
    classes(event.quantityList),
    classes(event.childQuantityList),
  ]),
  match('MATCH_inputEPCClass', 'classes', (event) => [classes(event.inputQuantityList)]),
  match('MATCH_outputEPCClass', 'classes', (event) => [classes(event.outputQuantityList)]),
  match('MATCH_anyEPCClass', 'classes', (event) => [
    without([event.epcClass]),
    quantities(event).map(({ epcClass }) => epcClass),
  ]),
  numbers('quantity', OPERATORS, (event) => [event.quantity, ...quantities(event).map(({ quantity }) => quantity)]),
  numbers('percRank', ORDERS, (event) => reports(event).map(({ percRank }) => percRank)),
  measure('quantity', (event) => quantities(event).map(({ quantity, uom }) => ({ value: quantity, uom }))),
  ...MEASURES.map((name) =>
    measure(name, (event) => reports(event).map((report) => ({ value: report[name], uom: report.uom }))),
  ),
  words('EQ_type', WORDS.type, (event) => reports(event).map(({ type }) => type)),
  texts('EQ_deviceID', DEVICES, (event) => [...metadata(event), ...reports(event)].map(({ deviceID }) => deviceID)),
  texts('EQ_dataProcessingMethod', IDS, (event) =>
    [...metadata(event), ...reports(event)].map(({ dataProcessingMethod: method }) => method),
  ),
  texts('EQ_microorganism', IDS, (event) => reports(event).map(({ microorganism }) => microorganism)),
  texts('EQ_chemicalSubstance', IDS, (event) => reports(event).map(({ chemicalSubstance }) => chemicalSubstance)),
  texts('EQ_bizRules', IDS, (event) => metadata(event).map(({ bizRules }) => bizRules)),
  texts('EQ_stringValue', TEXTS, (event) => reports(event).map(({ stringValue }) => stringValue)),
  texts('EQ_uriValue', [...IDS, ...DEVICES], (event) => reports(event).map(({ uriValue }) => uriValue)),
  (asked) =>
    anyOf(
      'EQ_booleanValue',
      asked,
      () => {
        const [value = '', means] = pick(asked.random, [
          ['true', true],
          ['1', true],
          ['false', false],
          ['0', false],
        ] as const);
        return { value, matches: (each: boolean) => each === means };
      },
      ({ event }) => without(reports(event).map(({ booleanValue }) => booleanValue)),
    ),
  (asked) =>
    anyOf(
      'EQ_hexBinaryValue',
      asked,
      () => {
        const value = pick(asked.random, ['0fa0', '0FA0', 'FF', 'fF', '00']);
        return { value, matches: (each: string) => each.toLowerCase() === value.toLowerCase() };
      },
      ({ event }) => without(reports(event).map(({ hexBinaryValue }) => hexBinaryValue)),
    ),
  ...Array.from({ length: 20 }, () => field),
];

export const question: Ask = (asked) => {
  const drawn = pick(asked.random, ALL)(asked);
  // an empty value is no parameter
  const isNone = drawn.values.length > 0 && drawn.values.every((value) => value === '');
  return isNone ? { ...drawn, holds: () => true } : drawn;
};
