// Provider: VMs of an OpenNebula cloud, with an ordinary user's rights. The front end is the truth: what we need to
// remember of a VM (group, mark, "to be released") stands in its USER_TEMPLATE and outlives the manager.
import {
  onceByMark,
  roleVariable,
  type AllocationRequest,
  type ProvidedVm,
  type Provider,
} from '../src/act/provider.ts';
import { MmeliotError } from '../src/errors.ts';
import type { Millis } from '../src/model.ts';
import { createAsked } from './asked.ts';
import { createClient, type ClientOptions, type OpenNebulaClient } from './client.ts';
import { isKind } from './error.ts';
import { templateOffers, type TemplateOffer } from './offers.ts';
import { callXml, readOwnVms, readTemplate } from './reading.ts';
import { createReleases } from './releases.ts';
import { attribute, literalsOf, mergeContext, vector } from './documents/template.ts';
import {
  GROUP,
  hangs,
  MARK,
  OFFER_OF,
  provided,
  readMonitoring,
  readVm,
  type OneVm,
  type Reading,
} from './documents/vm.ts';
import { child, children, text, type XmlElement } from './documents/xml-rpc.ts';

export interface OpenNebulaOptions extends ClientOptions {
  /** The elastic group's name: the mark by which its VMs are told from all others. */
  readonly group: string;
  /** What these VMs are, in their names and labels. Default epcis. */
  readonly role?: string;
  /** The VM template, by id or by name. */
  readonly template: number | string;
  /** Templates with market and price, where there are several; default: the template, on demand. */
  readonly offers?: readonly TemplateOffer[];
  /** Context variables for each VM, beside MMELIOT_VM_ID, MMELIOT_GROUP and MMELIOT_LISTEN, which are set here. */
  readonly context: Readonly<Record<string, string>>;
  /** The port that the service on a VM listens on. Default 8080. */
  readonly port?: number;
  /** Where a VM's address comes from: NIC_ID, or the network's name. Default 0, the first NIC. */
  readonly nic?: number | string;
  /** Which address is used where the NIC has both kinds. Default ipv4. */
  readonly addresses?: 'ipv4' | 'ipv6';
  /** A VM that waits longer than this for a host has failed: longer than a driver that hangs keeps it waiting (300 s). Default 360 000. */
  readonly placementMs?: Millis;
  /** A VM that waits for a host, or is started by it, for longer than this gets a note. Default 60 000. */
  readonly slowMs?: Millis;
  /** A VM that leaves for longer than this gets a note for the operator, and is switched off. Default 180 000. */
  readonly leaveMs?: Millis;
  /** A release that had no effect is asked for again after this. Default 30 000. */
  readonly releaseAgainMs?: Millis;
  /** How often monitoring is read: as often as a stock front end has news, since each call costs it its whole table. Default 30 000. */
  readonly monitoringMs?: Millis;
  /** How long a VM whose `instantiate` had no answer is looked for. Default 10 000. */
  readonly lostAnswerMs?: Millis;
  /** How long after an `instantiate` that nobody answered in time its VM may still come: nobody asks for another one meanwhile. Default 120 000. */
  readonly doubtMs?: Millis;
}

export interface OpenNebulaDeps {
  readonly now: () => Millis;
  readonly sleep: (ms: Millis) => Promise<void>;
  /** Told each value of a template's own CONTEXT before it is sent back: OpenNebula may quote it. */
  readonly learn?: (secret: string) => void;
}

export interface OpenNebulaProvider extends Provider {
  close(): Promise<void>;
}

