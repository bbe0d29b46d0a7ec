// One OpenNebula VM, read and understood: its phase becomes a state of the provider port, with a sentence for the operator
// where something is in the way.
import type { ProvidedVm } from '../../src/act/provider.ts';
import type { Millis } from '../../src/model.ts';
import { stateOf, type Phase } from './states.ts';
import { child, children, text, type XmlElement } from './xml-rpc.ts';

/** What we read of one <VM>; the rest of it may be anything. */
export interface OneVm {
  readonly id: string;
  readonly name: string;
  readonly phase: Phase;
  /** OpenNebula's name of the state. */
  readonly state: string;
  readonly createdAt: Millis;
  readonly group: string | undefined;
  readonly mark: string | undefined;
  readonly offer: string | undefined;
  readonly takenAt: Millis | undefined;
  /** Its release was asked for; written on the VM, so that it outlives us. */
  readonly toBeReleased: boolean;
  readonly held: boolean;
  readonly cores: number;
  readonly nics: readonly Nic[];
  readonly port: number | undefined;
  /** Why the scheduler found no host. */
  readonly schedulerMessage: string | undefined;
  readonly error: string | undefined;
  /** The number of what was last done to it, by a user or by the front end itself. */
  readonly lastAction: number;
}

interface Nic {
  readonly id: string | undefined;
  readonly network: string | undefined;
  readonly ipv4: string | undefined;
  readonly ipv6: string | undefined;
}

export const GROUP = 'MMELIOT_GROUP';
export const MARK = 'MMELIOT_MARK';
export const STATE = 'MMELIOT_STATE';
/** The offer that it was made by. */
export const OFFER_OF = 'MMELIOT_OFFER';
/** Somebody says that the VM will be taken away then, in seconds since the epoch. */
const TAKEN_AT = 'MMELIOT_TAKEN_AT';
const PORT = 'MMELIOT_PORT';
export const RELEASING = 'releasing';

export function readVm(element: XmlElement): OneVm {
  const own = child(element, 'USER_TEMPLATE');
  const template = child(element, 'TEMPLATE');
  const state = stateOf(Number(text(element, 'STATE')), Number(text(element, 'LCM_STATE')));
  return {
    id: text(element, 'ID') ?? '',
    name: text(element, 'NAME') ?? '',
    phase: state.phase,
    state: state.name,
    createdAt: (positive(text(element, 'STIME')) ?? 0) * 1000,
    group: text(own, GROUP),
    mark: text(own, MARK),
    offer: text(own, OFFER_OF),
    takenAt: (positive(text(own, TAKEN_AT)) ?? 0) * 1000 || undefined,
    toBeReleased: text(own, STATE) === RELEASING,
    held: state.name === 'HOLD',
    cores: Number(text(template, 'VCPU') ?? 1) || 1,
    nics: ['NIC', 'PCI', 'NIC_ALIAS'].flatMap((name) => children(template, name)).map(readNic),
    port: portOf(text(own, PORT)),
    schedulerMessage: text(own, 'SCHED_MESSAGE'),
    error: text(own, 'ERROR'),
    lastAction: Number(text(children(child(element, 'HISTORY_RECORDS'), 'HISTORY').at(-1), 'ACTION') ?? 0),
  };
}

function positive(written: string | undefined): number | undefined {
  const number = Number(written);
  return number > 0 && number < Infinity ? number : undefined;
}

function portOf(written: string | undefined): number | undefined {
  const port = positive(written) ?? NaN;
  return Number.isInteger(port) && port < 65_536 ? port : undefined;
}

/** What else stands there is asked by nobody, whatever it may be to a URL or a command. */
const IPV4 = /^\d{1,3}(\.\d{1,3}){3}$/;
const IPV6 = /^[\da-f]*:[\da-f:]*(\d{1,3}(\.\d{1,3}){3})?$/i;

const addressOf = (nic: XmlElement, name: string, form: RegExp): string | undefined => {
  const written = text(nic, name);
  return written !== undefined && form.test(written) ? written : undefined;
};

/**
 * An SR-IOV NIC stands under PCI, beside devices that are no NICs and have neither id nor network; a second address of
 * a NIC stands under NIC_ALIAS, with an id and a network of its own.
 */
