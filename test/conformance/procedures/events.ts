// The events that the procedures of querying ask for: one of each type, each field of the standard in at least one.
import { CONTEXT, type Site } from './site.ts';

export type Event = Readonly<Record<string, unknown>>;

const SGTIN = 'urn:epc:id:sgtin:0614141.107346.';

/** By name; the name stands in the event's ID. */
export function sampleEvents(site: Site): Readonly<Record<string, Event>> {
  const at = (minute: number): Event => ({
    eventTime: `2019-03-04T10:${String(minute).padStart(2, '0')}:00.000+01:00`,
    eventTimeZoneOffset: '+01:00',
  });
  const make = (name: string, minute: number, type: string, fields: Event): Event => ({
    type,
    eventID: site.eventID(name),
    ...at(minute),
    ...fields,
  });
  const own = (name: string) => site.name(`urn:example:${name}`);
  return {
    made: make('made', 1, 'ObjectEvent', {
      action: 'ADD',
      epcList: [own('item:1'), `${SGTIN}2017`],
      quantityList: [
        { epcClass: 'urn:epc:class:lgtin:4012345.012345.998877', quantity: 200.5, uom: 'KGM' },
        { epcClass: own('class:1'), quantity: 7 },
      ],
      bizStep: 'commissioning',
      disposition: 'active',
      persistentDisposition: { set: ['completeness_verified'], unset: ['completeness_inferred'] },
      readPoint: { id: own('read:1'), 'own:gate': 'north' },
      bizLocation: { id: own('place:1'), 'own:floor': 3 },
      bizTransactionList: [{ type: 'po', bizTransaction: own('po:1') }, { bizTransaction: own('untyped:1') }],
      sourceList: [{ type: 'possessing_party', source: own('party:1') }],
      destinationList: [{ type: 'owning_party', destination: own('party:2') }],
      ilmd: { 'own:lot': 'L1', 'own:best': { 'own:before': '2020-01-01T00:00:00Z' } },
      'own:count': 5,
      'own:text': 'red',
      'own:when': '2019-03-04T10:00:00Z',
      'own:box': { 'own:inner': 9 },
    }),
    seen: make('seen', 2, 'ObjectEvent', {
      action: 'OBSERVE',
      epcList: [own('item:2'), 'https://id.gs1.org/01/10614141073464/21/2018'],
      bizStep: 'shipping',
      disposition: 'in_transit',
      readPoint: { id: own('read:2') },
      'own:count': 6,
    }),
    packed: make('packed', 3, 'AggregationEvent', {
      action: 'ADD',
      parentID: own('pallet:1'),
      childEPCs: [own('item:1'), own('item:3')],
      childQuantityList: [{ epcClass: own('class:2'), quantity: 12 }],
      bizStep: 'packing',
    }),
    ordered: make('ordered', 4, 'TransactionEvent', {
      action: 'ADD',
      parentID: own('pallet:2'),
      epcList: [own('item:4')],
      bizTransactionList: [{ type: 'inv', bizTransaction: own('inv:1') }],
    }),
    cooked: make('cooked', 5, 'TransformationEvent', {
      inputEPCList: [own('item:5')],
      inputQuantityList: [{ epcClass: own('class:3'), quantity: 3 }],
      outputEPCList: [own('item:6')],
      outputQuantityList: [{ epcClass: own('class:4'), quantity: 4.25, uom: 'LTR' }],
      transformationID: own('xform:1'),
      bizStep: 'creating_class_instance',
    }),
    joined: make('joined', 6, 'AssociationEvent', {
      action: 'ADD',
      parentID: own('room:1'),
      childEPCs: [own('sensor:1')],
      bizStep: 'installing',
    }),
    measured: make('measured', 7, 'ObjectEvent', {
      action: 'OBSERVE',
      epcList: [own('item:7')],
      bizStep: 'sensor_reporting',
      sensorElementList: [
        {
          sensorMetadata: {
            time: '2019-03-04T09:07:00Z',
            startTime: '2019-03-04T09:00:00Z',
            endTime: '2019-03-04T09:06:00Z',
            deviceID: own('device:1'),
            deviceMetadata: 'https://example.org/device',
            rawData: 'https://example.org/raw',
            dataProcessingMethod: own('method:1'),
            bizRules: own('rules:1'),
            'own:grade': 'A',
          },
          sensorReport: [
            {
              type: 'Temperature',
              value: 26.5,
              minValue: 26,
              maxValue: 26.9,
              meanValue: 26.4,
              sDev: 0.1,
              percRank: 50,
              percValue: 12.7,
              uom: 'CEL',
              'own:place': 'top',
            },
            { type: 'RelativeHumidity', value: 12.1, uom: 'A93', deviceID: own('device:1') },
            { type: 'Count', microorganism: own('germ:1'), chemicalSubstance: own('salt:1'), value: 3 },
            {
              type: 'Count',
              stringValue: own('text'),
              booleanValue: true,
              hexBinaryValue: 'F0F1',
              uriValue: own('value:1'),
            },
          ],
          'own:layer': 4,
        },
      ],
    }),
    wrong: make('seen', 2, 'ObjectEvent', {
      action: 'OBSERVE',
      epcList: [own('item:2'), 'https://id.gs1.org/01/10614141073464/21/2018'],
      bizStep: 'shipping',
      disposition: 'in_transit',
      readPoint: { id: own('read:2') },
      'own:count': 6,
      errorDeclaration: {
        declarationTime: '2019-03-05T00:00:00Z',
        reason: 'incorrect_data',
        correctiveEventIDs: [site.eventID('made')],
        'own:told': 'Anna',
      },
    }),
  };
}

export function jsonDocument(site: Site, events: readonly Event[], more: Event = {}): object {
  return {
    '@context': [CONTEXT, { own: site.namespace }],
    type: 'EPCISDocument',
    schemaVersion: '2.0',
    creationDate: '2019-03-04T12:00:00Z',
    epcisBody: { eventList: events },
    ...more,
  };
}

/** An event that stands alone. */
export function alone(site: Site, event: Event): object {
  return { '@context': [CONTEXT, { own: site.namespace }], ...event };
}
