import { expect } from 'chai';
import { byTls, GATEWAY_DEFAULTS, namesVm } from '../../../../src/balance/core/options.ts';

describe('gateway options', () => {
  for (const [options, names] of [
    [{}, true],
    [{ host: '::1' }, true],
    [{ host: '0.0.0.0' }, false],
    [{ host: 'gateway.example.org' }, false],
    [{ host: '127.0.0.1.evil.example' }, false],
    [{ host: '0.0.0.0', nameVm: 'always' }, true],
    [{ nameVm: 'never' }, false],
  ] as const) {
    it(`${names ? 'name' : 'do not name'} the VM to clients with ${JSON.stringify(options)}`, () => {
      expect(namesVm({ ...GATEWAY_DEFAULTS, ...options })).to.equal(names);
    });
  }

  it('have TLS to VMs of other machines, unless they say otherwise', () => {
    const hosts = ['127.0.0.1', '::1', '10.0.0.7', '2001:db8::7', '127.0.0.1.example.org'];
    const byTlsWith = (vmTls: 'auto' | 'always' | 'never') => hosts.map((host) => byTls({ vmTls }, { host }));
    expect(byTlsWith('auto')).to.deep.equal([false, false, true, true, true]);
    expect(byTlsWith('always')).to.deep.equal([true, true, true, true, true]);
    expect(byTlsWith('never')).to.deep.equal([false, false, false, false, false]);
  });
});
