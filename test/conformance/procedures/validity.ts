// What is an EPCIS event and what is not: each rule as one event that is refused, beside one that is taken; in JSON and in XML.
import { alone, type Event } from './events.ts';
import { expectProblem, expectStatus, type Site, type Step } from './site.ts';

interface Case {
  readonly what: string;
  readonly json?: Event;
  /** Behind eventTime, eventTimeZoneOffset and eventID. */
  readonly xml?: string;
  readonly type?: string;
}

const EPC = 'urn:epc:id:sgtin:0614141.107346.77';
const PARENT = 'urn:epc:id:sscc:0614141.1234567890';
const epcs = `<epcList><epc>${EPC}</epc></epcList>`;
const children = `<childEPCs><epc>${EPC}</epc></childEPCs>`;
const observe = '<action>OBSERVE</action>';
const list = [EPC];
const place = { id: 'urn:epc:id:sgln:0614141.00777.0' };
const quantity = (more: string) =>
  `<epcList/>${observe}<quantityList><quantityElement><epcClass>urn:epc:class:lgtin:4012345.012345.1</epcClass>${more}</quantityElement></quantityList>`;
const quantityList = (more: Event) => [{ epcClass: 'urn:epc:class:lgtin:4012345.012345.1', ...more }];
const sensors = (inside: string) =>
  `${epcs}${observe}<sensorElementList><sensorElement>${inside}</sensorElement></sensorElementList>`;

const OBJECT: Event = { type: 'ObjectEvent', epcList: list, action: 'OBSERVE' };

const TAKEN: readonly Case[] = [
  { what: 'an ObjectEvent', json: OBJECT, xml: epcs + observe },
  {
    what: 'classes with a quantity and a unit',
    json: { type: 'ObjectEvent', action: 'OBSERVE', quantityList: quantityList({ quantity: 1.5, uom: 'KGM' }) },
    xml: quantity('<quantity>1.5</quantity><uom>KGM</uom>'),
  },
  {
    what: 'a class without a quantity',
    json: { type: 'ObjectEvent', action: 'OBSERVE', quantityList: quantityList({}) },
    xml: quantity(''),
  },
  {
    what: 'an aggregation without a parent that is observed',
    json: { type: 'AggregationEvent', childEPCs: list, action: 'OBSERVE' },
    xml: children + observe,
    type: 'AggregationEvent',
  },
  {
    what: 'an aggregation that ends, without children',
    json: { type: 'AggregationEvent', parentID: PARENT, action: 'DELETE' },
    xml: `<parentID>${PARENT}</parentID><childEPCs/><action>DELETE</action>`,
    type: 'AggregationEvent',
  },
  {
    what: 'an association with a place',
    json: { type: 'AssociationEvent', parentID: place.id, childEPCs: list, action: 'ADD' },
    xml: `<parentID>${place.id}</parentID>${children}<action>ADD</action>`,
    type: 'AssociationEvent',
  },
  {
    what: 'an association that ends, without children',
    json: { type: 'AssociationEvent', parentID: place.id, action: 'DELETE' },
    xml: `<parentID>${place.id}</parentID><action>DELETE</action>`,
    type: 'AssociationEvent',
  },
  {
    what: 'a transaction',
    json: {
      type: 'TransactionEvent',
      bizTransactionList: [{ type: 'po', bizTransaction: 'urn:epcglobal:cbv:bt:0614141073467:1' }],
      epcList: list,
      action: 'ADD',
    },
    xml: `<bizTransactionList><bizTransaction type="urn:epcglobal:cbv:btt:po">urn:epcglobal:cbv:bt:0614141073467:1</bizTransaction></bizTransactionList>${epcs}<action>ADD</action>`,
    type: 'TransactionEvent',
  },
  {
    what: 'the inputs of a transformation that has an ID',
    json: { type: 'TransformationEvent', inputEPCList: list, transformationID: 'urn:epc:id:gdti:0614141.06012.1234' },
    xml: `<inputEPCList><epc>${EPC}</epc></inputEPCList><transformationID>urn:epc:id:gdti:0614141.06012.1234</transformationID>`,
    type: 'TransformationEvent',
  },
  {
    what: 'ILMD where things begin',
    json: { ...OBJECT, action: 'ADD', ilmd: { 'own:lot': '1' } },
    xml: `${epcs}<action>ADD</action><ilmd><own:lot>1</own:lot></ilmd>`,
  },
  {
    what: 'a sensor report about a place alone',
    json: {
      type: 'ObjectEvent',
      action: 'OBSERVE',
      readPoint: place,
      sensorElementList: [{ sensorReport: [{ type: 'Temperature', value: 20, uom: 'CEL' }] }],
    },
    xml: `<epcList/>${observe}<readPoint><id>${place.id}</id></readPoint><sensorElementList><sensorElement><sensorReport type="gs1:Temperature" value="20" uom="CEL"/></sensorElement></sensorElementList>`,
  },
  {
    what: 'a field of a namespace',
    json: { ...OBJECT, 'own:field': { 'own:deep': [1, 2] } },
    xml: `${epcs}${observe}<own:field><own:deep>1</own:deep><own:deep>2</own:deep></own:field>`,
  },
  {
    what: 'a business step of a namespace',
    json: { ...OBJECT, bizStep: 'https://example.org/steps/painting' },
    xml: `${epcs}${observe}<bizStep>https://example.org/steps/painting</bizStep>`,
  },
  {
    what: 'white space around values',
    xml: `<epcList>\n <epc>\n ${EPC} </epc> </epcList> <action> OBSERVE\t</action>`,
  },
  { what: 'empty elements, as if they were absent', xml: `${epcs}${observe}<bizStep/><disposition></disposition>` },
  { what: 'an empty place', xml: `${epcs}${observe}<readPoint><id/></readPoint>` },
  { what: 'comments', xml: `<!-- a --><epcList><!-- b --><epc>${EPC}</epc></epcList>${observe}` },
];

