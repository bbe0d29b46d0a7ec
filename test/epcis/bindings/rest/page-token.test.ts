import { expect } from 'chai';
import fc from 'fast-check';
import { readToken, signToken } from '../../../../epcis/bindings/rest/page-token.ts';

const position = {
  path: '/events',
  parameters: [{ name: 'EQ_bizStep', values: ['shipping', 'receiving'] }],
  after: '42',
  perPage: 30,
  expires: 2000,
};

describe('nextPageToken', () => {
  it('holds the whole query and position, so any VM with the secret goes on', () => {
    const names = fc.array(fc.record({ name: fc.string(), values: fc.array(fc.string()) }));
    fc.assert(
      fc.property(names, fc.string(), (parameters, after) => {
        const given = { ...position, parameters, after };
        expect(readToken(signToken(given, 'secret'), 'secret', 1000)).to.deep.equal(given);
      }),
    );
  });

  it('is refused when it was changed, signed with another secret, or is no token', () => {
    const token = signToken(position, 'secret');
    const [payload = '', signature = ''] = token.split('.');
    const forged = `${Buffer.from('["/events",[],"0",30,9e15]').toString('base64url')}.${signature}`;
    for (const wrong of [forged, `${token}.`, `${payload}.`, payload, '', 'a.b', signToken(position, 'other')]) {
      expect(() => readToken(wrong, 'secret', 1000), wrong).to.throw(/not issued/);
    }
  });

  it('expires', () => {
    expect(() => readToken(signToken(position, 'secret'), 'secret', 2000)).to.throw(/expired/);
  });
});
