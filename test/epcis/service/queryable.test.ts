// The storage format that the tables of what is queryable are: repositories hold these numbers and, hashed, these names.
import { expect } from 'chai';
import type { EpcisEvent, Field } from '../../../epcis/domain/event.ts';
import { factsOf } from '../../../epcis/service/facts.ts';
import { COLUMNS, ROW_TIMES } from '../../../epcis/service/queryable-columns.ts';
import {
  SENSOR_MEASURES,
  SENSOR_NUMBERS,
  SENSOR_TIMES,
  STANDARD_MEASURES,
  STANDARD_NUMBERS,
  STANDARD_TIMES,
} from '../../../epcis/service/queryable-numbers.ts';
import { CLASS_ROLES, INSTANCE_ROLES, PLACE_FACTS } from '../../../epcis/service/queryable-places.ts';
import { EVENT_ID, EXISTS, SENSOR_TEXTS, STANDARD_TEXTS } from '../../../epcis/service/queryable-texts.ts';
import { planEvents } from '../../../epcis/service/parameters.ts';

/** Released: lines are added here, never changed. */
const KINDS = {
  type: { column: 'type', kind: 0 },
  action: { column: 'action', kind: 1 },
  bizStep: { column: 'biz_step', kind: 2 },
  disposition: { column: 'disposition', kind: 3 },
  readPoint: { column: 'read_point', kind: 4 },
  bizLocation: { column: 'biz_location', kind: 5 },
};
const TIMES = { eventTime: 'event_time', recordTime: 'record_time' };
const ROLES = {
  epcList: 1,
  childEPCs: 2,
  parentID: 4,
  inputEPCList: 8,
  outputEPCList: 16,
  quantityList: 32,
  childQuantityList: 64,
  inputQuantityList: 128,
  outputQuantityList: 256,
};
const TEXTS = {
  EQ_transformationID: 'transformationID',
  EQ_errorReason: 'errorReason',
  EQ_correctiveEventID: 'correctiveEventID',
  EQ_persistentDisposition_set: 'persistentDisposition_set',
  EQ_persistentDisposition_unset: 'persistentDisposition_unset',
  EQ_type: 'type',
  EQ_deviceID: 'deviceID',
  EQ_dataProcessingMethod: 'dataProcessingMethod',
  EQ_microorganism: 'microorganism',
  EQ_chemicalSubstance: 'chemicalSubstance',
  EQ_bizRules: 'bizRules',
  EQ_stringValue: 'stringValue',
  EQ_booleanValue: 'booleanValue',
  EQ_hexBinaryValue: 'hexBinaryValue',
  EQ_uriValue: 'uriValue',
};
/** Parameters with what EVENT has → the name and value under which the index has it. */
const NAMED: Readonly<Record<string, readonly [asked: string, name: string, stored: string | number]>> = {
  EXISTS_errorDeclaration: ['', 'errorDeclaration', EXISTS],
  EXISTS_sensorElementList: ['', 'sensorElementList', EXISTS],
  EQ_bizTransaction_po: ['urn:t', 'bizTransaction_https://ref.gs1.org/cbv/BTT-po', 'urn:t'],
  EQ_source_location: ['urn:s', 'source_https://ref.gs1.org/cbv/SDT-location', 'urn:s'],
  'EQ_destination_urn:example:type': ['urn:d', 'destination_urn:example:type', 'urn:d'],
  GE_errorDeclarationTime: ['1970-01-01T00:00:01Z', 'time errorDeclarationTime', 1e6],
  GE_time: ['1970-01-01T00:00:02Z', 'time time', 2e6],
  GE_startTime: ['1970-01-01T00:00:03Z', 'time startTime', 3e6],
  GE_endTime: ['1970-01-01T00:00:04Z', 'time endTime', 4e6],
  GE_quantity: ['1500', 'quantity', 1500],
  GE_quantity_GRM: ['1500', 'quantity_KGM', 1.5],
  GE_percRank: ['50', 'percRank', 50],
  GE_value_CEL: ['20', 'value_KEL', 293.15],
  GE_minValue_CEL: ['1', 'minValue_KEL', 274.15],
  GE_maxValue_CEL: ['2', 'maxValue_KEL', 275.15],
  GE_meanValue_CEL: ['3', 'meanValue_KEL', 276.15],
  GE_sDev_CEL: ['4', 'sDev_KEL', 4],
  GE_percValue_CEL: ['5', 'percValue_KEL', 278.15],
  GE_value_XYZ: ['6', 'value_XYZ', 6],
  'GE_urn:x#event': ['7', 'field urn:x#event', 7],
  'GE_INNER_urn:x#inner': ['7', 'field INNER_urn:x#inner', 7],
  'GE_ILMD_urn:x#ilmd': ['7', 'field ILMD_urn:x#ilmd', 7],
  'GE_ERROR_DECLARATION_urn:x#error': ['7', 'field ERROR_DECLARATION_urn:x#error', 7],
  'GE_SENSORELEMENT_urn:x#element': ['7', 'field SENSORELEMENT_urn:x#element', 7],
  'GE_SENSORMETADATA_urn:x#metadata': ['7', 'field SENSORMETADATA_urn:x#metadata', 7],
  'GE_SENSORREPORT_urn:x#report': ['7', 'field SENSORREPORT_urn:x#report', 7],
  'GE_readPoint_urn:x#readPoint': ['7', 'field readPoint_urn:x#readPoint', 7],
  'GE_bizLocation_urn:x#bizLocation': ['7', 'field bizLocation_urn:x#bizLocation', 7],
  'EXISTS_urn:x#parent': ['', 'field urn:x#parent', EXISTS],
};

