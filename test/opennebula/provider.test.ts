// The provider against the emulator, one trouble after the other.
import { expect } from 'chai';
import { request } from 'undici';
import { environmentOf } from '../../opennebula/emulator/machine-room.ts';
import { isKind } from '../../opennebula/error.ts';
import type { OpenNebulaOptions, OpenNebulaProvider } from '../../opennebula/provider.ts';
import type { ProvidedVm } from '../../src/act/provider.ts';
import { MmeliotError } from '../../src/errors.ts';
import { until } from '../helpers/until.ts';
import { LOGIN, openCloud, type Cloud } from './emulated.ts';

describe('OpenNebula provider', function () {
  this.timeout(40_000);
  let cloud: Cloud;
  let provider: OpenNebulaProvider;

  async function open(options: Partial<OpenNebulaOptions> = {}, emulator: Parameters<typeof openCloud>[0] = {}) {
    cloud = await openCloud(emulator);
    provider = cloud.provider(options);
  }
  afterEach(() => cloud.stop());

  const find = async (id: string): Promise<ProvidedVm | undefined> =>
    (await provider.list()).find((vm) => vm.id === id);
  const inState = (id: string, state: ProvidedVm['state']) =>
    until(`VM ${id} is ${state}`, async () => {
      const vm = await find(id);
      return vm?.state === state && vm;
    });
  const gone = (id: string) => until(`VM ${id} is gone`, async () => (await find(id)) === undefined);
  const noted = (id: string, words: string) =>
    until(`VM ${id} is said to "${words}"`, async () => {
      const vm = await find(id);
      return vm?.note?.includes(words) && vm;
    });
  const refused = async (work: Promise<unknown>): Promise<MmeliotError> => {
    const error = await work.then(
      () => expect.fail('it worked'),
      (reason: unknown) => reason,
    );
    expect(error).to.be.instanceOf(MmeliotError);
    expect((error as Error).message).not.to.include(LOGIN.password);
    return error as MmeliotError;
  };
  const count = (method: string): number => cloud.calls.filter((call) => call === method).length;
  const running = async (mark = 'a') => (await inState(await provider.allocate({ mark }), 'running')).id;

  describe('what a VM gets', () => {
    it('is our context over the template’s own, with its id, unchanged by quoting', async () => {
      const secret = `it's $HOME "x" \\`;
      await open({ context: { MMELIOT_SECRET: secret, MMELIOT_COLLECTOR: '10.0.0.1:9999' }, port: 8081 });
      const id = await running();
      const context = cloud.room.orders[0]?.context ?? {};
      expect(context).to.include({
        NETWORK: 'YES',
        MMELIOT_VM_ID: id,
        MMELIOT_GROUP: 'demo',
        MMELIOT_LISTEN: '0.0.0.0:8081',
        MMELIOT_COLLECTOR: '10.0.0.1:9999',
      });
      expect(context['MMELIOT_SECRET_BASE64']).to.match(/^[\w+/=]+$/);
      expect(environmentOf(context))
        .to.include({ MMELIOT_SECRET: secret, MMELIOT_VM_ID: id })
        .and.not.have.key('NETWORK');
      const vm = cloud.emulator.cloud.vms.get(Number(id));
      expect(vm?.userTemplate.get('MMELIOT_GROUP')).to.equal('demo');
      expect(vm?.userTemplate.get('MMELIOT_MARK')).to.equal('a');
    });

    it('is the template with the configured name, as it is at that moment', async () => {
      const templates = { old: 'CPU=1', epcis: 'CPU=1\nCONTEXT=[ COLOUR="green" ]' };
      await open({ template: 'epcis' }, { templates });
      await running();
      expect(cloud.room.orders[0]?.context['COLOUR']).to.equal('green');
    });

    it('is refused in one sentence without such a template, and after the template was deleted', async () => {
      await open({ template: 'nothing' });
      expect((await refused(provider.allocate({ mark: 'a' }))).message).to.include('no VM template named "nothing"');
      provider = cloud.provider({ template: 0 });
      cloud.emulator.deleteTemplate(0);
      const error = await refused(provider.allocate({ mark: 'b' }));
      expect(error.message).to.include('Error getting virtual machine template [0]').and.include('opennebula.template');
      expect(await provider.list()).to.deep.equal([]);
    });
  });

  describe('what it costs', () => {
    it('is one pool call and at most one monitoring call a cycle, however many VMs', async () => {
      await open({ monitoringMs: 60_000 });
      await Promise.all(['a', 'b', 'c', 'd', 'e'].map(running));
      cloud.calls.length = 0;
      for (let cycle = 0; cycle < 4; cycle++) await provider.list();
      expect(cloud.calls).to.deep.equal(Array(4).fill('one.vmpool.infoextended'));
      expect(await cloud.provider().list()).to.have.length(5);
      expect(count('one.vmpool.monitoring')).to.equal(1);
      expect(cloud.calls).to.have.length(6);
    });

    it('leaves VMs of other groups alone', async () => {
      await open();
      await running();
      const other = cloud.provider({ group: 'other' });
      expect(await other.list()).to.deep.equal([]);
      expect(await other.allocate({ mark: 'a' })).not.to.equal((await provider.list())[0]?.id);
    });
  });

  describe('monitoring', () => {
    it('keeps its time while there is no new record, and forgets VMs that are DONE', async () => {
      await open({}, { monitoringMs: 1_000_000 });
      const id = await running();
      const vm = cloud.emulator.cloud.vms.get(Number(id));
      expect((await find(id))?.monitoring).to.equal(undefined);
      vm?.readings.push({ at: 1_794_992_416_000, cpu: 40 });
      const reading = () => until('it is read', async () => (await find(id))?.monitoring);
      expect(await reading()).to.deep.equal({ at: 1_794_992_416_000, cpu: 40 });
      expect(await reading()).to.deep.equal({ at: 1_794_992_416_000, cpu: 40 });
      await provider.release(id);
      await gone(id);
      const next = await running('b');
      const answer = await until('the DONE one is still in the answer', () => count('one.vmpool.monitoring') > 2);
      expect(answer).to.equal(true);
      expect((await find(next))?.monitoring).to.equal(undefined);
    });
  });

  describe('allocation in trouble', () => {
    it('finds the VM again whose answer was lost, and makes no second', async () => {
      await open();
      await cloud.emulator.setFaults({ lostAnswer: true });
      const id = await provider.allocate({ mark: 'a' });
      expect(count('one.template.instantiate')).to.equal(1);
      expect([...cloud.emulator.cloud.vms.keys()].map(String)).to.deep.equal([id]);
    });

    it('gives up looking after a while, and finds a VM that came late when it is asked again', async () => {
      const { promise: late, resolve: goOn } = Promise.withResolvers<void>();
      const onCall = (method: string) => (method === 'one.template.instantiate' ? late : undefined);
      await open({ lostAnswerMs: 50, deadlineMs: 200 }, { onCall });
      const error = await refused(provider.allocate({ mark: 'a' }));
      expect(error.message).to.include('did not answer whether it allocates a VM');
      expect(cloud.emulator.cloud.vms.size).to.equal(0);
      goOn();
      await until('it is carried out after all', () => cloud.emulator.cloud.vms.size === 1);
      await inState(await provider.allocate({ mark: 'a' }), 'running');
      expect(cloud.emulator.cloud.vms.size).to.equal(1);
    });

    it('shows the newer of two VMs with one mark as failed', async () => {
      await open();
      const [first, second] = [await provider.allocate({ mark: 'a' }), await provider.allocate({ mark: 'b' })];
      cloud.emulator.cloud.vms.get(Number(second))?.userTemplate.set('MMELIOT_MARK', 'a');
      await inState(first, 'running');
      expect((await find(second))?.state).to.equal('failed');
      expect((await find(second))?.note).to.include('same mark');
      expect(await provider.allocate({ mark: 'a' })).to.equal(first);
    });

    it('says by its code that there is no room: quota, no address', async () => {
      await open();
      await cloud.emulator.setFaults({ quota: 1 });
      const first = await running();
      const quota = await refused(provider.allocate({ mark: 'b' }));
      expect(quota).to.include({ code: 'NO_CAPACITY' });
      expect(quota.message).to.include('limit of 1 reached for VMS quota');
      await cloud.emulator.setFaults({ quota: 0, noLease: true });
      expect(await refused(provider.allocate({ mark: 'b' }))).to.include({ code: 'NO_CAPACITY' });
      await cloud.emulator.setFaults({ noLease: false });
      expect(await running('b')).not.to.equal(first);
    });

    it('shows the scheduler’s message while no host has room, and goes on when one has', async () => {
      await open();
      await cloud.emulator.setFaults({ noCapacity: true });
      const id = await provider.allocate({ mark: 'a' });
      expect((await noted(id, 'No host has room')).state).to.equal('pending');
      await cloud.emulator.setFaults({ noCapacity: false });
      expect((await inState(id, 'running')).note).to.equal(undefined);
    });

    it('does not wait for room for ever', async () => {
      await open({ placementMs: 100 });
      await cloud.emulator.setFaults({ noCapacity: true });
      const id = await provider.allocate({ mark: 'a' });
      expect((await inState(id, 'failed')).note).to.include('found no host');
      await provider.release(id);
      await gone(id);
    });

    it('shows a failed boot with its reason, and gives the VM back', async () => {
      await open();
      await cloud.emulator.setFaults({ bootFailure: true });
      const id = await provider.allocate({ mark: 'a' });
      expect((await inState(id, 'failed')).note)
        .to.include('BOOT_FAILURE')
        .and.include('hypervisor refused');
      await provider.release(id);
      await gone(id);
    });

    it('does not wait for a boot for ever, and gives the VM back when its driver answers', async () => {
      await open({ bootMs: 100, leaveMs: 100 });
      await cloud.emulator.setFaults({ bootHang: true });
      const id = await provider.allocate({ mark: 'a' });
      expect((await inState(id, 'failed')).note).to.include('still in BOOT');
      await provider.release(id); // 2048, wrong state BOOT: accepted all the same, and asked for again
      expect((await find(id))?.state).to.equal('releasing');
      await noted(id, `onevm recover --delete ${id}`);
      await cloud.emulator.setFaults({ bootHang: false });
      await gone(id);
    });
  });

  describe('release in trouble', () => {
    it('switches a VM off that came back to RUNNING after its shutdown', async () => {
      await open();
      const id = await running();
      await cloud.emulator.setFaults({ shutdownFailure: true });
      await provider.release(id);
      await until('the VM is RUNNING again', () => cloud.emulator.cloud.vms.get(Number(id))?.state[1] === 3);
      expect((await find(id))?.state ?? 'releasing').to.equal('releasing');
      await gone(id);
      expect(cloud.emulator.cloud.vms.get(Number(id))?.state[0]).to.equal(6);
    });

    it('is carried on by a successor', async () => {
      await open();
      const id = await running();
      await cloud.emulator.setFaults({ shutdownFailure: true });
      await provider.release(id);
      await until('the VM is RUNNING again', () => cloud.emulator.cloud.vms.get(Number(id))?.state[1] === 3);
      await provider.close();
      provider = cloud.provider();
      expect((await find(id))?.state).to.equal('releasing');
      await gone(id);
    });

    it('reports a VM stuck in EPILOG and never tries what only an administrator may', async () => {
      await open({ leaveMs: 100 });
      const id = await running();
      await cloud.emulator.setFaults({ stuckEpilog: true });
      await provider.release(id);
      expect((await noted(id, 'onevm recover --delete')).state).to.equal('releasing');
      cloud.calls.length = 0;
      for (let cycle = 0; cycle < 5; cycle++) await provider.list();
      expect(cloud.calls.filter((call) => !call.startsWith('one.vmpool.'))).to.deep.equal([]);
    });
  });

  describe('what others do', () => {
    it('drops a VM that somebody else terminated', async () => {
      await open();
      const id = await running();
      await asUser('one.vm.action', 'terminate', Number(id));
      await gone(id);
      await provider.release(id);
    });

    it('shows a VM that somebody powered off as failed, and can give it back', async () => {
      await open();
      const id = await running();
      await asUser('one.vm.action', 'poweroff', Number(id));
      expect((await inState(id, 'failed')).note).to.include('POWEROFF');
      await provider.release(id);
      await gone(id);
    });

    it('shows a VM whose machine died as failed', async () => {
      await open();
      const id = await running();
      await cloud.room.kill(Number(id));
      await inState(id, 'failed');
    });

    const asUser = async (method: string, ...params: (string | number)[]) => {
      const { createClient } = await import('../../opennebula/client.ts');
      const client = createClient({ ...LOGIN, url: cloud.emulator.url });
      await client.call(method, ...params);
      await client.close();
    };
  });

  describe('front end in trouble', () => {
    const TROUBLES = [
      [{ authLost: true }, /refuses the login.*User couldn't be authenticated/],
      [{ away: true }, /cannot be reached/],
      [{ hang: true }, /did not answer in time/],
      [{ slowMs: 2_000 }, /did not answer in time/],
      [{ truncated: true }, /XML is broken/],
    ] as const;
    for (const [trouble, sentence] of TROUBLES) {
      const [fault = ''] = Object.keys(trouble);
      it(`says so in one sentence and works again afterwards: ${fault}`, async () => {
        await open({ deadlineMs: 500 });
        const id = await running();
        await cloud.emulator.setFaults(trouble);
        for (const work of [() => provider.list(), () => provider.allocate({ mark: 'b' }), () => provider.release(id)])
          expect((await refused(work())).message).to.match(sentence);
        await cloud.emulator.setFaults({ authLost: false, away: false, hang: false, slowMs: 0, truncated: false });
        await inState(await provider.allocate({ mark: 'c' }), 'running');
        await provider.release(id);
        await gone(id);
      });
    }

    it('tells kinds apart, for those who ask', async () => {
      await open();
      await cloud.emulator.setFaults({ authLost: true });
      expect(isKind(await refused(provider.list()), 'authentication')).to.equal(true);
    });
  });

  it('has its faults behind a control door', async () => {
    await open();
    const post = (body: string) => request(cloud.emulator.controlUrl, { method: 'POST', body });
    expect((await post('{"noCapacity":true}')).statusCode).to.equal(200);
    const shown = await request(cloud.emulator.controlUrl);
    expect(await shown.body.json()).to.include({ noCapacity: true, away: false });
    for (const [body, sentence] of [
      ['{"x":1}', 'no fault "x"'],
      ['{"away":1}', 'takes a boolean'],
      ['[', 'JSON object'],
      ['{"__proto__":true}', 'no fault "__proto__"'],
    ] as const) {
      const response = await post(body);
      expect(response.statusCode).to.equal(400);
      expect(await response.body.text()).to.include(JSON.stringify(sentence).slice(1, -1));
    }
  });
});
