import { expect } from 'chai';
import { DEFAULTS } from '../../../epcis/options.ts';
import { nodeIdentity } from '../../../src/manager/node-environment.ts';
import { fromEnvironment, toEnvironment } from '../../../src/manager/vm-environment.ts';

const VM = {
  id: '1',
  group: 'g',
  secret: 's',
  reportEvery: 1000,
  repositoryUrl: 'sqlite:x.db',
  listen: { host: '::', port: 80 },
};

describe('the environment of a VM', () => {
  const told = (epcis: NonNullable<Parameters<typeof toEnvironment>[0]['epcis']>) =>
    fromEnvironment(toEnvironment({ ...VM, epcis })).epcis;

  it('tells every setting of the service that differs from its default, and no other', () => {
    const work = { ...DEFAULTS.work, leaseSeconds: 5, triggers: ['urn:x'] };
    const limits = { ...DEFAULTS.limits, querySeconds: 5 };
    const epcis = { ...DEFAULTS, work, limits, subscriptionTargets: ['10.0.0.0/8'] };
    expect(told(epcis)).to.deep.equal({
      work: { leaseSeconds: 5, triggers: ['urn:x'] },
      limits: { querySeconds: 5 },
      subscriptionTargets: ['10.0.0.0/8'],
    });
    expect(told(DEFAULTS)).to.deep.equal({});
  });

  it('tells the connections to the database', () => {
    expect(fromEnvironment(toEnvironment({ ...VM, poolSize: 3 })).poolSize).to.equal(3);
    expect(toEnvironment({ ...VM, poolSize: 8 })).not.to.have.property('MMELIOT_REPOSITORY_POOL_SIZE');
  });

  it('tells what the VM does, where the group has roles', () => {
    expect(fromEnvironment(toEnvironment({ ...VM, role: 'work' })).role).to.equal('work');
    expect(fromEnvironment(toEnvironment(VM))).not.to.have.property('role');
    expect(() => fromEnvironment({ ...toEnvironment(VM), MMELIOT_ROLE: 'boss' })).to.throw('query or work is expected');
  });

  it('tells a worker who it is in place of the secret, and says where that is cut off', () => {
    const identity = { clientKey: 'abc', certificate: { cert: 'c', key: 'k' } };
    const worker: Record<string, string> = {
      ...toEnvironment({ ...VM, secret: '', identity }),
      MMELIOT_KEY_FILE: 'f',
      MMELIOT_PARENT: '1:2',
    };
    expect(fromEnvironment(worker)).to.deep.include({ secret: '', identity, keyFile: 'f', parent: '1:2' });
    const cut = worker['MMELIOT_IDENTITY']?.slice(0, 20) ?? '';
    expect(() => fromEnvironment({ ...worker, MMELIOT_IDENTITY: cut })).to.throw(
      'MMELIOT_IDENTITY does not say clientKey',
    );
    expect(() => nodeIdentity('e30')).to.throw('MMELIOT_NODE does not say mark');
  });

  it('tells where traces go to, where there are any', () => {
    const tracing = { endpoint: 'http://127.0.0.1:4318', share: 0.5 };
    expect(fromEnvironment(toEnvironment({ ...VM, tracing })).tracing).to.deep.equal(tracing);
    expect(toEnvironment({ ...VM, tracing: { endpoint: '', share: 0.5 } })).not.to.have.property('MMELIOT_TRACING');
    expect(() => fromEnvironment({ ...toEnvironment(VM), MMELIOT_TRACING: '{"share": 2}' })).to.throw(
      'MMELIOT_TRACING: share is 2',
    );
  });

  it('leaves alone what another version knows, and refuses a value that can not be', () => {
    const env = (epcis: string) => ({ ...toEnvironment(VM), MMELIOT_EPCIS: epcis });
    expect(fromEnvironment(env('{"later": 1, "__proto__": {"x": 1}}')).epcis).to.deep.equal({});
    for (const [text, sentence] of [
      ['{"limits": {"depth": 900}}', 'limits.depth is 900: a whole number from 8 to 64 is expected'],
      ['{"work": 5}', 'work is no section'],
      ['[]', 'it is no section'],
      ['{', 'MMELIOT_EPCIS is no JSON'],
    ] as const)
      expect(() => fromEnvironment(env(text)), text).to.throw(sentence);
  });
});
