// The README's way from an empty OpenNebula, its commands read from there and done one by one at a front end that
// refuses what a real one refuses.
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { createClient } from '../../opennebula/client.ts';
import type { RpcValue } from '../../opennebula/documents/xml-rpc.ts';
import { until } from '../helpers/until.ts';
import { LOGIN, openCloud, type Cloud } from './emulated.ts';
import { refused } from './scene.ts';

const folder = new URL('../../opennebula/', import.meta.url);
const readme = readFileSync(new URL('README.md', folder), 'utf8');
const [, recipe = ''] = /## From an empty OpenNebula[^\n]*\n([^]*?)\n## /.exec(readme) ?? [];
/** In a code block of their own, or within a sentence. */
const COMMANDS = [...recipe.matchAll(/(?:^ *|`)(one(?:user|vnet|image|template) (?:create|chmod) [^\n`]+)/gm)].map(
  ([, command = '']) => command,
);

describe('the README’s way from an empty OpenNebula', function () {
  this.timeout(30_000);
  let cloud: Cloud;
  beforeEach(async () => {
    cloud = await openCloud({ empty: true });
  });
  afterEach(() => cloud.stop());

  /** The call that the front end's own command makes. */
  function callOf(command: string): readonly [string, ...RpcValue[]] {
    const { networks, images, templates } = cloud.emulator.inventory;
    const [program = '', verb, ...args] = command.split(/\s+/);
    const [first = '', second = ''] = args;
    if (program === 'oneuser') return ['one.user.allocate', first, second, ''];
    if (program === 'oneimage' && verb === 'create')
      return ['one.image.allocate', `NAME="${args[args.indexOf('--name') + 1]}"`, 1];
    if (program === 'onetemplate' && verb === 'create')
      return ['one.template.allocate', readFileSync(new URL(`templates/${first}`, folder), 'utf8')];
    const [method, store] =
      {
        onevnet: ['one.vn.chmod', networks] as const,
        oneimage: ['one.image.chmod', images] as const,
        onetemplate: ['one.template.chmod', templates] as const,
      }[program] ?? expect.fail(`no ${program} ${verb}`);
    const rights = [...second].flatMap((digit) => [4, 2, 1].map((bit) => (Number(digit) & bit ? 1 : 0)));
    return [method, store.named(first, 0)?.id ?? expect.fail(`there is no ${first}`), ...rights];
  }

  async function administer(commands: readonly string[]): Promise<void> {
    const admin = createClient({ url: cloud.emulator.url, user: 'oneadmin', password: LOGIN.password });
    for (const command of commands) await admin.call(...callOf(command));
    await admin.close();
  }

  const scaler = () =>
    cloud.provider({ user: 'scaler', password: 'A-GOOD-PASSWORD', template: 'mmeliot', nic: 'private' });

  it('has the commands that this test does', () => {
    expect(COMMANDS.map((command) => command.split(' ').slice(0, 2).join(' '))).to.deep.equal([
      ...['oneuser create', 'onevnet chmod', 'oneimage create', 'oneimage chmod'],
      ...['onetemplate create', 'onetemplate chmod'],
    ]);
  });

  it('ends in a VM that runs, and is given back', async () => {
    await administer(COMMANDS);
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
      await administer(COMMANDS.filter((command) => !command.startsWith(missing)));
      const error = await refused(scaler().allocate({ mark: 'first' }));
      expect(error.message).to.match(words);
      expect(error.code).to.equal('PROVIDER_REFUSED');
    });
});
