// The provider against the emulator: what VMs get, what it costs, and what others do to them.
import { expect } from 'chai';
import { request } from 'undici';
import { createClient } from '../../opennebula/client.ts';
import { parseOffer } from '../../opennebula/offers.ts';
import { environmentOf } from '../../opennebula/emulator/machine-room.ts';
import { until } from '../helpers/until.ts';
import { LOGIN } from './emulated.ts';
import { openScene, refused, type Scene } from './scene.ts';

describe('OpenNebula provider', function () {
  this.timeout(40_000);
  let scene: Scene;
  afterEach(() => scene.cloud.stop());

  describe('what a VM gets', () => {
    it('is our context over the template’s own, with its id, unchanged by quoting', async () => {
      const secret = `it's $HOME "x" \\`;
      scene = await openScene({ context: { MMELIOT_SECRET: secret, MMELIOT_COLLECTOR: '10.0.0.1:9999' }, port: 8081 });
      const id = await scene.running();
      const context = scene.cloud.room.orders[0]?.context ?? {};
      expect(context).to.include({
        NETWORK: 'YES',
        MMELIOT_VM_ID: id,
        MMELIOT_GROUP: 'demo',
        MMELIOT_LISTEN_BASE64: Buffer.from('[::]:8081').toString('base64'),
        MMELIOT_COLLECTOR: '10.0.0.1:9999',
      });
      expect(context['MMELIOT_SECRET_BASE64']).to.match(/^[\w+/=]+$/);
      expect(environmentOf(context))
        .to.include({ MMELIOT_SECRET: secret, MMELIOT_VM_ID: id })
        .and.not.have.key('NETWORK');
      const vm = scene.cloud.emulator.cloud.vms.get(Number(id));
      expect(vm?.userTemplate.get('MMELIOT_GROUP')).to.equal('demo');
      expect(vm?.userTemplate.get('MMELIOT_MARK')).to.equal('a');
      expect(vm?.userTemplate.get('LABELS')).to.equal('mmeliot/demo/epcis');
      expect(vm?.name).to.equal('demo-epcis-a');
    });

    it('is its role, where the group has roles, and what is for it alone', async () => {
      scene = await openScene();
      await scene.provider.allocate({ mark: 'work-1', role: 'work', environment: { MMELIOT_NODE: 'one' } });
      await scene.provider.allocate({ mark: 'other' });
      await until('both were started', () => scene.cloud.room.orders.length === 2);
      const roles = scene.cloud.room.orders.map(({ context }) => context['MMELIOT_ROLE']);
      expect(roles).to.have.members(['work', undefined]);
      const own = scene.cloud.room.orders.map(({ context }) => context['MMELIOT_NODE']);
      expect(own).to.have.members(['one', undefined]);
      const vms = [...scene.cloud.emulator.cloud.vms.values()];
      expect(vms.map(({ name }) => name)).to.have.members(['demo-work-1', 'demo-epcis-other']);
      expect(vms.map(({ userTemplate }) => userTemplate.get('LABELS'))).to.have.members([
        'mmeliot/demo/work',
        'mmeliot/demo/epcis',
      ]);
    });

    it('is the template’s own labels beside ours, and what it says of hosts', async () => {
      const templates = { mmeliot: 'CPU=1\nMEMORY=1\nLABELS="web,night/cheap"\nSCHED_REQUIREMENTS="CLUSTER_ID = 7"' };
      scene = await openScene({}, { templates });
      const vm = scene.cloud.emulator.cloud.vms.get(Number(await scene.provider.allocate({ mark: 'a' })));
      expect(vm?.userTemplate.get('LABELS')).to.equal('web,night/cheap,mmeliot/demo/epcis');
      expect(vm?.template.get('SCHED_REQUIREMENTS')).to.deep.equal(['CLUSTER_ID = 7']);
    });

    it('is an address of an SR-IOV NIC, which stands under PCI', async () => {
      scene = await openScene({ nic: 'private' }, { sriov: true });
      const id = await scene.running();
      const vm = scene.cloud.emulator.cloud.vms.get(Number(id));
      expect([vm?.template.has('NIC'), vm?.template.has('PCI')]).to.deep.equal([false, true]);
      expect((await scene.find(id))?.address?.host).to.equal('127.0.0.1');
    });

    it('is the template with the configured name, as it is at that moment', async () => {
      const templates = { old: 'CPU=1\nMEMORY=1', epcis: 'CPU=1\nMEMORY=1\nCONTEXT=[ COLOUR="green" ]' };
      scene = await openScene({ template: 'epcis' }, { templates });
      await scene.running();
      expect(scene.cloud.room.orders[0]?.context['COLOUR']).to.equal('green');
    });

    it('is the template of its offer, with size, market and price; and a notice, where somebody writes one on it', async () => {
      const templates = { small: 'CPU=0.5\nMEMORY=512', 'big one': 'CPU=4\nVCPU=4\nMEMORY=2048' };
      const offers = ['small on-demand 0.05', 'big one interruptible 0.02'].map(parseOffer);
      scene = await openScene({ template: 'small', offers }, { templates });
      const [small, big] = await scene.provider.offers();
      expect(small).to.deep.include({ id: 'small/on-demand', market: 'on-demand', pool: 'small', price: 0.05 });
      expect(big?.size).to.deep.equal({ name: 'big one', vcpu: 4, memoryBytes: 2 ** 31 });
      const id = await scene.provider.allocate({ mark: 'cheap', ...(big && { offer: big }) });
      const dear = await scene.provider.allocate({ mark: 'dear', ...(small && { offer: small }) });
      expect((await scene.inState(id, 'running')).offer).to.deep.equal(big);
      expect((await scene.inState(dear, 'running')).offer?.id).to.equal('small/on-demand');
      const client = createClient({ ...LOGIN, url: scene.cloud.emulator.url });
      await client.call('one.vm.update', Number(id), 'MMELIOT_TAKEN_AT=1800000000', 1);
      await client.close();
      expect((await scene.find(id))?.interruptAt).to.equal(1_800_000_000_000);
      expect((await scene.find(dear))?.interruptAt).to.equal(undefined);
    });

    it('is refused in one sentence without such a template, and after the template was deleted', async () => {
      scene = await openScene({ template: 'nothing' });
      expect((await refused(scene.provider.allocate({ mark: 'a' }))).message).to.include(
        'no VM template named "nothing"',
      );
      scene.provider = scene.cloud.provider({ template: 0 });
      scene.cloud.emulator.deleteTemplate(0);
      const error = await refused(scene.provider.allocate({ mark: 'b' }));
      expect(error.message).to.include('Error getting virtual machine template [0]').and.include('opennebula.template');
      expect(await scene.provider.list()).to.deep.equal([]);
    });
  });

  describe('what it costs', () => {
    it('is one pool call and at most one monitoring call a cycle, however many VMs', async () => {
      scene = await openScene({ monitoringMs: 60_000 });
      await Promise.all(['a', 'b', 'c', 'd', 'e'].map((mark) => scene.running(mark)));
      scene.cloud.calls.length = 0;
      for (let cycle = 0; cycle < 4; cycle++) await scene.provider.list();
      expect(scene.cloud.calls).to.deep.equal(Array(4).fill('one.vmpool.infoextended'));
      expect(await scene.cloud.provider().list()).to.have.length(5);
      expect(scene.count('one.vmpool.monitoring')).to.equal(1);
      expect(scene.cloud.calls).to.have.length(6);
    });

    it('leaves VMs of other groups alone', async () => {
      scene = await openScene();
      await scene.running();
      const other = scene.cloud.provider({ group: 'other' });
      expect(await other.list()).to.deep.equal([]);
      expect(await other.allocate({ mark: 'a' })).not.to.equal((await scene.provider.list())[0]?.id);
    });
  });

  describe('monitoring', () => {
    it('is asked for every 30 s, as often as a stock front end has news', async () => {
      scene = await openScene();
      await scene.running();
      let now = 0;
      const unhurried = scene.cloud.provider({ monitoringMs: undefined }, () => now);
      scene.cloud.calls.length = 0;
      for (const [at, asked] of [
        [0, 1],
        [29_999, 1],
        [30_000, 2],
        [59_999, 2],
        [60_000, 3],
      ] as const) {
        now = at;
        await unhurried.list();
        expect(scene.count('one.vmpool.monitoring'), `at ${at}`).to.equal(asked);
      }
    });

    it('keeps its time while there is no new record, and forgets VMs that are DONE', async () => {
      scene = await openScene({}, { monitoringMs: 1_000_000 });
      const id = await scene.running();
      const vm = scene.cloud.emulator.cloud.vms.get(Number(id));
      expect((await scene.find(id))?.monitoring).to.equal(undefined);
      vm?.readings.push({ at: 1_794_992_416_000, cpu: 40 });
      const reading = () => until('it is read', async () => (await scene.find(id))?.monitoring);
      const first = await reading();
      expect(first.cpu).to.equal(40);
      expect(await reading()).to.deep.equal(first);
      await scene.provider.release(id);
      await scene.gone(id);
      const next = await scene.running('b');
      const answer = await until('the DONE one is still in the answer', () => scene.count('one.vmpool.monitoring') > 2);
      expect(answer).to.equal(true);
      expect((await scene.find(next))?.monitoring).to.equal(undefined);
    });
  });

  describe('what others do', () => {
    it('drops a VM that somebody else terminated', async () => {
      scene = await openScene();
      const id = await scene.running();
      await asUser('one.vm.action', 'terminate', Number(id));
      await scene.gone(id);
      await scene.provider.release(id);
    });

    it('shows a VM that somebody powered off as failed, and can give it back', async () => {
      scene = await openScene();
      const id = await scene.running();
      await asUser('one.vm.action', 'poweroff', Number(id));
      expect((await scene.inState(id, 'failed')).note)
        .to.include('Somebody switched it off')
        .and.include('POWEROFF');
      await scene.provider.release(id);
      await scene.gone(id);
    });

    it('shows a VM whose machine died as failed', async () => {
      scene = await openScene();
      const id = await scene.running();
      await scene.cloud.room.kill(Number(id));
      expect((await scene.inState(id, 'failed')).note).to.include('Its guest ended by itself');
    });

    const asUser = async (method: string, ...params: (string | number)[]) => {
      const client = createClient({ ...LOGIN, url: scene.cloud.emulator.url });
      await client.call(method, ...params);
      await client.close();
    };
  });

  it('has its faults behind a control door', async () => {
    scene = await openScene();
    const post = (body: string) => request(scene.cloud.emulator.controlUrl, { method: 'POST', body });
    expect((await post('{"noCapacity":true}')).statusCode).to.equal(200);
    const shown = await request(scene.cloud.emulator.controlUrl);
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
