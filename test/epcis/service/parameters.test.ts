// What the registry refuses, and that PARAMETERS.md says what it takes.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { EpcisException } from '../../../epcis/domain/exceptions.ts';
import { parameterDocs } from '../../../epcis/service/parameter-docs.ts';
import { planMasterData } from '../../../epcis/service/master-data-query.ts';
import { planEvents, QUERY_LIMITS } from '../../../epcis/service/parameters.ts';
import type { QueryParameter } from '../../../epcis/service/services.ts';
import { withinSeconds } from '../../helpers/within-seconds.ts';

const given = (parameters: Readonly<Record<string, readonly string[]>>): readonly QueryParameter[] =>
  Object.entries(parameters).map(([name, values]) => ({ name, values }));

function refusal(parameters: readonly QueryParameter[]): string {
  try {
    planEvents(parameters);
  } catch (error) {
    if (error instanceof EpcisException) return `${error.name}: ${error.message}`;
    throw error;
  }
  return 'taken';
}

describe('query parameters', () => {
  it('are documented as they are: see parameterDocs', () => {
    const file = join(import.meta.dirname, '../../../epcis/PARAMETERS.md');
    // the formatter aligns tables
    const plain = (text: string): string => text.replace(/ +/g, ' ').replace(/-{3,}/g, '---');
    expect(plain(readFileSync(file, 'utf8'))).to.equal(plain(parameterDocs()));
  });

  const wrong: readonly (readonly [string, Readonly<Record<string, readonly string[]>>])[] = [
    ['an unknown name', { EQ_abcd: ['X'] }],
    ['an unknown name without a value', { EQ_abcd: [] }],
    ['an INNER_ field without a namespace mark', { EQ_INNER_name: ['X'] }],
    ['a time that is none', { GE_eventTime: ['yesterday'] }],
    ['a date that does not exist', { LT_recordTime: ['2024-02-30T00:00:00Z'] }],
    ['two values for one', { GE_eventTime: ['2024-01-01T00:00:00Z', '2024-01-02T00:00:00Z'] }],
    ['a quantity that is no number', { GT_quantity: ['many'] }],
    ['a number that is none', { GE_value_CEL: ['warm'] }],
    ['a field compared with neither number nor time', { 'GT_http://x.example/ns#a': ['blue'] }],
    ['an action of no event', { EQ_action: ['CREATE'] }],
    ['a value for a void parameter', { EXISTS_errorDeclaration: ['maybe'] }],
    ['a boolean that is none', { EQ_booleanValue: ['constructor'] }],
    ['bytes that are not hexadecimal', { EQ_hexBinaryValue: ['fg'] }],
    ['an order by a standard field', { orderBy: ['bizStep'] }],
    ['a direction that is none', { orderBy: ['eventTime'], orderDirection: ['UP'] }],
    ['a limit of nothing', { maxEventCount: ['0'] }],
    ['both limits', { orderBy: ['eventTime'], eventCountLimit: ['1'], maxEventCount: ['1'] }],
    ['eventCountLimit without orderBy', { eventCountLimit: ['1'] }],
  ];
  for (const [what, parameters] of wrong)
    it(`refuse ${what}`, () => expect(refusal(given(parameters))).to.match(/^QueryParameterException: /));

  it('refuse a name given twice', () => {
    const twice = [...given({ EQ_bizStep: ['a'] }), ...given({ EQ_bizStep: ['b'] })];
    expect(refusal(twice)).to.equal('QueryParameterException: The parameter EQ_bizStep is given twice.');
  });

  it('refuse more than a query may ask for', () => {
    const values = Array.from({ length: QUERY_LIMITS.values + 1 }, String);
    expect(refusal(given({ EQ_bizStep: values }))).to.match(/^QueryTooComplexException/);
    const fields = (count: number) =>
      given(Object.fromEntries(Array.from({ length: count }, (_, i) => [`EQ_http://a.example/#f${i}`, ['a']])));
    expect(planEvents(fields(QUERY_LIMITS.parameters)).criteria).to.have.length(QUERY_LIMITS.parameters);
    expect(refusal(fields(QUERY_LIMITS.parameters + 1))).to.match(/^QueryTooComplexException/);
  });

  it('have their names read in the time that reading them takes, whatever stands in them', () => {
    for (const name of ['EQ_INNER_SENSORREPORT_x', 'EXISTS_ILMD_x', 'LT_x', 'HASATTR_x', 'EQATTR_x'])
      for (const more of ['#', '_:', '/_'])
        withinSeconds(() => refusal(given({ [`${name}${more.repeat(200_000)}\n`]: ['1'] })));
  });

  it('take an empty value as no parameter', () => {
    const { criteria } = planEvents(given({ EQ_bizStep: [''], MATCH_epc: [], GE_eventTime: [''], maxEventCount: [] }));
    expect(criteria).to.deep.equal([]);
    expect(planEvents(given({ EXISTS_errorDeclaration: ['false'] })).criteria).to.deep.equal([]);
    expect(planEvents(given({ EXISTS_errorDeclaration: [] })).criteria).to.have.length(1);
  });

  it('are one value in every spelling of a standard vocabulary', () => {
    const [plain, urn, web] = [
      'shipping',
      'urn:epcglobal:cbv:bizstep:shipping',
      'https://ref.gs1.org/cbv/BizStep-shipping',
    ].map((value) => planEvents(given({ EQ_bizStep: [value] })));
    expect(plain).to.deep.equal(urn);
    expect(plain).to.deep.equal(web);
    expect(planEvents(given({ EQ_bizTransaction_po: ['x'] }))).to.deep.equal(
      planEvents(given({ 'EQ_bizTransaction_urn:epcglobal:cbv:btt:po': ['x'] })),
    );
  });

  it("ask for CBV's master data whether its namespace has a colon at its end, as in JSON-LD, or not, as in XML", () => {
    const [first, ...others] = ['urn:epcglobal:cbv:mda#lot', 'urn:epcglobal:cbv:mda:lot', 'urn:epcglobal:cbv:mda:#lot'];
    const asked = (field = '') => planEvents(given({ [`EQ_ILMD_${field}`]: ['A1'] }));
    for (const other of others) expect(asked(other)).to.deep.equal(asked(first));
  });

  it('take both spellings of errorDeclarationTime', () => {
    const time = ['2024-01-01T00:00:00Z'];
    expect(planEvents(given({ GE_errorDeclaration_Time: time }))).to.deep.equal(
      planEvents(given({ GE_errorDeclarationTime: time })),
    );
  });

  it('convert units that convert into each other', () => {
    expect(planEvents(given({ EQ_value_FAH: ['68'] }))).to.deep.equal(planEvents(given({ EQ_value_CEL: ['20'] })));
    expect(planEvents(given({ GE_quantity_GRM: ['1500'] }))).to.deep.equal(
      planEvents(given({ GE_quantity_KGM: ['1.5'] })),
    );
    expect(planEvents(given({ LT_sDev_FAH: ['1.8'] }))).to.deep.equal(planEvents(given({ LT_sDev_CEL: ['1'] })));
    expect(planEvents(given({ EQ_value_XYZ: ['1'] }))).not.to.deep.equal(planEvents(given({ EQ_value_CEL: ['1'] })));
  });

  it('of master data are refused alike', () => {
    const needed = { includeAttributes: ['true'], includeChildren: ['false'] };
    const refused = (parameters: Readonly<Record<string, readonly string[]>>): unknown => {
      try {
        return planMasterData(given(parameters), QUERY_LIMITS);
      } catch (error) {
        return error instanceof EpcisException && error.name;
      }
    };
    expect(refused(needed)).to.deep.include({ includeAttributes: true, includeChildren: false });
    for (const [name, value] of [
      ['EQ_nothing', 'x'],
      ['maxElementCount', 'many'],
      ['includeChildren', 'perhaps'],
    ] as const)
      expect(refused({ ...needed, [name]: [value] })).to.equal('QueryParameterException');
    expect(refused({ includeAttributes: ['true'] })).to.equal('QueryParameterException');
  });
});
