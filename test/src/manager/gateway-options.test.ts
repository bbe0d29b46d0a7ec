import { expect } from 'chai';
import { gatewayOptions } from '../../../src/manager/gateway-options.ts';
import { schema } from '../../../src/config/schema.ts';

describe('gateway options', () => {
  for (const [gateway, names] of [
    [{}, true],
    [{ host: '::1' }, true],
    [{ host: '0.0.0.0' }, false],
    [{ host: 'gateway.example.org' }, false],
    [{ host: '0.0.0.0', nameVm: 'always' }, true],
    [{ nameVm: 'never' }, false],
  ] as const) {
    it(`${names ? 'name' : 'do not name'} the VM to clients with ${JSON.stringify(gateway)}`, () => {
      expect(gatewayOptions(schema.parse({ gateway })).nameVm).to.equal(names);
    });
  }
});
