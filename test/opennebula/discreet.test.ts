import { expect } from 'chai';
import { inspect } from 'node:util';
import { discreet } from '../../src/act/discreet.ts';
import type { Provider } from '../../src/act/provider.ts';
import { loadConfig } from '../../src/config/load.ts';
import { secretOfFleet } from '../../src/manager/open-provider.ts';
import { createSecrets } from '../../src/secrets.ts';
import { startProgram } from '../helpers/mmeliot.ts';
import { until } from '../helpers/until.ts';
import { LOGIN, openCloud, type Cloud } from './emulated.ts';
import { startGossip, type Gossip } from './gossip.ts';

const IN_TEMPLATE = 'pass-of-the-template'; // its operator's, which we send back
const SECRETS = [LOGIN.password, 'gr0up-secret$', 'db-pa$$"word', IN_TEMPLATE];
const TEMPLATE = `CPU=1\nMEMORY=1\nNIC=[ NETWORK="private", NETWORK_UNAME="oneadmin" ]\nCONTEXT=[ NETWORK="YES", PROXY="http://u:${IN_TEMPLATE}@proxy", KEY="$USER[KEY]" ]`;

const refusal = async (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => expect.fail('it worked'),
    (reason: unknown) => reason as Error,
  );

describe('OpenNebula whose front end quotes all that it was sent', function () {
  this.timeout(60_000);
  let cloud: Cloud;
  let gossip: Gossip;
  let provider: Provider;
  let byName: Provider;

  beforeEach(async () => {
    cloud = await openCloud({ templates: { mmeliot: TEMPLATE } });
    gossip = await startGossip(cloud.emulator.url, SECRETS);
    const context = { MMELIOT_SECRET: 'gr0up-secret$', MMELIOT_REPOSITORY_URL: 'mysql://u:db-pa$$"word@db/epcis' };
    const [password, group, database] = SECRETS;
    const secrets = createSecrets(password ?? '', group ?? '', database ?? '');
    provider = discreet(cloud.provider({ url: gossip.url, context }, Date.now, secrets.add), secrets);
    byName = discreet(cloud.provider({ url: gossip.url, context, template: 'mmeliot' }), secrets);
  });
  afterEach(async () => {
    gossip.close();
    await cloud.stop();
  });

  const CALLS: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['one.vmpool.infoextended', () => provider.list()],
    ['one.template.info', () => provider.allocate({ mark: 'b' })],
    ['one.templatepool.info', () => byName.allocate({ mark: 'b' })],
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
      quotesNothing(error);
    });

  it('quotes nothing but the reference that is wrong, however short the values beside it are', async () => {
    await cloud.stop();
    const context = 'CONTEXT=[ PIN="1234", DB_PASS="x7", NETWORK="YES", PROXY="http://u:p@proxy", KEY="$USER[]" ]';
    cloud = await openCloud({ templates: { mmeliot: TEMPLATE.replace(/CONTEXT=.*/, context) } });
    const secrets = createSecrets();
    const { message } = await refusal(
      discreet(cloud.provider({}, Date.now, secrets.add), secrets).allocate({ mark: 'a' }),
    );
    expect(message).to.match(/Error parsing: .*KEY=\$USER\[\]/);
    expect(message).not.to.match(/1234|x7|YES|p@proxy/);
  });

  const quotesNothing = (what: unknown): void => {
    const whole = typeof what === 'string' ? what : inspect(what, { depth: 9, showHidden: true });
    for (const secret of SECRETS) expect(whole).not.to.include(secret);
    expect(whole).not.to.include(Buffer.from('gr0up-secret$').toString('base64'));
  };

  it('quotes none of it in why a boot failed that another process has asked for', async () => {
    const id = Number(await cloud.provider({ url: gossip.url }).allocate({ mark: 'a' }));
    await until('it runs', async () => (await provider.list())[0]?.state === 'running');
    const vm = cloud.emulator.cloud.vms.get(id) ?? expect.fail('there is none');
    vm.userTemplate.set('ERROR', `DEPLOY: CONTEXT has ${SECRETS.join(' ')}`);
    vm.state = [3, 36];
    const [failed] = await provider.list();
    expect(failed?.note).to.include('DEPLOY: CONTEXT has *** *** *** ***');
  });

  it('quotes none of it: one.vmpool.monitoring, of whose failure the pool call tells', async () => {
    await provider.allocate({ mark: 'a' });
    await until('it runs', async () => (await provider.list())[0]?.state === 'running');
    gossip.refuse('one.vmpool.monitoring');
    quotesNothing(await provider.list());
  });

  it('quotes none of it: one.vm.info, by which a manager that lost the secret asks for it', async () => {
    await provider.allocate({ mark: 'a' });
    gossip.refuse('one.vm.info');
    const set = ['provider=opennebula', `opennebula.url=${gossip.url}`, `opennebula.user=${LOGIN.user}`, 'group=demo'];
    const login = [`opennebula.password=${LOGIN.password}`, 'repository.url=mysql://u:db-pa$$"word@db/epcis'];
    const config = loadConfig({ env: {}, set: [...set, ...login, 'access=open'] });
    const error = await refusal(secretOfFleet(config));
    expect(error.message).to.include('one.vm.info is refused with code 16384');
    quotesNothing(error);
  });

  for (const [method, sent] of [
    ['one.system.version', [LOGIN.password]],
    ['one.template.info', [LOGIN.password]],
    ['one.template.instantiate', [LOGIN.password, IN_TEMPLATE]],
  ] as const)
    it(`quotes none of it in the check: ${method}`, async () => {
      gossip.close();
      gossip = await startGossip(cloud.emulator.url, sent);
      gossip.refuse(method);
      const options = ['--url', gossip.url, '--user', LOGIN.user, '--template', '0'];
      const check = startProgram(['check', 'opennebula', ...options], { env: { ONE_PASSWORD: LOGIN.password } });
      const { status, output } = await check.ended();
      expect(output).to.match(/^FAILED .*\*\*\*/m);
      quotesNothing(output);
      expect(status).to.equal(1);
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
