// The emulated cloud: its VMs and how they get from state to state, at the pace a real front end has.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { NO_FAULTS, type Faults } from './faults.ts';
import type { MachineRoom } from './machine-room.ts';
import type { Attributes } from './template-text.ts';
import { ACTION, LCM, nameOf, STATE, type Vm } from './vm.ts';
import { contextOf, instantiated } from './vm-template.ts';

export interface CloudOptions {
  /** Names of the hosts; each takes one VM a scheduling pass. Default dummy1, dummy2, dummy3. */
  readonly hosts?: readonly string[];
  /** The address of the n-th VM. Default 127.0.0.1 for all, told apart by MMELIOT_PORT. */
  readonly address?: (n: number) => string;
  readonly firstId?: number;
  /** How long things take, in ms. The defaults are a stock front end's. */
  readonly schedulingMs?: number;
  readonly retryMs?: number;
  readonly prologMs?: number;
  readonly epilogMs?: number;
  readonly monitoringMs?: number;
  /** A driver's action that takes longer has failed. Default 300 000. */
  readonly actionTimeoutMs?: number;
  /** NICs are SR-IOV ones, which stand under PCI. */
  readonly sriov?: boolean;
}

const READINGS_KEPT = 480; // four hours, one each 30 s

export class Cloud {
  readonly vms = new Map<number, Vm>();
  faults: Faults = NO_FAULTS;
  readonly #room: MachineRoom;
  readonly #options: CloudOptions;
  readonly #end = new AbortController();
  readonly #under = new Set<Promise<void>>();
  #nextId: number;
  #leases = 0;

  constructor(room: MachineRoom, options: CloudOptions) {
    this.#room = room;
    this.#options = options;
    this.#nextId = options.firstId ?? 1;
    this.#every(options.schedulingMs ?? 10_000, () => this.#schedule());
    this.#every(options.monitoringMs ?? 30_000, () => this.#monitor());
  }

  /** An id is used up also by an instantiation that then fails. */
  takeId(): number {
    return this.#nextId++;
  }

