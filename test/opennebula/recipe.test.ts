// The README's way from an empty OpenNebula, its commands read from there and done one by one at a front end that
// refuses what a real one refuses.
import { expect } from 'chai';
import { until } from '../helpers/until.ts';
import { openCloud, type Cloud } from './emulated.ts';
import { administer, COMMANDS } from './recipe.ts';
import { refused } from './scene.ts';

describe('the README’s way from an empty OpenNebula', function () {
  this.timeout(60_000);
  let cloud: Cloud;
  beforeEach(async () => {
    cloud = await openCloud({ empty: true });
  });
  afterEach(() => cloud.stop());

  const scaler = () =>
    cloud.provider({ user: 'scaler', password: 'A-GOOD-PASSWORD', template: 'mmeliot', nic: 'private' });

  it('has the commands that this test does', () => {
    expect(COMMANDS.map((command) => command.split(' ').slice(0, 2).join(' '))).to.deep.equal([
      ...['oneuser create', 'onevnet chmod', 'oneimage create', 'oneimage chmod'],
      ...['onetemplate create', 'onetemplate chmod'],
    ]);
  });

  it('ends in a VM that runs, and is given back', async () => {
    await administer(cloud.emulator);
    const provider = scaler();
    const id = await provider.allocate({ mark: 'first' });
    await until('it runs', async () => (await provider.list()).some((vm) => vm.id === id && vm.state === 'running'));
    await provider.release(id);
    await until('it is gone', async () => (await provider.list()).length === 0);
  });

  for (const [missing, words] of [
    ['onevnet chmod', /Not authorized to perform USE NET/],
    ['oneimage chmod', /Not authorized to perform USE IMAGE/],
    ['onetemplate chmod', /no VM template named "mmeliot"/],
    ['oneuser create', /refuses the login/],
  ] as const)
    it(`needs each step: without ${missing} the front end says so`, async () => {
      await administer(
        cloud.emulator,
        COMMANDS.filter((command) => !command.startsWith(missing)),
      );
      const error = await refused(scaler().allocate({ mark: 'first' }));
      expect(error.message).to.match(words);
      expect(error.code).to.equal('PROVIDER_REFUSED');
    });
});
