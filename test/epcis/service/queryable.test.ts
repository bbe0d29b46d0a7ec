// The storage format that the tables of what is queryable are: repositories hold these numbers and, hashed, these names.
import { expect } from 'chai';
import type { EpcisEvent } from '../../../epcis/domain/event.ts';
import { factsOf } from '../../../epcis/service/facts.ts';
import { COLUMNS } from '../../../epcis/service/queryable-columns.ts';
import { CLASS_ROLES, INSTANCE_ROLES, PLACE_FACTS } from '../../../epcis/service/queryable-places.ts';
import { SENSOR_TEXTS, STANDARD_TEXTS } from '../../../epcis/service/queryable-texts.ts';
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

describe('what is queryable', () => {
  it('is stored under the numbers and names that repositories hold', () => {
    expect(Object.fromEntries(COLUMNS.map(([name, { stored }]) => [name, stored]))).to.deep.equal(KINDS);
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

  it('is stored by capture as the parameters ask for it', () => {
    const event: EpcisEvent = {
      type: 'ObjectEvent',
      action: 'ADD',
      eventTime: '2026-01-01T00:00:00Z',
      eventTimeZoneOffset: '+00:00',
      transformationID: 'urn:example:t',
      persistentDisposition: { set: ['a'], unset: ['b'] },
      errorDeclaration: { declarationTime: '2026-01-02T00:00:00Z', reason: 'r', correctiveEventIDs: ['c', 'd'] },
      sensorElementList: [
        {
          sensorMetadata: { deviceID: 'd1', dataProcessingMethod: 'p1', bizRules: 'rules' },
          sensorReport: [
            { type: 'x', deviceID: 'd2', dataProcessingMethod: 'p2', microorganism: 'm', chemicalSubstance: 's' },
            { stringValue: 'text', booleanValue: false, hexBinaryValue: 'ff', uriValue: 'urn:u' },
          ],
        },
      ],
    };
    const { columns, texts } = factsOf(event, 'ni:///sha-256;00?ver=CBV2.0');
    expect(columns).to.deep.equal({ type: 'ObjectEvent', action: 'ADD' });
    const stored = texts.map(({ name, value }) => `${name} ${value}`);
    for (const { parameter, of } of [...STANDARD_TEXTS, ...SENSOR_TEXTS]) {
      const values = [...of(event)].filter((value) => value !== undefined);
      expect(values, parameter).to.not.deep.equal([]);
      const [criterion] = planEvents([{ name: parameter, values }]).criteria;
      if (criterion?.kind !== 'text') expect.fail(`${parameter} asks for no text`);
      for (const value of values) expect(stored).to.include(`${criterion.name} ${value}`);
    }
  });
});