  instantiate(
    { id, uid, name, apart }: Pick<Vm, 'id' | 'uid' | 'name' | 'apart'>,
    template: Attributes,
    own: Map<string, string>,
  ): Vm {
    const ip = this.#options.address?.(this.#leases++) ?? '127.0.0.1';
    const vm: Vm = {
      id,
      uid,
      name,
      apart,
      ip,
      createdAt: Date.now(),
      state: STATE.PENDING,
      template: instantiated(template, { id, name, ip, uuid: randomUUID(), sriov: this.#options.sriov === true }),
      userTemplate: own,
      readings: [],
      endedAt: 0,
      triedAt: 0,
    };
    this.vms.set(id, vm);
    return vm;
  }

  /** False: not possible in the VM's state. True: accepted; what comes of it, the VM's state tells later. */
  terminate(vm: Vm, hard: boolean, by: { uid: number; gid: number }): boolean {
    const state = nameOf(vm);
    if (state === 'DONE') return true;
    if (state === 'PENDING') this.#done(vm);
    else if (/^(RUNNING|UNKNOWN)$/.test(state) || (state === 'SHUTDOWN' && hard))
      this.#background(this.#shutDown(vm, hard));
    else if (/^(POWEROFF|BOOT_FAILURE|EPILOG_FAILURE)$/.test(state)) this.#background(this.#epilog(vm));
    else return false;
    vm.lastAction = { code: hard ? ACTION.terminateHard : ACTION.terminate, uid: by.uid, gid: by.gid };
    return true;
  }

  powerOff(vm: Vm, by: { uid: number; gid: number }): boolean {
    if (nameOf(vm) !== 'RUNNING') return false;
    vm.state = LCM.SHUTDOWN_POWEROFF;
    vm.lastAction = { code: ACTION.poweroff, uid: by.uid, gid: by.gid };
    this.#background(
      this.#stop(vm).then(() => {
        vm.state = STATE.POWEROFF;
      }),
    );
    return true;
  }

  resume(vm: Vm): boolean {
    if (nameOf(vm) !== 'POWEROFF') return false;
    vm.state = LCM.BOOT_POWEROFF;
    this.#background(this.#boot(vm));
    return true;
  }

  /** What `recover` 3 does: the VM is deleted whatever its state. */
  async remove(vm: Vm): Promise<void> {
    await this.#stop(vm);
    this.#done(vm);
  }

  async close(): Promise<void> {
    this.#end.abort();
    await Promise.race([Promise.allSettled(this.#under), delay(5_000, undefined, { ref: false })]); // a boot may hang
    await Promise.allSettled([...this.vms.values()].map((vm) => this.#stop(vm)));
  }

  /** One VM for each host in a pass; who finds none is tried again later. */
  async #schedule(): Promise<void> {
    const now = Date.now();
    // a deploy that does not answer keeps the scheduler from placing any VM
    if (this.faults.bootHang && [...this.vms.values()].some((vm) => nameOf(vm) === 'BOOT')) return;
    const hosts = (this.#options.hosts ?? ['dummy1', 'dummy2', 'dummy3']).map((name, id) => ({ name, id })).reverse();
    const pending = [...this.vms.values()].filter(
      (vm) => nameOf(vm) === 'PENDING' && now - vm.triedAt >= (this.#options.retryMs ?? 60_000),
    );
    let order = 0;
    for (const vm of pending) {
      const message = (why: string) => vm.userTemplate.set('SCHED_MESSAGE', `${new Date(now).toUTCString()}: ${why}`);
      if (this.faults.noCapacity) {
        vm.triedAt = now;
        message('No hosts with enough capacity for the VM');
        continue;
      }
      if (hosts.length === 0) {
        message('Dispatch limit reached'); // normal in a burst
        continue;
      }
      const host = hosts.find(({ name }) => !this.#hasItsLike(name, vm));
      if (!host) {
        vm.triedAt = now;
        message('No host meets the requirements of its VM group');
        continue;
      }
      hosts.splice(hosts.indexOf(host), 1);
      vm.userTemplate.delete('SCHED_MESSAGE');
      vm.placement = { host: host.name, hostId: host.id, order: order++, at: now };
      this.#background(this.#prolog(vm));
    }
  }

  /** A VM of a role whose VMs are kept apart. */
  #hasItsLike(host: string, { apart }: Vm): boolean {
    if (apart === undefined) return false;
    const there = (vm: Vm): boolean => vm.placement?.host === host && nameOf(vm) !== 'DONE';
    return [...this.vms.values()].some((other) => other.apart === apart && there(other));
  }

  async #prolog(vm: Vm): Promise<void> {
    vm.state = LCM.PROLOG;
    vm.template.set('TM_MAD_SYSTEM', ['dummy']);
    await this.#wait(this.#options.prologMs ?? 1_000);
    vm.state = LCM.BOOT;
    await this.#boot(vm);
  }

  async #boot(vm: Vm): Promise<void> {
    const since = Date.now();
    const timeout = this.#options.actionTimeoutMs ?? 300_000;
    while (this.faults.bootHang && Date.now() - since < timeout) await this.#wait(50);
    if (nameOf(vm) === 'DONE') return; // an administrator recovered it
    try {
      if (this.faults.bootHang) throw new Error('DEPLOY: ERROR: Timeout executing the action');
      if (this.faults.bootFailure) throw new Error('DEPLOY: ERROR: the hypervisor refused the deployment file');
      vm.machine = await this.#room.start({ id: vm.id, context: contextOf(vm.template) });
    } catch (error) {
      vm.userTemplate.set('ERROR', `${new Date().toUTCString()}: ${(error as Error).message}`);
      vm.state = LCM.BOOT_FAILURE;
      return;
    }
    if (this.#end.signal.aborted || nameOf(vm) === 'DONE') return this.#stop(vm);
    const { host, port } = vm.machine.address;
    if (host === vm.ip) vm.userTemplate.set('MMELIOT_PORT', String(port)); // else it listens where it was told to
    vm.template.set('GRAPHICS', [new Map([...vnc(vm), ['PORT', String(5900 + vm.id)], ['TYPE', 'VNC']])]);
    vm.state = LCM.RUNNING;
  }

  async #shutDown(vm: Vm, hard: boolean): Promise<void> {
    const lost = nameOf(vm) === 'UNKNOWN';
    vm.state = LCM.SHUTDOWN;
    if (lost && !hard) {
      await this.#wait(this.#options.epilogMs ?? 1_000); // nobody is there to be shut down
      if (nameOf(vm) === 'SHUTDOWN') vm.state = LCM.UNKNOWN;
      return;
    }
    if (this.faults.shutdownFailure && !hard) {
      await this.#wait(this.#options.epilogMs ?? 1_000);
      if (nameOf(vm) === 'SHUTDOWN') vm.state = LCM.RUNNING;
      return;
    }
    while (this.faults.shutdownHang && !hard) await this.#wait(50);
    if (nameOf(vm) !== 'SHUTDOWN') return; // switched off meanwhile
    await this.#stop(vm);
    await this.#epilog(vm);
  }

  async #epilog(vm: Vm): Promise<void> {
    vm.state = LCM.EPILOG;
    if (this.faults.stuckEpilog) return;
    await this.#wait(this.#options.epilogMs ?? 1_000);
    if (this.faults.epilogFailure) {
      vm.state = LCM.EPILOG_FAILURE;
      return;
    }
    if (vm.placement) vm.placement.leftAt = Date.now();
    this.#done(vm);
  }

  #done(vm: Vm): void {
    vm.state = STATE.DONE;
    vm.endedAt = Date.now();
    vm.template.set('GRAPHICS', [new Map([...vnc(vm), ['TYPE', 'VNC']])]);
  }

  async #stop(vm: Vm): Promise<void> {
    const machine = vm.machine;
    delete vm.machine;
    await machine?.stop();
  }

  /** A machine that died by itself is seen as powered off; one whose host says nothing is UNKNOWN. */
  async #monitor(): Promise<void> {
    for (const vm of this.vms.values()) {
      const state = nameOf(vm);
      if (state === 'UNKNOWN' && !this.faults.hostLost) vm.state = LCM.RUNNING;
      if (state === 'RUNNING' && this.faults.hostLost) vm.state = LCM.UNKNOWN;
      if (nameOf(vm) !== 'RUNNING' || !vm.machine) continue;
      const cpu = await vm.machine.cpu();
      if (cpu !== undefined) vm.readings = [...vm.readings, { at: Date.now(), cpu }].slice(-READINGS_KEPT);
      else if (nameOf(vm) === 'RUNNING') {
        vm.state = STATE.POWEROFF;
        vm.lastAction = { code: ACTION.monitor, uid: -1, gid: -1 };
      }
    }
  }

  #every(ms: number, work: () => Promise<void>): void {
    const loop = async (): Promise<void> => {
      for (;;) {
        await this.#wait(ms);
        await work().catch(() => undefined); // one machine's trouble must not stop the clock
      }
    };
    this.#background(loop());
  }

  #background(work: Promise<void>): void {
    const watched = work.catch(() => undefined); // a step that fails leaves its VM where it is, as a driver's does
    this.#under.add(watched);
    void watched.finally(() => this.#under.delete(watched));
  }

  #wait(ms: number): Promise<void> {
    return delay(ms, undefined, { signal: this.#end.signal });
  }
}

const vnc = (vm: Vm): [string, string][] => [['LISTEN', listen(vm)]];

function listen(vm: Vm): string {
  const graphics = vm.template.get('GRAPHICS')?.[0];
  return (typeof graphics === 'object' && graphics.get('LISTEN')) || '0.0.0.0';
}
