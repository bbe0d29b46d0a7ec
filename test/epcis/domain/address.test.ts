import { expect } from 'chai';
import { hostOf, isLoopback, isUnseen, parseAddress, parseHost, showAddress } from '../../../epcis/domain/address.ts';

describe('addresses', () => {
  for (const text of ['127.0.0.1:8082', '[::1]:80', 'vm.example.org:0'])
    it(`are read and written alike: ${text}`, () => {
      const address = parseAddress(text);
      expect(address && showAddress(address)).to.equal(text);
    });

  for (const text of ['', '127.0.0.1', ':80', 'host:99999', '::1:80', 'a b:80', 'user@host:80', 'http://host:80'])
    it(`are refused: "${text}"`, () => {
      expect(parseAddress(text)).to.equal(undefined);
    });

  for (const host of ['127.0.0.1', '127.8.9.10', '127.1', '::1', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1', 'localhost'])
    it(`of this machine only: ${host}`, () => {
      expect(isLoopback(host)).to.equal(true);
    });

  for (const host of [
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    '0.0.0.0',
    '::',
    '10.0.0.1',
    '128.0.0.1',
    'x@127.0.0.1',
    '127.0.0.1/',
    '',
  ])
    it(`that others may reach: "${host}"`, () => {
      expect(isLoopback(host)).to.equal(false);
    });

  it('may leave out the port where there is one that is meant', () => {
    expect(['db.example.org', '[fd00::1]:3307', '[fd00::1]', 'fd00::1', 'a:', 'a:x'].map(parseHost)).to.deep.equal([
      { host: 'db.example.org' },
      { host: 'fd00::1', port: 3307 },
      { host: 'fd00::1' },
      ...[undefined, undefined, undefined],
    ]);
    expect(hostOf(new URL('https://[fd00::1]:8443/x'))).to.equal('fd00::1');
  });

  it('are safe from others on the way by https, or on this machine', () => {
    const urls = [
      'https://a.example',
      'http://[::1]:80',
      'HTTP://localhost',
      'http://127.0.0.1.evil.example',
      'ftp://[::1]',
      'x',
    ];
    expect(urls.filter(isUnseen)).to.deep.equal(urls.slice(0, 3));
  });
});
