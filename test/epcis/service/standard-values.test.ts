import { expect } from 'chai';
import { isStandardValue, withStandardValues } from '../../../epcis/service/standard-values.ts';
import type { ValuePage } from '../../../epcis/service/services.ts';

const web = (word: string): string => `https://ref.gs1.org/cbv/BizStep-${word}`;

/** As a repository gives its own values. */
function pageOf(all: readonly string[], perPage: number, after = ''): ValuePage {
  const from = all.filter((value) => value > after);
  const values = from.slice(0, perPage);
  const next = values.at(-1);
  return from.length > perPage && next !== undefined ? { values, next } : { values };
}

describe("the standard's own values", () => {
  it('are there in an empty repository', () => {
    const { values } = withStandardValues('eventTypes', { values: [] }, { perPage: 30 });
    expect(values).to.deep.equal([
      'AggregationEvent',
      'AssociationEvent',
      'ObjectEvent',
      'TransactionEvent',
      'TransformationEvent',
    ]);
    expect(withStandardValues('bizSteps', { values: [] }, { perPage: 100 }).values).to.include(web('shipping'));
    expect(withStandardValues('epcs', { values: [] }, { perPage: 30 })).to.deep.equal({ values: [] });
  });

  for (const perPage of [1, 2, 7, 40, 41, 42, 43, 100]) {
    it(`come with the repository's in pages of ${perPage}, in order and each once`, () => {
      const held = ['http://a.example.org/b', web('shipping'), web('z_own'), 'urn:z'];
      const all: string[] = [];
      for (let after: string | undefined = ''; after !== undefined;) {
        const page = withStandardValues('bizSteps', pageOf(held, perPage, after), { perPage, after });
        expect(page.values).to.have.length.within(1, perPage);
        all.push(...page.values);
        after = page.next;
      }
      expect(all).to.deep.equal([...new Set(all)].sort());
      const everything = withStandardValues('bizSteps', { values: [] }, { perPage: 100 }).values;
      expect(new Set(all)).to.deep.equal(new Set([...held, ...everything]));
    });
  }

  it('are known by word, URN, CURIE and URI', () => {
    for (const value of ['shipping', 'urn:epcglobal:cbv:bizstep:shipping', 'cbv:BizStep-shipping', web('shipping')])
      expect(isStandardValue('bizSteps', value), value).to.equal(true);
    for (const value of ['in_transit', web('own'), 'urn:epcglobal:cbv:disp:in_transit'])
      expect(isStandardValue('bizSteps', value), value).to.equal(false);
    expect(isStandardValue('eventTypes', 'ObjectEvent')).to.equal(true);
    expect(isStandardValue('epcs', 'urn:epc:id:sgtin:0614141.107346.1')).to.equal(false);
  });
});