const REFUSED: readonly Case[] = [
  { what: 'no action', json: { type: 'ObjectEvent', epcList: list }, xml: epcs },
  { what: 'an action that is none', json: { ...OBJECT, action: 'SEE' }, xml: `${epcs}<action>SEE</action>` },
  { what: 'an action in another case', json: { ...OBJECT, action: 'observe' }, xml: `${epcs}<action>observe</action>` },
  { what: 'no object at all', json: { type: 'ObjectEvent', action: 'OBSERVE' }, xml: `<epcList/>${observe}` },
  { what: 'empty lists', json: { ...OBJECT, epcList: [] }, xml: `<epcList></epcList>${observe}` },
  {
    what: 'an EPC that is no URI',
    json: { ...OBJECT, epcList: ['not a uri %%'] },
    xml: `<epcList><epc>not a uri %%</epc></epcList>${observe}`,
  },
  {
    what: 'an EPC with braces',
    json: { ...OBJECT, epcList: ['https://example.org/{id}'] },
    xml: `<epcList><epc>https://example.org/{id}</epc></epcList>${observe}`,
  },
  { what: 'an EPC with a space behind it', json: { ...OBJECT, epcList: [`${EPC} `] } },
  { what: 'an attribute of an EPC', xml: `<epcList><epc kind="a">${EPC}</epc></epcList>${observe}` },
  {
    what: 'an extension before the id of a place',
    xml: `${epcs}${observe}<readPoint><own:a/><id>${place.id}</id></readPoint>`,
  },
  {
    what: 'a disposition that is set before others are unset',
    xml: `${epcs}${observe}<persistentDisposition><set>urn:epcglobal:cbv:disp:active</set><unset>urn:epcglobal:cbv:disp:in_transit</unset></persistentDisposition>`,
  },
  {
    what: 'a list of no dispositions',
    json: { ...OBJECT, persistentDisposition: { set: ['active'], unset: [] } },
  },
  { what: 'a quantity with an exponent', xml: quantity('<quantity>1e3</quantity><uom>KGM</uom>') },
  {
    what: 'an EPC that is a number',
    json: { ...OBJECT, epcList: ['12345'] },
    xml: `<epcList><epc>12345</epc></epcList>${observe}`,
  },
  {
    what: 'a business step that is no word and no URI',
    json: { ...OBJECT, bizStep: 'painting' },
    xml: `${epcs}${observe}<bizStep>painting</bizStep>`,
  },
  { what: 'a read point without ID', json: { ...OBJECT, readPoint: {} } },
  { what: 'a read point of text', json: { ...OBJECT, readPoint: 'gate' } },
  {
    what: 'pieces that are not whole',
    json: { type: 'ObjectEvent', action: 'OBSERVE', quantityList: quantityList({ quantity: 1.5 }) },
    xml: quantity('<quantity>1.5</quantity>'),
  },
  {
    what: 'a unit without a quantity',
    json: { type: 'ObjectEvent', action: 'OBSERVE', quantityList: quantityList({ uom: 'KGM' }) },
    xml: quantity('<uom>KGM</uom>'),
  },
  {
    what: 'a quantity that is no number',
    json: { type: 'ObjectEvent', action: 'OBSERVE', quantityList: quantityList({ quantity: 'many' }) },
    xml: quantity('<quantity>many</quantity>'),
  },
  {
    what: 'ILMD of things that go on',
    json: { ...OBJECT, ilmd: { 'own:lot': '1' } },
    xml: `${epcs}${observe}<ilmd><own:lot>1</own:lot></ilmd>`,
  },
  {
    what: 'an aggregation without a parent that begins',
    json: { type: 'AggregationEvent', childEPCs: list, action: 'ADD' },
    xml: `${children}<action>ADD</action>`,
    type: 'AggregationEvent',
  },
  {
    what: 'an aggregation without a parent that ends',
    json: { type: 'AggregationEvent', childEPCs: list, action: 'DELETE' },
    xml: `${children}<action>DELETE</action>`,
    type: 'AggregationEvent',
  },
  {
    what: 'an aggregation of nothing',
    json: { type: 'AggregationEvent', parentID: PARENT, childEPCs: [], action: 'ADD' },
    xml: `<parentID>${PARENT}</parentID><childEPCs/><action>ADD</action>`,
    type: 'AggregationEvent',
  },
  {
    what: 'an association without a parent',
    json: { type: 'AssociationEvent', childEPCs: list, action: 'OBSERVE' },
    xml: children + observe,
    type: 'AssociationEvent',
  },
  {
    what: 'an association that begins, without children',
    json: { type: 'AssociationEvent', parentID: PARENT, action: 'ADD' },
    xml: `<parentID>${PARENT}</parentID><action>ADD</action>`,
    type: 'AssociationEvent',
  },
  {
    what: 'an association that is observed, without children',
    json: { type: 'AssociationEvent', parentID: PARENT, action: 'OBSERVE' },
    xml: `<parentID>${PARENT}</parentID>${observe}`,
    type: 'AssociationEvent',
  },
  {
    what: 'a transaction without one',
    json: { type: 'TransactionEvent', epcList: list, action: 'ADD' },
    xml: `${epcs}<action>ADD</action>`,
    type: 'TransactionEvent',
  },
  {
    what: 'a transaction of an empty list',
    json: { type: 'TransactionEvent', bizTransactionList: [], epcList: list, action: 'ADD' },
    xml: `<bizTransactionList/>${epcs}<action>ADD</action>`,
    type: 'TransactionEvent',
  },
  {
    what: 'a transformation with an action',
    json: { type: 'TransformationEvent', inputEPCList: list, outputEPCList: list, action: 'ADD' },
    xml: `<inputEPCList><epc>${EPC}</epc></inputEPCList><outputEPCList><epc>${EPC}</epc></outputEPCList><action>ADD</action>`,
    type: 'TransformationEvent',
  },
  {
    what: 'the inputs of a transformation without an ID',
    json: { type: 'TransformationEvent', inputEPCList: list },
    xml: `<inputEPCList><epc>${EPC}</epc></inputEPCList>`,
    type: 'TransformationEvent',
  },
  {
    what: 'a transformation of nothing',
    json: { type: 'TransformationEvent', transformationID: 'urn:example:t' },
    xml: '<transformationID>urn:example:t</transformationID>',
    type: 'TransformationEvent',
  },
  {
    what: 'a sensor element without a report',
    json: { ...OBJECT, sensorElementList: [{ sensorMetadata: { time: '2019-05-01T10:00:00Z' } }] },
    xml: sensors('<sensorMetadata time="2019-05-01T10:00:00Z"/>'),
  },
  {
    what: 'a sensor report whose value is no number',
    json: { ...OBJECT, sensorElementList: [{ sensorReport: [{ type: 'Temperature', value: 'warm' }] }] },
    xml: sensors('<sensorReport type="gs1:Temperature" value="warm"/>'),
  },
  {
    what: 'a sensor time without an offset',
    json: {
      ...OBJECT,
      sensorElementList: [{ sensorMetadata: { time: '2019-05-01T10:00:00' }, sensorReport: [{ value: 1 }] }],
    },
    xml: sensors('<sensorMetadata time="2019-05-01T10:00:00"/><sensorReport value="1"/>'),
  },
  {
    what: 'a boolean that is none',
    json: { ...OBJECT, sensorElementList: [{ sensorReport: [{ booleanValue: 'yes' }] }] },
    xml: sensors('<sensorReport booleanValue="yes"/>'),
  },
  {
    what: 'bytes that are none',
    json: { ...OBJECT, sensorElementList: [{ sensorReport: [{ hexBinaryValue: 'XY' }] }] },
    xml: sensors('<sensorReport hexBinaryValue="XY"/>'),
  },
  {
    what: 'two devices for one reading',
    json: {
      ...OBJECT,
      sensorElementList: [
        { sensorMetadata: { deviceID: 'urn:x:1' }, sensorReport: [{ deviceID: 'urn:x:2', value: 1 }] },
      ],
    },
    xml: sensors('<sensorMetadata deviceID="urn:x:1"/><sensorReport deviceID="urn:x:2" value="1"/>'),
  },
  {
    what: 'an error declaration without a time',
    json: { ...OBJECT, errorDeclaration: { reason: 'did_not_occur' } },
  },
  {
    what: 'a persistent disposition that is no word',
    json: { ...OBJECT, persistentDisposition: { set: ['lost in space'] } },
    xml: `${epcs}${observe}<persistentDisposition><set>lost in space</set></persistentDisposition>`,
  },
  { what: 'a source without a type', json: { ...OBJECT, sourceList: [{ source: 'urn:x:1' }] } },
  { what: 'a field of no namespace', json: { ...OBJECT, color: 'red' }, xml: `${epcs}${observe}<color>red</color>` },
  {
    what: 'a field of the namespace of EPCIS',
    xml: `${epcs}${observe}<e:color xmlns:e="urn:epcglobal:epcis:xsd:2">red</e:color>`,
  },
  { what: 'an event type that is none', json: { ...OBJECT, type: 'OwnEvent' }, xml: epcs + observe, type: 'OwnEvent' },
  { what: 'elements in another order', xml: observe + epcs },
  { what: 'an element twice', xml: epcs + observe + observe },
  { what: 'Unicode space around an EPC', xml: `<epcList><epc>\u00a0${EPC}</epc></epcList>${observe}` },
  { what: 'Unicode space around an action', xml: `${epcs}<action>OBSERVE\u3000</action>` },
];

