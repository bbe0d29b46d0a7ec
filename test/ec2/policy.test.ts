// The least that mmeliot needs of AWS, as the README gives it: with it all works, without any part of it something doesn't
// and the sentence names what, and nothing else is called.
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import type { Policy } from '../../ec2/emulator/policy.ts';
import type { Provider } from '../../src/act/provider.ts';
import { until } from '../helpers/until.ts';
import { openCloud, type TestCloud } from './emulated.ts';

const POLICY = JSON.parse(
  readFileSync(new URL('../../ec2/templates/iam-policy.json', import.meta.url), 'utf8'),
) as Policy;
const actionsOf = (policy: Policy): readonly string[] => policy.Statement.flatMap(({ Action }) => Action);

/** All that a manager does with a provider; what it heard of errors. */
async function live(provider: Provider): Promise<readonly string[]> {
  const heard: string[] = [];
  const tell = (error: unknown): undefined => void heard.push((error as Error).message);
  const offers = (await provider.offers().catch(tell)) ?? [];
  const markets = ['on-demand', 'interruptible'] as const;
  for (const offer of markets.map((market) => offers.find((each) => each.market === market))) {
    if (offer === undefined) continue;
    const id = await provider.allocate({ mark: offer.id, offer }).catch(tell);
    await provider.list().catch(tell);
    if (id !== undefined) await provider.release(id).catch(tell);
  }
  return heard;
}

describe('the IAM policy for EC2', () => {
  let cloud: TestCloud;
  afterEach(() => cloud.stop());

  const opened = async (policy: Policy, group = 'mmeliot'): Promise<Provider> => {
    cloud = await openCloud({ policy });
    return cloud.provider({ group });
  };

  it('is enough, and everything that is allowed is needed', async () => {
    expect(await live(await opened(POLICY))).to.deep.equal([]);
    const called = new Set(cloud.calls.map((action) => `ec2:${action}`));
    // tags are made by RunInstances itself
    expect([...called, 'ec2:CreateTags']).to.have.members([...new Set(actionsOf(POLICY))]);
  });

  for (const missing of new Set(actionsOf(POLICY)))
    it(`without ${missing} says so`, async () => {
      const without = {
        ...POLICY,
        Statement: POLICY.Statement.map(({ Action, ...rest }) => ({
          ...rest,
          Action: [Action].flat().filter((action) => action !== missing),
        })),
      };
      const provider = await opened(without);
      if (missing === 'ec2:DescribeSpotInstanceRequests') return expectNoNotice(provider);
      const [first] = await live(provider);
      expect(first)
        .to.include('AWS does not allow it: give the user the policy of ec2/README.md.')
        .and.include(missing);
    });

  /** Notices come from the VM itself as well, so the fleet lives on, and is told. */
  async function expectNoNotice(provider: Provider): Promise<void> {
    const offer = (await provider.offers()).find(({ market }) => market === 'interruptible');
    const id = await provider.allocate({ mark: 'one', ...(offer && { offer }) });
    const note = async () => (await provider.list()).find((vm) => vm.id === id)?.note;
    expect(await until('the note', note)).to.include('ec2:DescribeSpotInstanceRequests');
  }

  it('lets nobody end, or start, instances of another group', async () => {
    const provider = await opened(POLICY, 'other');
    const refused = (work: Promise<unknown>) =>
      work.then(
        () => 'it worked',
        (error: unknown) => (error as Error).message,
      );
    expect(await refused(provider.allocate({ mark: 'mine' }))).to.include('ec2:RunInstances');
    const { inventory } = cloud.emulator.cloud;
    const [subnet] = inventory.subnets.values();
    const order = {
      type: inventory.type('m3.medium'),
      imageId: '',
      userData: '',
      clientToken: '',
      maxPrice: undefined,
    };
    if (subnet === undefined) throw new Error('no subnet');
    const foreign = cloud.emulator.cloud.launch({ ...order, subnet, tags: new Map([['mmeliot:group', 'other']]) });
    expect(await refused(provider.release(foreign.id))).to.include('ec2:TerminateInstances');
  });
});