export function createOpenNebulaProvider(options: OpenNebulaOptions, deps: OpenNebulaDeps): OpenNebulaProvider {
  const client = createClient(options);
  const view = {
    nic: options.nic ?? 0,
    addresses: options.addresses ?? 'ipv4',
    port: options.port ?? 8080,
    placementMs: options.placementMs ?? 360_000,
    slowMs: options.slowMs ?? 60_000,
    leaveMs: options.leaveMs ?? 180_000,
  };
  const times = { againMs: options.releaseAgainMs ?? 30_000, leaveMs: view.leaveMs };
  const releases = createReleases(client, times, deps.now);
  const monitoring = createMonitoring(client, options.monitoringMs ?? 30_000, deps.now);
  const offers = templateOffers(client, options.offers ?? [], options.template);
  const asked = createAsked(options.doubtMs ?? 120_000, deps.now);
  let sightings: ReadonlyMap<string, Sighting> = new Map();

  function learnFrom(context: XmlElement | undefined): void {
    for (const literal of literalsOf(context)) deps.learn?.(literal);
  }

  async function vmsOfGroup(): Promise<readonly OneVm[]> {
    const pool = await readOwnVms(client);
    return children(pool, 'VM').flatMap((element) => {
      const vm = readVm(element);
      if (vm.group !== options.group || vm.phase === 'done' || !isId(vm.id)) return [];
      if (vm.mark !== undefined) asked.forget(vm.mark);
      // why it failed, or waits, may quote the CONTEXT that another process has sent, before a restart
      if (vm.error !== undefined || vm.schedulerMessage !== undefined) learnFrom(child(element, 'TEMPLATE', 'CONTEXT'));
      return [vm];
    });
  }

  async function list(): Promise<readonly ProvidedVm[]> {
    const vms = await vmsOfGroup();
    const readings = await monitoring(vms.some((vm) => vm.phase === 'running'));
    const now = deps.now();
    sightings = new Map(vms.map((vm) => [vm.id, see(vm, sightings.get(vm.id), now)]));
    const inPhaseMs = (vm: OneVm): Millis => now - (sightings.get(vm.id)?.since ?? now);
    await releases.carryOn(vms, inPhaseMs);
    const hanging = vms.find((vm) => hangs(vm, view, inPhaseMs(vm)))?.id;
    return vms.map((vm) => {
      const offer = offers.named(vm.offer);
      const seen = provided(vm, view, inPhaseMs(vm), readings.get(vm.id), hanging);
      const shown = offer === undefined ? seen : { ...seen, offer };
      const refusal = vm.toBeReleased ? releases.refused.get(vm.id) : undefined;
      if (refusal !== undefined) return { ...shown, note: refusal };
      const why = releases.switchedOff.get(vm.id);
      if (why !== undefined && (vm.state !== 'EPILOG' || shown.note === undefined))
        return { ...shown, note: `${why}; it is switched off (${vm.state}).` };
      return isDouble(vm, vms) && shown.state !== 'releasing'
        ? { ...shown, state: 'failed', note: `An older VM has the same mark, ${vm.mark}.` }
        : shown;
    });
  }

  async function find(mark: string): Promise<string | undefined> {
    const found = (await vmsOfGroup()).filter((vm) => vm.mark === mark);
    return found.find((vm) => !isDouble(vm, found))?.id;
  }

  async function allocate({ mark, offer, role, environment }: AllocationRequest): Promise<string> {
    const existing = (await find(mark)) ?? asked.made(mark);
    if (existing !== undefined) return existing;
    const doubt = asked.doubt(mark);
    if (doubt !== undefined) return lookForLost(mark, doubt);
    const template = await readTemplate(client, offers.templateOf(offer?.id));
    const content = child(template, 'TEMPLATE');
    learnFrom(child(content, 'CONTEXT'));
    const extra = extraAttributes(
      {
        ...options,
        ...(role !== undefined && { role }),
        context: { ...options.context, ...roleVariable(role), ...environment },
      },
      ...([view.port, mark, content, offer?.id] as const),
    );
    const id = Number(text(template, 'ID'));
    asked.isInDoubt(mark, 'it is being asked for.');
    try {
      // for people; the whole mark is an attribute
      const name = `${options.group}-${role ?? roleOf(options)}-${mark.replace(`${role}-`, '').slice(0, 8)}`;
      const made = String(await client.call('one.template.instantiate', id, name, false, extra, false));
      if (!isId(made)) return await lookForLost(mark, `"${made.slice(0, 40)}" is no VM's number.`);
      asked.isMade(mark, made);
      return made;
    } catch (error) {
      if (isKind(error, 'late')) {
        asked.isInDoubt(mark, error.sentence);
        return await lookForLost(mark, error.sentence);
      }
      asked.forget(mark);
      if (isKind(error, 'no-answer', 'malformed', 'too-large')) return lookForLost(mark, error.sentence);
      // a follower says so, too, of what its leader has carried out
      if (isKind(error, 'internal', 'replication')) return lookForLost(mark, error.sentence, error);
      throw error;
    }
  }

  /** The answer to `instantiate` never came, or is none: the VM may exist, now or in a moment. Never instantiate again here. */
  async function lookForLost(mark: string, why: string, refusal?: MmeliotError): Promise<string> {
    const deadline = deps.now() + (options.lostAnswerMs ?? 10_000);
    for (;;) {
      const id = await find(mark).catch(() => undefined);
      if (id !== undefined) return id;
      if (deps.now() >= deadline) break;
      await deps.sleep(1_000);
    }
    if (refusal !== undefined) throw refusal;
    throw new MmeliotError(
      'PROVIDER_FAILED',
      `OpenNebula did not answer whether it allocates a VM, and none appeared; it is looked for again before the next one. (${why})`,
    );
  }

  return {
    name: 'opennebula',
    list,
    offers: () => offers.all(),
    allocate: onceByMark(allocate),
    release(id) {
      asked.forgetVm(id);
      return releases.ask(id);
    },
    mayCome: () => asked.anyInDoubt(),
    close: () => client.close(),
  };
}

