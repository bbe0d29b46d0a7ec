import type { LookupAddress } from 'node:dns';
import { expect } from 'chai';
import type { EpcisException } from '../../../epcis/domain/exceptions.ts';
import { createTargets, isPublic } from '../../../epcis/delivery/targets.ts';

const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  'receiver.example.com': ['93.184.216.34'],
  'both.example.com': ['10.0.0.5', '93.184.216.34'],
  'inside.example.com': ['10.0.0.5'],
  localhost: ['127.0.0.1', '::1'],
};

const resolve = async (host: string): Promise<readonly LookupAddress[]> => {
  const found = ADDRESSES[host];
  if (found === undefined) throw new Error('ENOTFOUND');
  return found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
};

async function verdict(allow: readonly string[], destination: string): Promise<string> {
  return createTargets({ allow }, resolve)
    .check(destination)
    .then(
      () => 'allowed',
      (error: EpcisException) => {
        expect(error.name).to.equal('InvalidURIException');
        return error.message;
      },
    );
}

describe('targets of deliveries', () => {
  it('are none by default', async () => {
    for (const url of ['http://receiver.example.com/', 'http://localhost/', 'http://8.8.8.8/', 'http://[::1]/']) {
      expect(await verdict([], url)).to.include('not among the targets');
    }
  });

  for (const [allow, url] of [
    ['*', 'https://receiver.example.com/hook'],
    ['receiver.example.com', 'http://RECEIVER.example.com:8080/'],
    ['*.example.com', 'http://both.example.com/'],
    ['receiver.example.com:443', 'https://receiver.example.com/'],
    ['*', 'http://8.8.8.8/'],
    ['10.0.0.0/8', 'http://inside.example.com/'],
    ['127.0.0.1', 'http://localhost:9999/'],
    ['127.0.0.0/8', 'http://2130706433/'],
    ['::1', 'http://[::1]:80/'],
    ['127.0.0.0/8', 'http://[::ffff:127.0.0.1]/'],
  ] as const) {
    it(`${allow} allows ${url}`, async () => expect(await verdict([allow], url)).to.equal('allowed'));
  }

  for (const [allow, url] of [
    ['*', 'http://inside.example.com/'],
    ['*', 'http://localhost/'],
    ['*', 'http://127.0.0.1/'],
    ['*', 'http://0x7f.1/'],
    ['*', 'http://169.254.169.254/latest/meta-data'],
    ['*', 'http://[::1]/'],
    ['*', 'http://[::ffff:10.0.0.1]/'],
    ['*', 'http://[fd00::1]/'],
    ['*.example.com', 'http://example.com/'],
    ['example.com', 'http://receiver.example.com/'],
    ['receiver.example.com:443', 'http://receiver.example.com/'],
    ['10.0.0.0/8', 'http://receiver.example.com/'],
  ] as const) {
    it(`${allow} does not allow ${url}`, async () => expect(await verdict([allow], url)).to.not.equal('allowed'));
  }

  for (const [url, reason] of [
    ['htto://127.0.0.1/8899', "The URI scheme 'htto' is invalid."],
    ['file:///etc/passwd', "The URI scheme 'file' is invalid."],
    ['nonsense', 'is no URI'],
    ['http://', 'is no URI'],
    ['http://user:secret@receiver.example.com/', 'no user name or password'],
    ['http://unknown.example.com/', 'has no address'],
  ] as const) {
    it(`${url} is refused: ${reason}`, async () => expect(await verdict(['*'], url)).to.include(reason));
  }

  it('the connection gets allowed addresses only', async () => {
    const { lookup } = createTargets({ allow: ['*.example.com'] }, resolve);
    const found = (host: string, all: boolean): Promise<unknown> =>
      new Promise((done) => lookup(host, { all }, (error, addresses) => done(error?.message ?? addresses)));
    expect(await found('both.example.com', true)).to.deep.equal([{ address: '93.184.216.34', family: 4 }]);
    expect(await found('both.example.com', false)).to.equal('93.184.216.34');
    expect(await found('inside.example.com', true)).to.include('No address');
    expect(await found('unknown.example.com', true)).to.include('ENOTFOUND');
  });

  it('knows public addresses', () => {
    const all = [
      '8.8.8.8',
      '2606:4700::1111',
      '100.64.0.1',
      '198.18.0.1',
      '224.0.0.1',
      '2001:db8::1',
      '64:ff9b::a00:1',
    ];
    expect(all.filter(isPublic)).to.deep.equal(['8.8.8.8', '2606:4700::1111']);
  });
});
