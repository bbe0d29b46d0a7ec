import { expect } from 'chai';
import { isAbout as isAboutField, withoutFields } from '../../../../epcis/access/rules/hidden.ts';
import { anyHolds, everyEpcIs } from '../../../../epcis/access/rules/holds.ts';
import { readRules } from '../../../../epcis/access/rules/read.ts';
import { rightsOf } from '../../../../epcis/access/rules/rights.ts';
import type { ClientIdentity } from '../../../../epcis/access/identity.ts';
import type { EpcisEvent } from '../../../../epcis/domain/event.ts';
import { planEvents } from '../../../../epcis/service/parameters.ts';

const ACME: ClientIdentity = {
  client: 'acme',
  groups: ['makers'],
  roles: [],
  issuer: 'https://i',
  claims: { country: ['pt'], kind: 'x' },
};
const NOW = Date.UTC(2026, 0, 1);
const rightsBy = (...rules: object[]) =>
  rightsOf(readRules({ rules: rules.map((rule, n) => ({ name: `r${n}`, ...rule })) }), ACME, NOW);
const place = (n: number) => ({ see: { EQ_bizLocation: `urn:x:${n}` } });

describe('rights', () => {
  it('are none without a rule', () => {
    expect(rightsBy()).to.deep.equal({ see: [{ kind: 'anyOf', of: [] }], hidden: [], masterData: [], capture: [] });
    expect(rightsBy({ for: 'client:other', see: 'everything' }).see).to.deep.equal([{ kind: 'anyOf', of: [] }]);
  });

  it('are of the client by its name, group, issuer and claims', () => {
    const about = [
      'everybody',
      'client:acme',
      'group:makers',
      { issuer: 'https://i' },
      { claims: { country: ['es', 'pt'], kind: 'x' } },
    ];
    for (const party of about)
      expect(rightsBy({ for: party, see: 'everything' }).see, JSON.stringify(party)).to.deep.equal([]);
    const not: readonly unknown[] = [
      'client:ACME',
      'group:acme',
      { issuer: 'https://j' },
      { claims: { country: 'es' } },
      { claims: { toString: 'x' } },
    ];
    for (const party of not)
      expect(rightsBy({ for: party, see: 'everything' }).see, JSON.stringify(party)).to.have.length(1);
  });

  it('on many places are one list of places, from which a query can start while they are few', () => {
    const many = (count: number) =>
      rightsBy(...Array.from({ length: count }, (_, n) => ({ for: 'everybody', ...place(n) }))).see;
    const list = { kind: 'column', column: 'bizLocation', values: ['urn:x:0', 'urn:x:1'] };
    expect(many(2)).to.deep.equal([list]);
    const [hundred] = many(100);
    expect(hundred?.kind === 'anyOf' && hundred.of.map((criteria) => criteria.length)).to.deep.equal([1]);
  });

  it('are less by what is denied, whatever lets see it', () => {
    const { see } = rightsBy({ for: 'everybody', see: 'everything' }, { for: 'everybody', deny: { EQ_action: 'ADD' } });
    expect(see).to.deep.equal([{ kind: 'noneOf', of: [[{ kind: 'column', column: 'action', values: ['ADD'] }]] }]);
  });
});

const EVENT: EpcisEvent = {
  type: 'ObjectEvent',
  eventTime: '2026-01-01T00:00:00Z',
  eventTimeZoneOffset: '+00:00',
  action: 'ADD',
  epcList: ['urn:epc:id:sgtin:0614141.107346.1'],
  quantityList: [{ epcClass: 'urn:epc:class:lgtin:0614141.107346.L', quantity: 5 }],
  bizLocation: { id: 'https://x.example/place', extensions: [{ namespace: 'urn:x', name: 'price', value: '1' }] },
  extensions: [
    {
      namespace: 'urn:x',
      name: 'box',
      value: [
        { namespace: 'urn:x', name: 'price', value: '2' },
        { namespace: 'urn:y', name: 'z', value: '3' },
      ],
    },
  ],
  curies: { 'https://x.example/place': 'ex:place' },
};