interface Sighting {
  readonly stage: string;
  readonly since: Millis;
}

/** Since when we have seen the VM in its phase, by our own clock: the front end's may differ. */
function see(vm: OneVm, before: Sighting | undefined, now: Millis): Sighting {
  const stage = `${vm.phase === 'leaving' ? vm.state : vm.phase}${vm.toBeReleased ? ', to be released' : ''}`;
  return before?.stage === stage ? before : { stage, since: now };
}

const isId = (id: string): boolean => /^\d+$/.test(id);

/** Of several VMs with one mark (an answer lost, and asked again too early) the oldest counts. */
function isDouble(vm: OneVm, vms: readonly OneVm[]): boolean {
  return vm.mark !== undefined && vms.some((other) => other.mark === vm.mark && Number(other.id) < Number(vm.id));
}

/**
 * One call for all VMs, not more often than there is news; without an answer the last one stands. Of the front end's clock, which
 * may differ from ours, it only counts by how much a record is older than the newest one, which is taken to be of now.
 */
function createMonitoring(client: OpenNebulaClient, everyMs: Millis, now: () => Millis) {
  let readings: ReadonlyMap<string, Reading & { readonly written: Millis }> = new Map();
  let readAt = -Infinity;
  return async (anyRuns: boolean): Promise<ReadonlyMap<string, Reading>> => {
    if (!anyRuns || now() - readAt < everyMs) return readings;
    readAt = now();
    try {
      const read = readMonitoring(await callXml(client, 'one.vmpool.monitoring', -3, 0));
      const newest = Math.max(...[...read.values()].map(({ at }) => at));
      const before = readings;
      readings = new Map(
        [...read].map(([id, { at, cpu }]) => {
          const known = before.get(id);
          return [id, known?.written === at ? known : { at: now() - (newest - at), cpu, written: at }];
        }),
      );
    } catch {
      // the pool call beside it says what is wrong
    }
    return readings;
  };
}

const roleOf = ({ role = 'epcis' }: OpenNebulaOptions): string => role;

/** What `instantiate` gets beside the template: the marks, and LABELS and CONTEXT that replace the template's. */
function extraAttributes(
  options: OpenNebulaOptions,
  port: number,
  mark: string,
  template: XmlElement | undefined,
  offer: string | undefined,
): string {
  const own = { MMELIOT_GROUP: options.group, MMELIOT_LISTEN: `[::]:${port}`, ...options.context };
  const context = mergeContext(child(template, 'CONTEXT'), own, { MMELIOT_VM_ID: '$VMID' }); // OpenNebula puts the id in
  const label = `mmeliot/${options.group}/${roleOf(options)}`; // a tree in Sunstone
  const labels = attribute('LABELS', [text(template, 'LABELS'), label].filter(Boolean).join(','));
  const bought = offer === undefined ? [] : [attribute(OFFER_OF, offer)];
  const marks = [attribute(GROUP, options.group), attribute(MARK, mark), ...bought];
  return [labels, ...marks, vector('CONTEXT', context)].join('\n');
}