const field = (name: string, value: Field['value'] = '7'): Field => ({ namespace: 'urn:x', name, value });

/** Something of everything. */
const EVENT: EpcisEvent = {
  type: 'ObjectEvent',
  action: 'ADD',
  eventID: 'urn:id',
  eventTime: '1970-01-01T00:00:05Z',
  eventTimeZoneOffset: '+00:00',
  quantityList: [{ epcClass: 'urn:c', quantity: 1500, uom: 'GRM' }],
  transformationID: 'urn:example:t',
  persistentDisposition: { set: ['a'], unset: ['b'] },
  readPoint: { id: 'urn:r', extensions: [field('readPoint')] },
  bizLocation: { id: 'urn:l', extensions: [field('bizLocation')] },
  bizTransactionList: [{ type: 'https://ref.gs1.org/cbv/BTT-po', value: 'urn:t' }],
  sourceList: [{ type: 'https://ref.gs1.org/cbv/SDT-location', value: 'urn:s' }],
  destinationList: [{ type: 'urn:example:type', value: 'urn:d' }],
  errorDeclaration: {
    declarationTime: '1970-01-01T00:00:01Z',
    reason: 'r',
    correctiveEventIDs: ['c', 'd'],
    extensions: [field('error')],
  },
  sensorElementList: [
    {
      sensorMetadata: {
        startTime: '1970-01-01T00:00:03Z',
        endTime: '1970-01-01T00:00:04Z',
        deviceID: 'd1',
        dataProcessingMethod: 'p1',
        bizRules: 'rules',
        extensions: [field('metadata')],
      },
      sensorReport: [
        { type: 'x', deviceID: 'd2', dataProcessingMethod: 'p2', microorganism: 'm', chemicalSubstance: 's' },
        { stringValue: 'text', booleanValue: false, hexBinaryValue: 'ff', uriValue: 'urn:u' },
        { value: 20, minValue: 1, maxValue: 2, meanValue: 3, sDev: 4, percValue: 5, percRank: 50, uom: 'CEL' },
        { time: '1970-01-01T00:00:02Z', value: 6, uom: 'XYZ', extensions: [field('report')] },
      ],
      extensions: [field('element')],
    },
  ],
  ilmd: [field('ilmd')],
  extensions: [field('event'), field('parent', [field('inner')])],
};