const readNic = (nic: XmlElement): Nic => ({
  id: text(nic, 'NIC_ID'),
  network: text(nic, 'NETWORK'),
  ipv4: addressOf(nic, 'IP', IPV4),
  // IP6 is a static address, the others are made of a prefix and the MAC; IP6_LINK would need to be told the interface
  ipv6: addressOf(nic, 'IP6', IPV6) ?? addressOf(nic, 'IP6_GLOBAL', IPV6) ?? addressOf(nic, 'IP6_ULA', IPV6),
});

export interface Reading {
  readonly at: Millis;
  /** Per cent of one core. */
  readonly cpu: number;
}

/** The last record of each VM by its id. DONE VMs are among them: look up only those that the pool still shows. */
export function readMonitoring(root: XmlElement): ReadonlyMap<string, Reading> {
  const readings = new Map<string, Reading>();
  for (const record of children(root, 'MONITORING')) {
    const [id, at, cpu] = [text(record, 'ID'), Number(text(record, 'TIMESTAMP')), Number(text(record, 'CPU'))];
    if (id === undefined || !Number.isFinite(at) || !Number.isFinite(cpu)) continue;
    if (at * 1000 > (readings.get(id)?.at ?? 0)) readings.set(id, { at: at * 1000, cpu });
  }
  return readings;
}

/** What the operator's configuration says about reading a VM. */
export interface View {
  /** NIC_ID as a number, or the network's name: where the VM's address comes from. */
  readonly nic: number | string;
  /** Which address is used where the NIC has both kinds. */
  readonly addresses: 'ipv4' | 'ipv6';
  readonly port: number;
  /** A VM that waits for a host for longer than this has failed. */
  readonly placementMs: Millis;
  /** What takes longer than this while it comes up, and while it leaves, is worth a note. */
  readonly slowMs: Millis;
  readonly leaveMs: Millis;
}

/** The VM for the port. `inPhaseMs`: how long we have seen it in its phase. `hanging`: a VM that is in BOOT for long. */
export function provided(
  vm: OneVm,
  view: View,
  inPhaseMs: Millis,
  reading: Reading | undefined,
  hanging?: string,
): ProvidedVm {
  const found = vm.nics.find((nic) =>
    typeof view.nic === 'number' ? nic.id === `${view.nic}` : nic.network === view.nic,
  );
  const host = view.addresses === 'ipv4' ? (found?.ipv4 ?? found?.ipv6) : (found?.ipv6 ?? found?.ipv4);
  const { state, note } = judge(vm, view, inPhaseMs, host !== undefined, hanging);
  return {
    id: vm.id,
    state,
    stage: vm.state,
    createdAt: vm.createdAt,
    ...(state === 'pending' && vm.phase === 'waiting' ? { waiting: true as const } : {}),
    ...(vm.mark === undefined ? {} : { mark: vm.mark }),
    ...(host === undefined ? {} : { address: { host, port: vm.port ?? view.port } }),
    ...(note === undefined ? {} : { note }),
    ...(vm.takenAt === undefined ? {} : { interruptAt: vm.takenAt }),
    // CPU is per cent of one core: 143 on 2 cores is 71.5 of what the VM may use
    ...(reading && vm.phase === 'running'
      ? { monitoring: { at: reading.at, cpu: Math.min(100, Math.max(0, reading.cpu / vm.cores)) } }
      : {}),
  };
}

interface Judgement {
  readonly state: ProvidedVm['state'];
  readonly note?: string;
}

const minutes = (ms: Millis): string => `${Math.round(ms / 6_000) / 10} min`;

/** A driver takes seconds to start a VM; to copy its image may take long (PROLOG). */
export const hangs = (vm: OneVm, view: View, inPhaseMs: Millis): boolean =>
  vm.state === 'BOOT' && inPhaseMs > view.slowMs;

