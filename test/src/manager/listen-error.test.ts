import { expect } from 'chai';
import { listenError } from '../../../src/manager/open-gateway.ts';

describe('a port that cannot be had', () => {
  const told = (code: string, port: number): string =>
    (listenError(Object.assign(new Error(code), { code }), 'gateway.', { host: '::', port }) as Error).message;

  it('is named with the setting that moves it, and with what keeps it', () => {
    expect(told('EADDRINUSE', 443)).to.equal(
      'Port 443 of :: (gateway.port) is in use by another process: stop that one, or choose another port.',
    );
    expect(told('EACCES', 443)).to.equal(
      'Port 443 of :: (gateway.port) may be listened on only by who has the right to ports below 1024 (CAP_NET_BIND_SERVICE): choose another port, or give that right.',
    );
    expect(told('EACCES', 8080)).to.match(/check gateway\.host and gateway\.port\.$/);
    expect(told('ENOENT', 443)).to.equal('ENOENT');
  });
});
