import { expect } from 'chai';
import { encodingFor } from '../../../../epcis/bindings/http/encoding.ts';

const FROM = 1000;
const large = (accepted?: string) =>
  encodingFor(accepted === undefined ? {} : { 'accept-encoding': accepted }, FROM, FROM);
const small = (accepted: string) => encodingFor({ 'accept-encoding': accepted }, FROM - 1, FROM);

describe('the encoding of an answer', () => {
  it('is none for who asks for none', () => {
    for (const accepted of [undefined, '', 'identity', 'compress', 'deflate', 'gzip;q=0', '*;q=0', 'gzip;q=wrong']) {
      expect(large(accepted), accepted).to.equal(undefined);
    }
  });

  it('is the one that the client likes best, and of several ours', () => {
    expect(large('gzip')).to.equal('gzip');
    expect(large('gzip, deflate, br')).to.equal('br');
    expect(large('gzip, deflate, br, zstd')).to.equal('zstd');
    expect(large('gzip;q=1, br;q=0.5, zstd;q=0.1')).to.equal('gzip');
    expect(large('GZIP')).to.equal('gzip');
    expect(large('*')).to.equal('zstd');
    expect(large('zstd;q=0, br;q=0, *')).to.equal('gzip');
    expect(large('identity, gzip;q=0.5')).to.equal(undefined);
    expect(large('identity;q=0.5, gzip')).to.equal('gzip');
  });

  it('is none for a small answer, but for a client that refuses it plain', () => {
    expect(small('gzip')).to.equal(undefined);
    expect(small('gzip, identity;q=0')).to.equal('gzip');
    expect(small('gzip, *;q=0')).to.equal('gzip');
  });
});
