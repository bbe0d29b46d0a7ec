import { expect } from 'chai';
import { IDENTITY, vmIdentity } from '../../../src/manager/node-environment.ts';
import { withOwnKeys } from '../../../src/manager/own-keys.ts';
import type { AllocationRequest } from '../../../src/act/provider.ts';
import { FakeProvider } from '../../helpers/fake-provider.ts';

describe('VMs with keys of their own', () => {
  class Told extends FakeProvider {
    readonly told: AllocationRequest[] = [];
    override allocate(request: AllocationRequest): Promise<string> {
      this.told.push(request);
      return super.allocate(request);
    }
  }
  let secrets: readonly string[];
  beforeEach(() => (secrets = ['the-secret-of-the-group']));
  const open = (inner = new Told(() => 0)) => {
    return { inner, ...withOwnKeys(inner, { all: () => secrets, newest: () => secrets[0] ?? '' }) };
  };
  const told = ({ environment = {} }: AllocationRequest) => vmIdentity(environment[IDENTITY] ?? '');

  it('tells each its own, the same when it is asked for again, and never the secret of the group', async () => {
    const { inner, provider } = open();
    for (const mark of ['a', 'a', 'b']) await provider.allocate({ mark });
    const [first, again, other] = inner.told;
    if (!first || !again || !other) expect.fail('nobody was asked');
    expect(first.environment).to.deep.equal(again.environment);
    expect(told(first).reportKey).to.be.a('string').with.length.above(30).and.not.equal(told(other).reportKey);
    expect(told(first).certificate.key).not.to.equal(told(other).certificate.key);
    const said = Buffer.from(first.environment?.[IDENTITY] ?? '', 'base64url').toString();
    expect(said).not.to.include('the-secret-of-the-group');
    await provider.allocate({ mark: 'node', environment: { MMELIOT_NODE: 'n' } });
    expect(inner.told.at(-1)?.environment, 'a node is told what it is').to.deep.equal({ MMELIOT_NODE: 'n' });
  });

  it('tells a VM that is asked for again what is good now, once the secret is being changed', async () => {
    const { inner, provider } = open();
    await provider.allocate({ mark: 'a' });
    secrets = ['a-next-secret', ...secrets];
    await provider.allocate({ mark: 'a' });
    const [before, now] = inner.told.map(told);
    expect(now?.clientKey).not.to.equal(before?.clientKey);
  });

  it('believes of a VM what is signed with its key, or as VMs of before did; over a restart, too', async () => {
    const { inner, provider } = open();
    const [a, b] = [await provider.allocate({ mark: 'a' }), await provider.allocate({ mark: 'b' })];
    const keys = inner.told.map((one) => told(one).reportKey);
    expect(open(inner).keysOf('vm-9'), 'nobody of ours').to.equal(undefined);
    const next = open(inner);
    expect(next.keysOf(a), 'not seen yet').to.equal(undefined);
    await next.provider.list();
    expect(next.keysOf(a)).to.deep.equal([keys[0], 'the-secret-of-the-group']);
    expect(next.keysOf(b)).to.deep.equal([keys[1], 'the-secret-of-the-group']);
    secrets = ['another-secret', ...secrets];
    expect(next.keysOf(a), 'while the secret is changed').to.include(keys[0]).and.have.length(4);
    await next.provider.allocate({ mark: 'c' });
    secrets = secrets.slice(0, 1);
    expect(next.keysOf('vm-3')).to.include(inner.told.at(-1) && told(inner.told.at(-1) ?? { mark: '' }).reportKey);
    expect(next.keysOf(a), 'made with the one of before').not.to.include(keys[0]);
  });
});