function judge(vm: OneVm, view: View, inPhaseMs: Millis, hasAddress: boolean, hanging?: string): Judgement {
  if (vm.toBeReleased && vm.phase !== 'leaving' && vm.phase !== 'unclean') return releasing(vm, view, inPhaseMs);
  switch (vm.phase) {
    case 'waiting':
      return waiting(vm, view, inPhaseMs, hanging);
    case 'booting':
      return hangs(vm, view, inPhaseMs)
        ? { state: 'pending', note: `It is in BOOT for ${minutes(inPhaseMs)}; its host's driver may hang.` }
        : { state: 'pending' };
    case 'running':
    case 'unseen':
    case 'unknown':
      // a NIC may come while it runs, or be exchanged
      if (!hasAddress)
        return {
          state: 'pending',
          note: `It has no address on NIC ${view.nic}; check opennebula.nic and the template.`,
        };
      return { state: 'running', ...outOfSight(vm) };
    case 'stopped':
      return { state: 'failed', note: whyStopped(vm) };
    case 'broken':
      return { state: 'failed', note: `OpenNebula could not start it (${vm.state}): ${vm.error ?? 'no reason given'}` };
    case 'unclean':
      return { state: 'releasing', note: `Its clean-up failed (${vm.state}); it is asked for again.` };
    case 'leaving':
    case 'done':
      return inPhaseMs <= view.leaveMs
        ? { state: 'releasing' }
        : { state: 'releasing', note: `It is in ${vm.state} for ${minutes(inPhaseMs)}; ${wayOut(vm)}` };
  }
}

function outOfSight({ phase, state }: OneVm): { readonly note?: string } {
  if (phase === 'running') return {};
  const why = phase === 'unseen' ? 'OpenNebula does not know how it is' : 'Here nobody knows what that state means';
  return { note: `${why} (${state}); the health check decides.` };
}

/** Numbers of actions by which a user, and the front end's monitoring, switch a VM off. */
const POWEROFF = [19, 20];
const MONITOR = 44;

function whyStopped({ state, lastAction }: OneVm): string {
  if (state === 'POWEROFF' && lastAction === MONITOR)
    return 'Its guest ended by itself (POWEROFF): it crashed, or was shut down from inside.';
  if (state === 'POWEROFF' && !POWEROFF.includes(lastAction)) return 'It is switched off in OpenNebula (POWEROFF).';
  return `Somebody switched it off in OpenNebula (${state}).`;
}

function waiting(vm: OneVm, view: View, inPhaseMs: Millis, hanging: string | undefined): Judgement {
  const why = whyWaiting(vm, view, inPhaseMs, hanging);
  if (inPhaseMs > view.placementMs)
    return { state: 'failed', note: `It found no host in ${minutes(inPhaseMs)}. ${why ?? ''}`.trim() };
  return why === undefined ? { state: 'pending' } : { state: 'pending', note: why };
}

/** A pass of the scheduler places one VM a host, and says "Dispatch limit reached" to the others of a burst. */
const BURST = /dispatch limit/i;

function whyWaiting(vm: OneVm, view: View, inPhaseMs: Millis, hanging: string | undefined): string | undefined {
  if (vm.held) return 'It is on hold in OpenNebula until somebody releases it there.';
  if (inPhaseMs > view.slowMs && hanging !== undefined)
    return (
      `It waits for a host for ${minutes(inPhaseMs)}: VM ${hanging} is in BOOT, and while a host's driver does not ` +
      'answer OpenNebula places no VM at all. That ends by itself, with stock settings after 5 min.'
    );
  if (vm.schedulerMessage !== undefined && !BURST.test(vm.schedulerMessage))
    return `OpenNebula has no host for it: ${vm.schedulerMessage}`;
  return inPhaseMs > view.slowMs
    ? `OpenNebula's scheduler has not placed it for ${minutes(inPhaseMs)}; onevm show ${vm.id} may say why.`
    : undefined;
}

/** Released by us, yet not on its way: its shutdown failed, or its state does not allow a release now. */
function releasing(vm: OneVm, view: View, inPhaseMs: Millis): Judgement {
  if (inPhaseMs <= view.leaveMs) return { state: 'releasing' };
  return { state: 'releasing', note: `It was released and is in ${vm.state} for ${minutes(inPhaseMs)}; ${wayOut(vm)}` };
}

/** From EPILOG, where a front end was killed in the middle of it, there is none for an ordinary user. */
function wayOut(vm: OneVm): string {
  if (vm.phase === 'booting') return `no release is taken there: it is asked for again until one is, ${orAdmin(vm)}`;
  return vm.phase === 'leaving' && vm.state !== 'SHUTDOWN' ? onlyAdmin(vm) : 'its release is asked for again.';
}

const orAdmin = (vm: OneVm): string => `or an administrator frees it: onevm recover --delete ${vm.id}`;

const onlyAdmin = (vm: OneVm): string =>
  `if it stays so, only an OpenNebula administrator can free it: onevm recover --delete ${vm.id}`;
