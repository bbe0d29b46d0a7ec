import { expect } from 'chai';
import { GATEWAY_DEFAULTS, namesVm } from '../../../../src/balance/core/options.ts';

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
});