describe('what is queryable', () => {
  it('is stored under the numbers and names that repositories hold', () => {
    expect(Object.fromEntries(COLUMNS.map(([name, { stored }]) => [name, stored]))).to.deep.equal(KINDS);
    expect(Object.entries(ROW_TIMES).map(([name, { stored }]) => [name, stored.column])).to.deep.equal(
      Object.entries(TIMES),
    );
    const roles = Object.entries(PLACE_FACTS).map(([name, { stored }]) => [name, stored]);
    expect(Object.fromEntries(roles)).to.deep.equal(ROLES);
    expect([INSTANCE_ROLES, CLASS_ROLES]).to.deep.equal([31, 480]);
    const texts = [...STANDARD_TEXTS, ...SENSOR_TEXTS].map(({ parameter, name }) => [parameter, name]);
    expect(Object.fromEntries(texts)).to.deep.equal(TEXTS);
  });

  it('holds a hexBinary value as it was written, too: what was captured before is found and removed by that', () => {
    const [hex] = SENSOR_TEXTS.filter(({ name }) => name === 'hexBinaryValue');
    const sensorReport = [{ hexBinaryValue: '0fA0' }, { hexBinaryValue: 'FF' }];
    const event = { type: 'ObjectEvent', eventTime: '2026-01-01T00:00:00Z', eventTimeZoneOffset: '+00:00' } as const;
    const stored = hex?.of({ ...event, sensorElementList: [{ sensorReport }] });
    expect(new Set(stored?.filter((value) => value !== undefined))).to.deep.equal(new Set(['0fA0', '0FA0', 'FF']));
    const [criterion] = planEvents([{ name: 'EQ_hexBinaryValue', values: ['0fA0', 'FF'] }]).criteria;
    expect(criterion).to.deep.include({ values: ['0fA0', '0FA0', 'FF'] });
  });

  it('finds identifiers that are no EPCs of the event in each of their forms, and holds them as they were written, too', () => {
    const document = ['urn:epc:id:gdti:0614141.00777.4711', 'https://id.gs1.org/253/06141410077764711'] as const;
    const device = ['urn:epc:id:giai:0614141.12345400', 'https://id.gs1.org/8004/061414112345400'] as const;
    const link = device[1].replace('id.gs1.org', 'example.com');
    const event = (gdti: string, giai: string): EpcisEvent => ({
      ...{ type: 'ObjectEvent', eventTime: '2026-01-01T00:00:00Z', eventTimeZoneOffset: '+00:00' },
      transformationID: gdti,
      sensorElementList: [
        {
          sensorMetadata: { deviceID: giai, dataProcessingMethod: gdti, bizRules: gdti },
          sensorReport: [{ type: 'x', uriValue: giai }],
        },
      ],
    });
    const stored = (of: EpcisEvent, text: string) =>
      factsOf(of, 'ni:///x').texts.flatMap(({ name, value }) => (name === text ? [value] : []));
    const asked = (text: string, value: string): readonly string[] => {
      const [criterion] = planEvents([{ name: `EQ_${text}`, values: [value] }]).criteria;
      return criterion?.kind === 'text' ? criterion.values.map(String) : [];
    };
    for (const [text, forms] of [
      ['transformationID', document],
      ['dataProcessingMethod', document],
      ['bizRules', document],
      ['deviceID', [...device, link]],
      ['uriValue', [...device, link]],
    ] as const)
      for (const written of forms) {
        const held = stored(event(written, written), text);
        expect(held, text).to.include(written);
        for (const form of forms)
          expect(asked(text, form), text).to.satisfy((all: string[]) => all.some((each) => held.includes(each)));
        expect(stored(event('urn:example:t', 'urn:example:t'), text)).to.deep.equal(['urn:example:t']);
      }
  });

  const { columns, eventTime, texts, numbers } = factsOf(EVENT, 'ni:///sha-256;00?ver=CBV2.0');

  it('is stored by capture under these names and no other', () => {
    expect(columns).to.deep.equal({ type: 'ObjectEvent', action: 'ADD', readPoint: 'urn:r', bizLocation: 'urn:l' });
    expect(eventTime).to.equal(5e6);
    const stored = new Set([...texts, ...numbers].map(({ name }) => name));
    const golden = [EVENT_ID.name, ...Object.values(TEXTS), ...Object.values(NAMED).map(([, name]) => name)];
    expect([...stored]).to.have.members(golden);
    const plain = [...STANDARD_TIMES, ...SENSOR_TIMES, ...STANDARD_NUMBERS, ...SENSOR_NUMBERS];
    for (const { name, of } of plain)
      expect(
        of(EVENT).filter((value) => value !== undefined),
        name,
      ).not.to.be.empty;
    const measures = [...STANDARD_MEASURES, ...SENSOR_MEASURES];
    for (const { name, of } of measures)
      expect(
        of(EVENT).filter(({ value }) => value !== undefined),
        name,
      ).not.to.be.empty;
  });

  it('is asked for by the parameters as capture stores it', () => {
    for (const [parameter, [asked, name, value]] of Object.entries(NAMED)) {
      const [criterion] = planEvents([{ name: parameter, values: [asked] }]).criteria;
      expect(criterion, parameter).to.deep.include({ name, values: [value] });
      expect([...texts, ...numbers]).to.deep.include({ name, value });
    }
    for (const { parameter, of } of [...STANDARD_TEXTS, ...SENSOR_TEXTS]) {
      const values = [...of(EVENT)].filter((value) => value !== undefined);
      expect(values, parameter).to.not.deep.equal([]);
      const [criterion] = planEvents([{ name: parameter, values }]).criteria;
      if (criterion?.kind !== 'text') expect.fail(`${parameter} asks for no text`);
      for (const value of values) expect(texts).to.deep.include({ name: criterion.name, value });
    }
  });

  it('finds an event without an ID of its own by its hash only', () => {
    const hash = 'ni:///sha-256;00?ver=CBV2.0';
    expect(EVENT_ID.of({ ...EVENT, eventID: hash }, hash)).to.equal(undefined);
    expect(EVENT_ID.of(EVENT, hash)).to.equal('urn:id');
  });
});
