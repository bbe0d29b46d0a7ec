import { expect } from 'chai';
import { errorForm, negotiate } from '../../../../epcis/bindings/rest/negotiate.ts';

describe('content negotiation', () => {
  const cases: readonly (readonly [string | undefined, string])[] = [
    [undefined, 'application/json'],
    ['*/*', 'application/json'],
    ['application/*', 'application/json'],
    ['application/ld+json', 'application/ld+json'],
    ['application/xml', 'application/xml'],
    ['text/xml', 'text/xml'],
    ['text/*', 'text/xml'],
    ['application/json;q=0.5, application/xml', 'application/xml'],
    ['application/xml;q=0.2, */*;q=0.1', 'application/xml'],
    ['application/json;q=0, */*', 'application/ld+json'],
    ['text/html, application/xml;q=0.9', 'application/xml'],
  ];
  for (const [accept, type] of cases) {
    it(`gives ${type} for ${accept ?? 'no Accept'}`, () => expect(negotiate(accept).type).to.equal(type));
  }

  it('refuses what it does not offer, naming what it does', () => {
    expect(() => negotiate('text/html'))
      .to.throw(/text\/html.*application\/json/)
      .with.property('name', 'NotAcceptableException');
    expect(() => negotiate('application/xml;q=0')).to.throw();
  });

  it('writes errors in the form the client reads, also when nothing else is acceptable', () => {
    expect(errorForm('application/xml')).to.equal('xml');
    expect(errorForm('application/json, application/problem+xml')).to.equal('xml');
    expect(errorForm('application/problem+json, application/xml')).to.equal('json');
    expect(errorForm('text/html')).to.equal('json');
    expect(errorForm(undefined)).to.equal('json');
  });
});
