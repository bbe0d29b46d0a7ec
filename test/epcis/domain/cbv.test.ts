import { expect } from 'chai';
import { cbvUri, cbvUrn, cbvValue, cbvWord } from '../../../epcis/domain/cbv.ts';

describe('core business vocabulary', () => {
  it('gives every spelling of a value one URI', () => {
    const shipping = 'https://ref.gs1.org/cbv/BizStep-shipping';
    for (const value of ['shipping', 'urn:epcglobal:cbv:bizstep:shipping', 'cbv:BizStep-shipping', shipping]) {
      expect(cbvUri('bizStep', value), value).to.equal(shipping);
    }
    expect(cbvUri('measurement', 'gs1:Temperature')).to.equal('https://gs1.org/voc/Temperature');
    expect(cbvUri('measurement', 'https://ref.gs1.org/voc/Temperature')).to.equal('https://gs1.org/voc/Temperature');
    expect(cbvUri('component', 'x')).to.equal('https://ref.gs1.org/cbv/Comp-x');
  });

  it('knows which bare words are of which vocabulary', () => {
    expect(cbvUri('bizStep', 'in_transit')).to.equal(undefined);
    expect(cbvUri('disposition', 'in_transit')).to.equal('https://ref.gs1.org/cbv/Disp-in_transit');
    expect(cbvUri('disposition', 'toString')).to.equal(undefined);
    expect(cbvUri('sourceDestination', 'owning_party')).to.equal('https://ref.gs1.org/cbv/SDT-owning_party');
    expect(cbvUri('errorReason', '')).to.equal(undefined);
  });

  it("leaves other people's URIs as they are", () => {
    expect(cbvUri('bizStep', 'urn:epcglobal:fmcg:bizstep:shipping')).to.equal('urn:epcglobal:fmcg:bizstep:shipping');
    expect(cbvWord('bizStep', 'https://example.com/shipping')).to.equal('https://example.com/shipping');
    expect(cbvUrn('bizStep', 'https://example.com/shipping')).to.equal('https://example.com/shipping');
  });

  it('writes words for JSON and URNs for 1.x', () => {
    expect(cbvWord('bizTransaction', 'https://ref.gs1.org/cbv/BTT-po')).to.equal('po');
    expect(cbvWord('sourceDestination', 'https://ref.gs1.org/cbv/my_own_party')).to.equal(
      'https://ref.gs1.org/cbv/my_own_party',
    );
    expect(cbvUrn('bizTransaction', 'https://ref.gs1.org/cbv/BTT-po')).to.equal('urn:epcglobal:cbv:btt:po');
    expect(cbvUrn('measurement', 'https://gs1.org/voc/Speed')).to.equal('https://gs1.org/voc/Speed');
  });

  it('expands a value of unknown vocabulary', () => {
    expect(cbvValue('urn:epcglobal:cbv:er:did_not_occur')).to.equal('https://ref.gs1.org/cbv/ER-did_not_occur');
    expect(cbvValue('urn:epcglobal:cbv:bt:9521141000001:1')).to.equal('urn:epcglobal:cbv:bt:9521141000001:1');
    expect(cbvValue('example:x')).to.equal('example:x');
  });
});
