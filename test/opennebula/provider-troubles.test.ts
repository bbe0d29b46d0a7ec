// The provider against the emulator, one trouble after the other.
import { expect } from 'chai';
import { isKind } from '../../opennebula/error.ts';
import { until } from '../helpers/until.ts';
import { openScene, refused, type Scene } from './scene.ts';

describe('OpenNebula provider in trouble', function () {
  this.timeout(40_000);
  let scene: Scene;
  afterEach(() => scene.cloud.stop());

  describe('allocation in trouble', () => {
    it('finds the VM again whose answer was lost, and makes no second', async () => {
      scene = await openScene();
      await scene.cloud.emulator.setFaults({ lostAnswer: true });
      const id = await scene.provider.allocate({ mark: 'a' });
      expect(scene.count('one.template.instantiate')).to.equal(1);
      expect([...scene.cloud.emulator.cloud.vms.keys()].map(String)).to.deep.equal([id]);
    });

    it('gives up looking after a while, and finds a VM that came late when it is asked again', async () => {
      const { promise: late, resolve: goOn } = Promise.withResolvers<void>();
      const onCall = (method: string) => (method === 'one.template.instantiate' ? late : undefined);
      scene = await openScene({ lostAnswerMs: 50, deadlineMs: 200 }, { onCall });
      const error = await refused(scene.provider.allocate({ mark: 'a' }));
      expect(error.message).to.include('did not answer whether it allocates a VM');
      expect(scene.cloud.emulator.cloud.vms.size).to.equal(0);
      goOn();
      await until('it is carried out after all', () => scene.cloud.emulator.cloud.vms.size === 1);
      await scene.inState(await scene.provider.allocate({ mark: 'a' }), 'running');
      expect(scene.cloud.emulator.cloud.vms.size).to.equal(1);
    });

    it('shows the newer of two VMs with one mark as failed', async () => {
      scene = await openScene();
      const [first, second] = [
        await scene.provider.allocate({ mark: 'a' }),
        await scene.provider.allocate({ mark: 'b' }),
      ];
      scene.cloud.emulator.cloud.vms.get(Number(second))?.userTemplate.set('MMELIOT_MARK', 'a');
      await scene.inState(first, 'running');
      expect((await scene.find(second))?.state).to.equal('failed');
      expect((await scene.find(second))?.note).to.include('same mark');
      expect(await scene.provider.allocate({ mark: 'a' })).to.equal(first);
    });

    it('says by its code that there is no room: quota, no address', async () => {
      scene = await openScene();
      await scene.cloud.emulator.setFaults({ quota: 1 });
      const first = await scene.running();
      const quota = await refused(scene.provider.allocate({ mark: 'b' }));
      expect(quota).to.include({ code: 'NO_CAPACITY' });
      expect(quota.message).to.include('limit of 1 reached for VMS quota');
      await scene.cloud.emulator.setFaults({ quota: 0, noLease: true });
      expect(await refused(scene.provider.allocate({ mark: 'b' }))).to.include({ code: 'NO_CAPACITY' });
      await scene.cloud.emulator.setFaults({ noLease: false });
      expect(await scene.running('b')).not.to.equal(first);
    });

    it('shows the scheduler’s message while no host has room, and goes on when one has', async () => {
      scene = await openScene();
      await scene.cloud.emulator.setFaults({ noCapacity: true });
      const id = await scene.provider.allocate({ mark: 'a' });
      expect((await scene.noted(id, 'No host has room')).state).to.equal('pending');
      await scene.cloud.emulator.setFaults({ noCapacity: false });
      expect((await scene.inState(id, 'running')).note).to.equal(undefined);
    });

    it('does not wait for room for ever', async () => {
      scene = await openScene({ placementMs: 100 });
      await scene.cloud.emulator.setFaults({ noCapacity: true });
      const id = await scene.provider.allocate({ mark: 'a' });
      expect((await scene.inState(id, 'failed')).note).to.include('found no host');
      await scene.provider.release(id);
      await scene.gone(id);
    });

    it('shows a failed boot with its reason, and gives the VM back', async () => {
      scene = await openScene();
      await scene.cloud.emulator.setFaults({ bootFailure: true });
      const id = await scene.provider.allocate({ mark: 'a' });
      expect((await scene.inState(id, 'failed')).note)
        .to.include('BOOT_FAILURE')
        .and.include('hypervisor refused');
      await scene.provider.release(id);
      await scene.gone(id);
    });

    it('does not wait for a boot for ever, and gives the VM back when its driver answers', async () => {
      scene = await openScene({ bootMs: 100, leaveMs: 100 });
      await scene.cloud.emulator.setFaults({ bootHang: true });
      const id = await scene.provider.allocate({ mark: 'a' });
      expect((await scene.inState(id, 'failed')).note).to.include('still in BOOT');
      await scene.provider.release(id); // 2048, wrong state BOOT: accepted all the same, and asked for again
      expect((await scene.find(id))?.state).to.equal('releasing');
      await scene.noted(id, `onevm recover --delete ${id}`);
      await scene.cloud.emulator.setFaults({ bootHang: false });
      await scene.gone(id);
    });
  });

  describe('release in trouble', () => {
    it('switches a VM off that came back to RUNNING after its shutdown', async () => {
      scene = await openScene();
      const id = await scene.running();
      await scene.cloud.emulator.setFaults({ shutdownFailure: true });
      await scene.provider.release(id);
      await until('the VM is RUNNING again', () => scene.cloud.emulator.cloud.vms.get(Number(id))?.state[1] === 3);
      expect((await scene.find(id))?.state ?? 'releasing').to.equal('releasing');
      await scene.cloud.emulator.setFaults({ stuckEpilog: true }); // so that there is time to read the note
      await scene.noted(id, 'Its shutdown failed; it is switched off');
    });

    it('switches a VM off whose shutdown does not end, and says so', async () => {
      scene = await openScene({ leaveMs: 200 });
      const id = await scene.running();
      await scene.cloud.emulator.setFaults({ shutdownHang: true, stuckEpilog: true });
      await scene.provider.release(id);
      await scene.noted(id, 'Its shutdown failed; it is switched off');
      const state = () => scene.cloud.emulator.cloud.vms.get(Number(id))?.state.join('/');
      await until('it leaves SHUTDOWN', () => state() === '3/11');
    });

    it('is carried on by a successor', async () => {
      scene = await openScene();
      const id = await scene.running();
      await scene.cloud.emulator.setFaults({ shutdownFailure: true });
      await scene.provider.release(id);
      await until('the VM is RUNNING again', () => scene.cloud.emulator.cloud.vms.get(Number(id))?.state[1] === 3);
      await scene.provider.close();
      scene.provider = scene.cloud.provider();
      expect((await scene.find(id))?.state).to.equal('releasing');
      await scene.gone(id);
    });

    it('reports a VM stuck in EPILOG and never tries what only an administrator may', async () => {
      scene = await openScene({ leaveMs: 100 });
      const id = await scene.running();
      await scene.cloud.emulator.setFaults({ stuckEpilog: true });
      await scene.provider.release(id);
      expect((await scene.noted(id, 'onevm recover --delete')).state).to.equal('releasing');
      scene.cloud.calls.length = 0;
      for (let cycle = 0; cycle < 5; cycle++) await scene.provider.list();
      expect(scene.cloud.calls.filter((call) => !call.startsWith('one.vmpool.'))).to.deep.equal([]);
    });
  });

  describe('front end in trouble', () => {
    const TROUBLES = [
      [{ authLost: true }, /refuses the login.*User couldn't be authenticated/],
      [{ away: true }, /cannot be reached/],
      [{ hang: true }, /did not answer in time/],
      [{ slowMs: 1_000 }, /did not answer in time/],
      [{ truncated: true }, /XML is broken/],
    ] as const;
    for (const [trouble, sentence] of TROUBLES) {
      const [fault = ''] = Object.keys(trouble);
      it(`says so in one sentence and works again afterwards: ${fault}`, async () => {
        scene = await openScene({ deadlineMs: 300 });
        const id = await scene.running();
        await scene.cloud.emulator.setFaults(trouble);
        for (const work of [
          () => scene.provider.list(),
          () => scene.provider.allocate({ mark: 'b' }),
          () => scene.provider.release(id),
        ])
          expect((await refused(work())).message).to.match(sentence);
        await scene.cloud.emulator.setFaults({
          authLost: false,
          away: false,
          hang: false,
          slowMs: 0,
          truncated: false,
        });
        await scene.inState(await scene.provider.allocate({ mark: 'c' }), 'running');
        await scene.provider.release(id);
        await scene.gone(id);
      });
    }

    it('tells kinds apart, for those who ask', async () => {
      scene = await openScene();
      await scene.cloud.emulator.setFaults({ authLost: true });
      expect(isKind(await refused(scene.provider.list()), 'authentication')).to.equal(true);
    });
  });
});
