import { expect } from 'chai';
import { checkHeaders, extensionsOf, styleOf, writeExtensions } from '../../../../epcis/bindings/rest/headers.ts';

const json = { form: 'json', type: 'application/json' } as const;
const xml = { form: 'xml', type: 'application/xml' } as const;

describe('GS1 headers', () => {
  it('accepts every version it speaks and refuses the others', () => {
    for (const version of ['1.0', '1.2.0', '2.0', '2.0.0']) checkHeaders({ 'gs1-epcis-version': version });
    checkHeaders({ 'gs1-epcis-min': '1.0.0', 'gs1-epcis-max': '3.0.0', 'gs1-cbv-min': '2.0.0' });
    const refused = [{ 'gs1-epcis-version': '3.0.0' }, { 'gs1-epcis-min': '2.1' }, { 'gs1-cbv-max': '0.9' }];
    for (const headers of refused) {
      expect(() => checkHeaders(headers), JSON.stringify(headers))
        .to.throw()
        .with.property('name', 'NotAcceptableException');
    }
    expect(() => checkHeaders({ 'gs1-epcis-version': 'new' })).to.throw(/version like 2.0.0/);
  });

  it('writes 1.2 XML for a client that reads no 2.0, and has no JSON for it', () => {
    expect(styleOf({ 'gs1-epcis-max': '1.2' }, xml)).to.deep.equal({ form: 'xml', version: '1.2' });
    expect(() => styleOf({ 'gs1-epcis-max': '1.2' }, json)).to.throw(/no JSON form/);
    expect(styleOf({}, json).version).to.equal('2.0');
  });

  it('takes the format headers, and only their values', () => {
    const style = styleOf({ 'gs1-epc-format': 'Always_EPC_URN', 'gs1-cbv-xml-format': 'Always_URN' }, xml);
    expect(style).to.include({ epcFormat: 'Always_EPC_URN', cbvFormat: 'Always_URN' });
    expect(() => styleOf({ 'gs1-epc-format': 'urn' }, xml)).to.throw(/Always_EPC_URN/);
    // also where nothing is written that they are about
    expect(() => checkHeaders({ 'gs1-epc-format': 'urn' })).to.throw(/Always_EPC_URN/);
    expect(() => checkHeaders({ 'gs1-cbv-xml-format': 'Sometimes' })).to.throw(/Always_Web_URI/);
    checkHeaders({ 'gs1-epc-format': '', 'gs1-cbv-xml-format': 'Always_URN' });
  });

  it('reads GS1-Extensions, dropping what could not be an XML prefix', () => {
    const value = 'ex=http://a.example/, ex2=http://b.example/x=1, "><a=http://evil.example/, nothing';
    expect([...extensionsOf({ 'gs1-extensions': value })]).to.deep.equal([
      ['ex', 'http://a.example/'],
      ['ex2', 'http://b.example/x=1'],
    ]);
    expect(writeExtensions(extensionsOf({ 'gs1-extensions': value }))).to.equal(
      'ex=http://a.example/, ex2=http://b.example/x=1',
    );
  });
});
