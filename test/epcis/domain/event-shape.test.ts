import { expect } from 'chai';
import { eventFault } from '../../../epcis/domain/event-shape.ts';
import type { EpcisEvent } from '../../../epcis/domain/event.ts';

const at = { eventTime: '2030-01-01T00:00:00Z', eventTimeZoneOffset: '+00:00' } as const;
const epc = ['urn:epc:id:sgtin:9521141.012345.1'];
const classes = [{ epcClass: 'urn:epc:idpat:sgtin:9521141.012345.*' }];
const transaction = [{ value: 'urn:po:1' }];
const sensor = [{ sensorReport: [{ type: 'a:b' }] }];

const RIGHT: readonly EpcisEvent[] = [
  { ...at, type: 'ObjectEvent', action: 'OBSERVE', epcList: epc },
  { ...at, type: 'ObjectEvent', action: 'ADD', quantityList: classes, ilmd: [] },
  { ...at, type: 'ObjectEvent', action: 'OBSERVE', sensorElementList: sensor, readPoint: { id: 'urn:p:1' } },
  { ...at, type: 'AggregationEvent', action: 'DELETE', parentID: 'urn:p:1' },
  { ...at, type: 'AggregationEvent', action: 'OBSERVE', childEPCs: epc },
  { ...at, type: 'QuantityEvent', epcClass: 'urn:c:1', quantity: 0 },
  { ...at, type: 'TransactionEvent', action: 'DELETE', bizTransactionList: transaction },
  { ...at, type: 'TransformationEvent', inputEPCList: epc, outputQuantityList: classes },
  { ...at, type: 'TransformationEvent', inputEPCList: epc, transformationID: 'urn:t:1' },
  { ...at, type: 'AssociationEvent', action: 'DELETE', parentID: 'urn:p:1' },
  { ...at, type: 'https://x.example.org/MyEvent' },
  { ...at, type: 'ObjectEvent', action: 'ADD', quantityList: [{ epcClass: 'urn:c:1', quantity: 1.5, uom: 'KGM' }] },
  { ...at, type: 'ObjectEvent', action: 'ADD', quantityList: [{ epcClass: 'urn:c:1', quantity: 3 }] },
  // GS1's own examples say the same in both places
  {
    ...{ ...at, type: 'ObjectEvent', action: 'ADD', epcList: epc },
    sensorElementList: [
      {
        sensorMetadata: { deviceID: 'urn:d:1' },
        sensorReport: [{ type: 'a:b', deviceID: 'urn:d:1' }, { type: 'a:b' }],
      },
    ],
  },
];

const WRONG: readonly (readonly [EpcisEvent, string])[] = [
  [{ ...at, type: 'ObjectEvent', epcList: epc }, 'ObjectEvent lacks action'],
  [
    { ...at, type: 'ObjectEvent', action: 'ADD' },
    'ObjectEvent needs epcList or quantityList, or sensorElementList with readPoint',
  ],
  [{ ...at, type: 'ObjectEvent', action: 'ADD', sensorElementList: sensor }, 'sensorElementList with readPoint'],
  [
    { ...at, type: 'ObjectEvent', action: 'DELETE', epcList: epc, ilmd: [] },
    'ilmd is allowed only with action ADD, not DELETE',
  ],
  [
    { ...at, type: 'AggregationEvent', action: 'ADD', childEPCs: epc },
    'AggregationEvent with action ADD lacks parentID',
  ],
  [
    { ...at, type: 'AggregationEvent', action: 'ADD', parentID: 'urn:p:1' },
    'AggregationEvent needs childEPCs or childQuantityList',
  ],
  [{ ...at, type: 'QuantityEvent', quantity: 1 }, 'QuantityEvent lacks epcClass'],
  [{ ...at, type: 'QuantityEvent', epcClass: 'urn:c:1', quantity: 3.14 }, 'is a whole number'],
  [{ ...at, type: 'TransactionEvent', action: 'ADD', epcList: epc }, 'TransactionEvent lacks bizTransactionList'],
  [{ ...at, type: 'TransactionEvent', action: 'ADD', epcList: epc, bizTransactionList: [] }, 'is empty'],
  [
    { ...at, type: 'TransactionEvent', action: 'ADD', bizTransactionList: transaction },
    'needs epcList or quantityList',
  ],
  [{ ...at, type: 'TransformationEvent', inputEPCList: epc }, 'without transformationID needs inputs and outputs'],
  [{ ...at, type: 'TransformationEvent', transformationID: 'urn:t:1' }, 'needs inputs or outputs'],
  [{ ...at, type: 'AssociationEvent', action: 'ADD', childEPCs: epc }, 'AssociationEvent lacks parentID'],
  [
    { ...at, type: 'ObjectEvent', action: 'ADD', epcList: [] },
    'ObjectEvent needs epcList or quantityList, or sensorElementList with readPoint',
  ],
  [
    { ...at, type: 'AssociationEvent', action: 'OBSERVE', parentID: 'urn:p:1', childEPCs: [] },
    'AssociationEvent needs childEPCs or childQuantityList',
  ],
  [
    { ...at, type: 'ObjectEvent', action: 'ADD', quantityList: [{ epcClass: 'urn:c:1', uom: 'KGM' }] },
    'urn:c:1 has the unit KGM but no quantity',
  ],
  [
    { ...at, type: 'ObjectEvent', action: 'ADD', quantityList: [{ epcClass: 'urn:c:1', quantity: 1.5 }] },
    'urn:c:1 has the quantity 1.5 without a unit',
  ],
  [
    {
      ...{ ...at, type: 'ObjectEvent', action: 'ADD', epcList: epc },
      sensorElementList: [
        {
          sensorMetadata: { deviceID: 'urn:d:1' },
          sensorReport: [{ type: 'a:b' }, { type: 'a:b', deviceID: 'urn:d:2' }],
        },
      ],
    },
    'deviceID is urn:d:1 in sensorMetadata and urn:d:2 in a sensorReport',
  ],
  [{ ...at, eventTime: '', type: 'ObjectEvent', action: 'ADD', epcList: epc }, 'ObjectEvent lacks eventTime'],
];

describe('what an event must have', () => {
  it('accepts each type with the least it needs', () => {
    for (const event of RIGHT) expect(eventFault(event), JSON.stringify(event)).to.equal(undefined);
  });

  for (const [event, reason] of WRONG) {
    it(`refuses: ${reason}`, () => {
      expect(eventFault(event)?.reason).to.contain(reason);
    });
  }
});
