// The provider against the emulator: releases that go wrong, one after the other.
import { expect } from 'chai';
import { createClient } from '../../opennebula/client.ts';
import { until } from '../helpers/until.ts';
import { LOGIN } from './emulated.ts';
import { openScene, refused, type Scene } from './scene.ts';

describe('OpenNebula provider whose release is in trouble', function () {
  this.timeout(40_000);
  let scene: Scene;
  afterEach(() => scene.cloud.stop());

  /** Somebody with the login of the VMs' owner. */
  const asOwner = async (method: string, id: string, ...more: number[]): Promise<void> => {
    const owner = createClient({ ...LOGIN, url: scene.cloud.emulator.url });
    await owner.call(method, Number(id), ...more).finally(() => owner.close());
  };

  /** As the emulator has it, whatever the provider makes of it. */
  const vmOf = (id: string) => scene.cloud.emulator.cloud.vms.get(Number(id));

  it('switches a VM off that came back to RUNNING after its shutdown', async () => {
    scene = await openScene();
    const id = await scene.running();
    // and stays in EPILOG when it is switched off, so that there is time to read the note
    await scene.cloud.emulator.setFaults({ shutdownFailure: true, stuckEpilog: true });
    await scene.provider.release(id);
    await until('the VM is RUNNING again', () => vmOf(id)?.state[1] === 3);
    expect((await scene.find(id))?.state).to.equal('releasing');
    await scene.noted(id, 'Its shutdown failed; it is switched off');
  });

  it('switches a VM off whose shutdown does not end, and says so', async () => {
    scene = await openScene({ leaveMs: 200 });
    const id = await scene.running();
    await scene.cloud.emulator.setFaults({ shutdownHang: true, stuckEpilog: true });
    await scene.provider.release(id);
    await scene.noted(id, 'Its shutdown did not end; it is switched off');
    const state = () => vmOf(id)?.state.join('/');
    await until('it leaves SHUTDOWN', () => state() === '3/11');
  });

  it('asks for a shutdown, not for the switch, as long as none was accepted', async () => {
    scene = await openScene();
    await scene.cloud.emulator.setFaults({ bootHang: true });
    const id = await scene.provider.allocate({ mark: 'a' });
    await until('it boots', () => vmOf(id)?.state[1] === 2);
    await scene.provider.release(id); // not taken in BOOT
    await scene.cloud.emulator.setFaults({ bootHang: false, stuckEpilog: true });
    await until('it leaves', async () => {
      await scene.provider.list();
      return vmOf(id)?.state[1] === 11;
    });
    expect(vmOf(id)?.lastAction?.code).to.equal(27); // terminate
    expect((await scene.find(id))?.note ?? '').not.to.include('switched off');
  });

  it('switches a VM off whose host is lost, at once', async () => {
    scene = await openScene({ releaseAgainMs: 60_000 });
    const id = await scene.running();
    await scene.cloud.emulator.setFaults({ hostLost: true });
    expect((await scene.noted(id, 'does not know how it is (UNKNOWN)')).state).to.equal('running');
    await scene.provider.release(id);
    await scene.gone(id);
  });

  it('switches a VM off whose host is lost after its release', async () => {
    scene = await openScene();
    const id = await scene.running();
    await scene.cloud.emulator.setFaults({ hostLost: true });
    await until('it is UNKNOWN', () => vmOf(id)?.state[1] === 16);
    scene.provider = scene.cloud.provider(); // who has not seen it yet asks for a shutdown, in vain
    await scene.provider.release(id);
    await scene.gone(id);
  });

  it('asks again for a VM whose clean-up failed', async () => {
    scene = await openScene();
    const id = await scene.running();
    await scene.cloud.emulator.setFaults({ epilogFailure: true });
    await scene.provider.release(id);
    expect((await scene.noted(id, 'Its clean-up failed (EPILOG_FAILURE)')).state).to.equal('releasing');
    await scene.cloud.emulator.setFaults({ epilogFailure: false });
    await scene.gone(id);
  });

  it('says of a locked VM how it is unlocked, and can release it then', async () => {
    scene = await openScene();
    const id = await scene.running();
    await asOwner('one.vm.lock', id, 2);
    const error = await refused(scene.provider.release(id));
    expect(error).to.include({ code: 'PROVIDER_REFUSED' });
    expect(error.message).to.include('Not authorized to perform MANAGE VM').and.include(`onevm unlock ${id}`);
    await asOwner('one.vm.unlock', id);
    await scene.provider.release(id);
    await scene.gone(id);
  });

  it('says of a VM that is locked after its release why it stays, and goes on when it is unlocked', async () => {
    scene = await openScene();
    await scene.cloud.emulator.setFaults({ bootHang: true });
    const id = await scene.provider.allocate({ mark: 'a' });
    await until('it boots', async () => (await scene.find(id))?.stage === 'BOOT');
    await scene.provider.release(id); // not taken in BOOT, so it is asked for again
    await asOwner('one.vm.lock', id, 2);
    await scene.cloud.emulator.setFaults({ bootHang: false });
    expect((await scene.noted(id, `Its release is refused.`)).note).to.include(`onevm unlock ${id}`);
    expect((await scene.find(id))?.state).to.equal('releasing');
    await asOwner('one.vm.unlock', id);
    await scene.gone(id);
  });

  it('is carried on by a successor', async () => {
    scene = await openScene();
    const id = await scene.running();
    await scene.cloud.emulator.setFaults({ shutdownFailure: true });
    await scene.provider.release(id);
    await until('the VM is RUNNING again', () => vmOf(id)?.state[1] === 3);
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
