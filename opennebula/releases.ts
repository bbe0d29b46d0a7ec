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
  /** VMs that had to be switched off, and why. */
  readonly switchedOff: ReadonlyMap<string, string>;
  /** VMs whose release was refused when it was last asked for, and why: locked ones, for example. */
  readonly refused: ReadonlyMap<string, string>;
}

export interface ReleaseTimes {
  /** A release without effect is asked for again after this. */
  readonly againMs: Millis;
  /** A shutdown that takes longer than this is cut short. */
  readonly leaveMs: Millis;
}

export function createReleases(client: OpenNebulaClient, times: ReleaseTimes, now: () => Millis): Releases {
  const askedAt = new Map<string, Millis>();
  /** VMs whose shutdown OpenNebula has accepted. */
  const accepted = new Set<string>();
  /** VMs that nobody has sight of: a shutdown would have nobody to do it. */
  const unseen = new Set<string>();
  const switchedOff = new Map<string, string>();
  const refused = new Map<string, string>();

  /** False: the VM is gone, or its state does not allow it now (2048, in BOOT for example): asked again later. */
  async function terminate(id: string, action: 'terminate' | 'terminate-hard'): Promise<boolean> {
    askedAt.set(id, now());
    refused.delete(id);
    try {
      await client.call('one.vm.action', action, Number(id));
      accepted.add(id);
      return true;
    } catch (error) {
      if (isKind(error, 'authorization')) refused.set(id, `Its release is refused. ${error.message}`);
      if (!isKind(error, 'no-such-object', 'action')) throw error;
      return false;
    }
  }

  async function switchOff(id: string, why: string): Promise<void> {
    if (await terminate(id, 'terminate-hard')) switchedOff.set(id, why);
  }

  async function again(vm: OneVm, inPhaseMs: Millis): Promise<void> {
    const why = whyHard(vm, accepted.has(vm.id), inPhaseMs > times.leaveMs);
    // what fails now is asked again next time
    await (why === undefined ? terminate(vm.id, 'terminate') : switchOff(vm.id, why)).catch(() => undefined);
  }

  return {
    switchedOff,
    refused,

    async ask(id) {
      if (!/^\d+$/.test(id)) return; // no OpenNebula VM has such an id, so it is gone
      try {
        await client.call('one.vm.update', Number(id), attribute(STATE, RELEASING), 1);
      } catch (error) {
        if (isKind(error, 'no-such-object')) return;
        if (!isKind(error, 'action', 'bad-use')) throw error; // a VM that is DONE needs no mark
      }
      await (unseen.has(id) ? switchOff(id, UNSEEN) : terminate(id, 'terminate'));
    },

    async carryOn(vms, inPhaseMs) {
      const present = new Set(vms.map((vm) => vm.id));
      for (const known of [askedAt, accepted, switchedOff, refused])
        for (const id of known.keys()) if (!present.has(id)) known.delete(id);
      unseen.clear();
      for (const vm of vms) if (vm.phase === 'unseen') unseen.add(vm.id);
      const idle = vms
        .filter((vm) => vm.toBeReleased && mayBeAsked(vm, inPhaseMs(vm), times.leaveMs))
        .filter((vm) => now() - (askedAt.get(vm.id) ?? -Infinity) >= times.againMs);
      await Promise.all(idle.map((vm) => again(vm, inPhaseMs(vm))));
    },
  };
}

const UNSEEN = 'OpenNebula lost sight of it';

/** Why a VM that is to be released is not asked to shut down, but switched off. */
function whyHard({ phase }: OneVm, accepted: boolean, long: boolean): string | undefined {
  if (phase === 'unseen') return UNSEEN;
  if (phase === 'leaving') return 'Its shutdown did not end';
  // it may be on its way, in a state of which we know only its number
  if (phase === 'unknown') return accepted && long ? 'Its shutdown did not end' : undefined;
  return phase === 'running' && accepted ? 'Its shutdown failed' : undefined;
}

/** On its way a VM is left in peace, unless it hangs in SHUTDOWN. */
function mayBeAsked(vm: OneVm, inPhaseMs: Millis, leaveMs: Millis): boolean {
  return vm.phase !== 'leaving' || (vm.state === 'SHUTDOWN' && inPhaseMs > leaveMs);
}