describe('what may be captured', () => {
  const met = (parameters: Record<string, string[]>): boolean =>
    anyHolds([planEvents(Object.entries(parameters).map(([name, values]) => ({ name, values }))).criteria], {
      event: EVENT,
      hash: 'ni:',
    });

  it('is told by the same parameters as what is seen', () => {
    const yes: readonly Record<string, string[]>[] = [
      { EQ_action: ['ADD'] },
      { EQ_bizLocation: ['https://x.example/place'] },
      { MATCH_epc: ['urn:epc:idpat:sgtin:0614141.*.*'] },
      { GE_eventTime: ['2026-01-01T00:00:00Z'] },
      { GE_quantity: ['5'] },
      { EQ_eventID: ['ni:'] },
      { 'EQ_bizLocation_urn:x#price': ['1'] },
    ];
    for (const holds of yes) expect(met(holds), JSON.stringify(holds)).to.equal(true);
    const no: readonly Record<string, string[]>[] = [
      { EQ_action: ['DELETE'] },
      { EQ_readPoint: ['https://x.example/place'] },
      { MATCH_epc: ['urn:epc:idpat:sgtin:0614142.*.*'] },
      { LT_eventTime: ['2026-01-01T00:00:00Z'] },
      { GT_quantity: ['5'] },
      { 'EQ_urn:x#price': ['1'] },
      { GE_recordTime: ['2020-01-01T00:00:00Z'] },
    ];
    for (const misses of no) expect(met(misses), JSON.stringify(misses)).to.equal(false);
  });

  it("is known by its EPCs and classes wherever they stand, in each other's places as well", () => {
    const bare: EpcisEvent = { ...EVENT, epcList: [], quantityList: [] };
    const odd: readonly EpcisEvent[] = [
      { ...bare, epcList: ['urn:epc:idpat:sgtin:0614141.107346.*'] },
      { ...bare, epcList: ['https://id.gs1.org/01/10614141073464'] },
      { ...bare, epcList: ['https://x.example/01/10614141073464/10/LOT', 'https://x.example/gtin/10614141073464'] },
      { ...bare, quantityList: [{ epcClass: 'urn:epc:id:sgtin:0614141.107346.1' }] },
      { ...bare, quantityList: [{ epcClass: 'https://x.example/01/10614141073464/21/1' }] },
    ];
    const isBy = (epc: string, event: EpcisEvent) =>
      anyHolds([rightsBy({ for: 'everybody', see: { epc } }).see], { event, hash: 'ni:' });
    for (const event of [EVENT, ...odd])
      expect(isBy('urn:epc:idpat:sgtin:0614141.*.*', event), JSON.stringify(event)).to.equal(true);
    for (const event of [bare, ...odd])
      expect(isBy('urn:epc:idpat:sgtin:0614142.*.*', event), JSON.stringify(event)).to.equal(false);
    expect(isBy('urn:epc:id:sgtin:0614141.107346.1', odd[3] ?? bare)).to.equal(true);
  });

  it('has no EPC or class of others in it', () => {
    const own = ['urn:epc:idpat:sgtin:0614141.*.*'];
    expect(everyEpcIs(own, EVENT)).to.equal(false);
    expect(everyEpcIs([...own, 'urn:epc:idpat:lgtin:0614141.*.*'], EVENT)).to.equal(true);
    expect(
      everyEpcIs(own, { ...EVENT, quantityList: [], epcList: ['https://id.gs1.org/01/10614141073464/21/1'] }),
    ).to.equal(true);
    expect(everyEpcIs(own, { ...EVENT, quantityList: [], parentID: 'urn:epc:id:sscc:0614141.1234567890' })).to.equal(
      false,
    );
  });
});

describe('hidden fields', () => {
  it('are gone wherever they stand, and with them how their values were written', () => {
    const price = [{ kind: 'extension', key: 'urn:x#price' } as const];
    const text = JSON.stringify(withoutFields(EVENT, price));
    expect(text).to.contain('"z"').and.contain('ex:place').and.not.contain('price');
    const whole = JSON.stringify(
      withoutFields(EVENT, [
        { kind: 'extension', key: 'urn:x#*' },
        { kind: 'part', part: 'bizLocation' },
      ]),
    );
    expect(whole).to.not.contain('urn:x').and.not.contain('ex:place');
    expect(withoutFields(EVENT, price).curies).to.deep.equal({ 'https://x.example/place': 'ex:place' });
  });

  it('are what a query may not ask for', () => {
    const asks = (name: string, value: string, fields: Parameters<typeof isAboutField>[1]): boolean =>
      planEvents([{ name, values: name.startsWith('EXISTS') ? [] : [value] }]).criteria.some((each) =>
        isAboutField(each, fields),
      );
    const sensors = [{ kind: 'part', part: 'sensorElementList' } as const];
    for (const name of [
      'EXISTS_sensorElementList',
      'EQ_type',
      'EQ_deviceID',
      'GE_value_CEL',
      'LT_sDev_CEL',
      'GE_percRank',
      'EXISTS_SENSORREPORT_urn:x#a',
      'EXISTS_INNER_SENSORELEMENT_urn:x#a',
    ])
      expect(asks(name, '1', sensors), name).to.equal(true);
    expect(asks('GE_time', '2026-01-01T00:00:00Z', sensors)).to.equal(true);
    for (const name of ['GE_quantity', 'GE_quantity_KGM', 'EXISTS_urn:x#a', 'EQ_bizStep'])
      expect(asks(name, '1', sensors), name).to.equal(false);
    const price = [{ kind: 'extension', key: 'urn:x#price' } as const];
    for (const name of [
      'EQ_urn:x#price',
      'GT_urn:x#price',
      'EXISTS_ILMD_urn:x#price',
      'EQ_bizLocation_urn:x#price',
      'EQ_INNER_urn:y#z',
    ])
      expect(asks(name, '1', price), name).to.equal(true);
    for (const name of ['EQ_urn:x#prices', 'EQ_urn:x#lot', 'EQ_ILMD_urn:y#price'])
      expect(asks(name, '1', price), name).to.equal(false);
  });
});
