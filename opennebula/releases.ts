// Giving VMs back. That the call was accepted says little: a shutdown can fail silently, and some states allow none.
// So the wish is written on the VM first, and `carryOn` asks again, each period, until the VM is on its way.
import type { Millis } from '../src/model.ts';
import type { OpenNebulaClient } from './client.ts';
import { isKind } from './error.ts';
import { attribute } from './template.ts';
import { RELEASING, STATE, type OneVm } from './vm.ts';

export interface Releases {
  ask(id: string): Promise<void>;
  carryOn(vms: readonly OneVm[]): Promise<void>;
}

export function createReleases(client: OpenNebulaClient, againMs: Millis, now: () => Millis): Releases {
  const askedAt = new Map<string, Millis>();

  /** False: the VM's state does not allow it now (2048, in BOOT for example), or it is on its way already. */
  async function terminate(id: string, action: 'terminate' | 'terminate-hard'): Promise<void> {
    askedAt.set(id, now());
    try {
      await client.call('one.vm.action', action, Number(id));
    } catch (error) {
      if (!isKind(error, 'no-such-object', 'action')) throw error;
    }
  }

  return {
    async ask(id) {
      if (!/^\d+$/.test(id)) return; // no OpenNebula VM has such an id, so it is gone
      try {
        await client.call('one.vm.update', Number(id), attribute(STATE, RELEASING), 1);
      } catch (error) {
        if (isKind(error, 'no-such-object')) return;
        if (!isKind(error, 'action', 'bad-use')) throw error; // a VM that is DONE needs no mark
      }
      await terminate(id, 'terminate');
    },

    async carryOn(vms) {
      const present = new Set(vms.map((vm) => vm.id));
      for (const id of askedAt.keys()) if (!present.has(id)) askedAt.delete(id);
      const idle = vms.filter(
        (vm) =>
          vm.toBeReleased &&
          vm.phase !== 'leaving' &&
          vm.phase !== 'stuck' &&
          now() - (askedAt.get(vm.id) ?? -Infinity) >= againMs,
      );
      // Back in RUNNING after a shutdown: its guest ignores the power button, so the second time it is switched off.
      const action = (vm: OneVm) => (vm.phase === 'running' && askedAt.has(vm.id) ? 'terminate-hard' : 'terminate');
      await Promise.all(idle.map((vm) => terminate(vm.id, action(vm)).catch(() => undefined))); // asked again next time
    },
  };
}
