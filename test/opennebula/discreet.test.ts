import { expect } from 'chai';
import { inspect } from 'node:util';
import { discreet } from '../../src/act/discreet.ts';
import type { Provider } from '../../src/act/provider.ts';
import { createSecrets } from '../../src/secrets.ts';
import { until } from '../helpers/until.ts';
import { LOGIN, openCloud, type Cloud } from './emulated.ts';
import { startGossip, type Gossip } from './gossip.ts';

const SECRETS = [LOGIN.password, 'gr0up-secret$', 'db-pa$$"word'];

const refusal = async (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => expect.fail('it worked'),
    (reason: unknown) => reason as Error,
  );

describe('OpenNebula whose front end quotes all that it was sent', function () {
  this.timeout(20_000);
  let cloud: Cloud;
  let gossip: Gossip;
  let provider: Provider;

  beforeEach(async () => {
    cloud = await openCloud();
    gossip = await startGossip(cloud.emulator.url, SECRETS);
    const context = { MMELIOT_SECRET: 'gr0up-secret$', MMELIOT_REPOSITORY_URL: 'mysql://u:db-pa$$"word@db/epcis' };
    provider = discreet(cloud.provider({ url: gossip.url, context }), createSecrets(...SECRETS));
  });
  afterEach(async () => {
    gossip.close();
    await cloud.stop();
  });

  const CALLS: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['one.vmpool.infoextended', () => provider.list()],
    ['one.template.info', () => provider.allocate({ mark: 'b' })],
    ['one.template.instantiate', () => provider.allocate({ mark: 'b' })],
    ['one.vm.update', () => provider.release('1')],
    ['one.vm.action', () => provider.release('1')],
  ];
  for (const [method, work] of CALLS)
    it(`quotes none of it: ${method}`, async () => {
      await provider.allocate({ mark: 'a' });
      gossip.refuse(method);
      const error = await refusal(work());
      expect(error.message).to.include('***');
      const whole = inspect(error, { depth: 9, showHidden: true });
      for (const secret of SECRETS) expect(whole).not.to.include(secret);
      expect(whole).not.to.include(Buffer.from('gr0up-secret$').toString('base64'));
    });

  it('quotes none of it in the reason of a failed boot', async () => {
    await cloud.emulator.setFaults({ noCapacity: true });
    const id = await provider.allocate({ mark: 'a' });
    const note = await until('there is a note of it', async () => {
      // the scheduler writes its own with every pass
      cloud.emulator.cloud.vms.get(Number(id))?.userTemplate.set('SCHED_MESSAGE', `No room for ${SECRETS.join(' ')}`);
      const said = (await provider.list())[0]?.note;
      return said?.includes('No room for') && said;
    });
    expect(note).to.include('*** *** ***');
  });
});
