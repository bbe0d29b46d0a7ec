// Giving VMs back. That the call was accepted says little: a shutdown can fail silently, and some states allow none.
// So the wish is written on the VM first, and `carryOn` asks again, each period, until the VM is on its way.
import type { Millis } from '../src/model.ts';
import type { OpenNebulaClient } from './client.ts';
import { isKind } from './error.ts';
import { attribute } from './documents/template.ts';
import { RELEASING, STATE, type OneVm } from './documents/vm.ts';

export interface Releases {
  ask(id: string): Promise<void>;
  /** `inPhaseMs`: how long the VM has been seen in its phase. */
  carryOn(vms: readonly OneVm[], inPhaseMs: (vm: OneVm) => Millis): Promise<void>;
  /** VMs that had to be switched off, since their shutdown failed. */
  readonly switchedOff: ReadonlySet<string>;
}

export interface ReleaseTimes {
  /** A release without effect is asked for again after this. */
  readonly againMs: Millis;
  /** A shutdown that takes longer than this is cut short. */
  readonly leaveMs: Millis;
}

export function createReleases(client: OpenNebulaClient, times: ReleaseTimes, now: () => Millis): Releases {
  const askedAt = new Map<string, Millis>();
  const switchedOff = new Set<string>();

  /** No error: the VM is gone, or its state does not allow it now (2048, in BOOT for example): asked again later. */
  async function terminate(id: string, action: 'terminate' | 'terminate-hard'): Promise<void> {
    askedAt.set(id, now());
    try {
      await client.call('one.vm.action', action, Number(id));
    } catch (error) {
      if (!isKind(error, 'no-such-object', 'action')) throw error;
    }
  }

  async function again(vm: OneVm): Promise<void> {
    // RUNNING again after a shutdown, or in SHUTDOWN for ever: the guest ignores the power button, so off it goes.
    const hard = vm.phase === 'leaving' || (vm.phase === 'running' && askedAt.has(vm.id));
    if (hard) switchedOff.add(vm.id);
    await terminate(vm.id, hard ? 'terminate-hard' : 'terminate').catch(() => undefined); // and again next time
  }

  return {
    switchedOff,

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

    async carryOn(vms, inPhaseMs) {
      const present = new Set(vms.map((vm) => vm.id));
      for (const known of [askedAt, switchedOff]) for (const id of known.keys()) if (!present.has(id)) known.delete(id);
      const idle = vms
        .filter((vm) => vm.toBeReleased && mayBeAsked(vm, inPhaseMs(vm), times.leaveMs))
        .filter((vm) => now() - (askedAt.get(vm.id) ?? -Infinity) >= times.againMs);
      await Promise.all(idle.map(again));
    },
  };
}

/** On its way a VM is left in peace, unless it hangs in SHUTDOWN; what is stuck, only an administrator can free. */
function mayBeAsked(vm: OneVm, inPhaseMs: Millis, leaveMs: Millis): boolean {
  if (vm.phase === 'stuck') return false;
  return vm.phase !== 'leaving' || (vm.state === 'SHUTDOWN' && inPhaseMs > leaveMs);
}