/** Times and offsets that are none. */
const WRONG_TIMES: readonly (readonly [time: string, offset: string])[] = [
  ['2019-05-01T10:00:00', '+00:00'],
  ['2019-05-01', '+00:00'],
  ['10:00:00Z', '+00:00'],
  ['2019-13-01T10:00:00Z', '+00:00'],
  ['2019-02-30T10:00:00Z', '+00:00'],
  ['yesterday', '+00:00'],
  ['2019-05-01T10:00:00Z', ''],
  ['2019-05-01T10:00:00Z', 'Z'],
  ['2019-05-01T10:00:00Z', '0200'],
  ['2019-05-01T10:00:00Z', '+25:00'],
];

const RIGHT_TIMES: readonly (readonly [time: string, offset: string])[] = [
  ['2019-05-01T10:00:00Z', '+00:00'],
  ['2019-05-01T10:00:00.123456Z', '-05:00'],
  ['2019-05-01T10:00:00+14:00', '+14:00'],
  ['2020-02-29T23:59:59.999-03:30', '-03:30'],
];

export function validitySteps(site: Site): Step[] {
  let count = 0;
  const times = { eventTime: '2019-05-01T10:00:00Z', eventTimeZoneOffset: '+00:00' };
  const json = (event: Event) =>
    site.call('/events', { body: alone(site, { ...times, eventID: site.eventID(`valid-${++count}`), ...event }) });
  const xml = (type: string, content: string, time = times.eventTime, offset = times.eventTimeZoneOffset) =>
    site.call('/events', {
      headers: { 'Content-Type': 'application/xml' },
      body:
        `<${type} xmlns:own="${site.namespace}"><eventTime>${time}</eventTime><eventTimeZoneOffset>${offset}</eventTimeZoneOffset>` +
        `<eventID>${site.eventID(`valid-${++count}`)}</eventID>${content}</${type}>`,
    });
  const inBoth = (cases: readonly Case[], expect: (answer: Awaited<ReturnType<typeof json>>) => unknown, is: string) =>
    cases.flatMap(({ what, json: event, xml: content, type = 'ObjectEvent' }): Step[] => [
      ...(event === undefined
        ? []
        : [{ name: `${what} is ${is}, in JSON`, run: async () => void expect(await json(event)) }]),
      ...(content === undefined
        ? []
        : [{ name: `${what} is ${is}, in XML`, run: async () => void expect(await xml(type, content)) }]),
    ]);
  const taken = (answer: Parameters<typeof expectStatus>[0]) => expectStatus(answer, 201);
  const refused = (answer: Parameters<typeof expectStatus>[0]) => expectProblem(answer, 400, 'ValidationException');
  const ofTimes = (list: typeof RIGHT_TIMES, expect: typeof refused | typeof taken, is: string): Step[] =>
    list.flatMap(([eventTime, eventTimeZoneOffset]) => [
      {
        name: `${eventTime} with ${eventTimeZoneOffset || 'no offset'} is ${is}, in JSON`,
        run: async () => void expect(await json({ ...OBJECT, eventTime, eventTimeZoneOffset })),
      },
      {
        name: `${eventTime} with ${eventTimeZoneOffset || 'no offset'} is ${is}, in XML`,
        run: async () => void expect(await xml('ObjectEvent', epcs + observe, eventTime, eventTimeZoneOffset)),
      },
    ]);
  return [
    ...inBoth(TAKEN, taken, 'taken'),
    ...inBoth(REFUSED, refused, 'refused'),
    ...ofTimes(RIGHT_TIMES, taken, 'taken'),
    ...ofTimes(WRONG_TIMES, refused, 'refused'),
    {
      name: 'an event without @context is refused',
      run: async () =>
        refused(await site.call('/events', { body: { ...OBJECT, ...times, eventID: site.eventID('no-context') } })),
    },
  ];
}
