// The emulated EC2: its instances, how they get from state to state, and who takes the interruptible ones away.
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Machine } from '../../src/act/local/machine-room.ts';
import { NO_FAULTS, type Faults } from './faults.ts';
import { Inventory, type InstanceType, type Subnet } from './inventory.ts';
import type { MachineRoom } from './machine-room.ts';
import { Market, type MarketOptions } from './market.ts';
import { startMetadata, type Metadata } from './metadata.ts';
import { Refusal } from './refusal.ts';

export interface CloudOptions extends MarketOptions {
  /** Availability zones, each with a default subnet. Default us-east-1a, b and e. */
  readonly zones?: readonly string[];
  /** An account as it is given: no launch template. */
  readonly empty?: boolean;
  /** From RunInstances until the machine is started, and how long an end takes beside the machine's own. Default 2 s, 1 s. */
  readonly bootMs?: number;
  readonly shutdownMs?: number;
  /** How long before it is taken an instance is told so. Default 120 000. */
  readonly noticeMs?: number;
  /** How often prices are looked at. Default 1 000. */
  readonly marketMs?: number;
  /** Terminated instances are shown for so long. Default an hour. */
  readonly rememberMs?: number;
}

export const STATES = {
  pending: 0,
  running: 16,
  'shutting-down': 32,
  terminated: 48,
  stopping: 64,
  stopped: 80,
} as const;

export interface Reason {
  readonly code: string;
  readonly message: string;
}

export interface Spot {
  readonly request: string;
  readonly maxPrice: number;
  status: { readonly code: string; readonly at: number };
}

export interface Instance {
  readonly id: string;
  readonly type: InstanceType;
  readonly subnet: Subnet;
  readonly imageId: string;
  readonly launchedAt: number;
  readonly userData: string;
  readonly clientToken: string | undefined;
  readonly tags: Map<string, string>;
  readonly spot: Spot | undefined;
  state: keyof typeof STATES;
  reason?: Reason;
  /** When it is taken away. */
  noticeAt?: number;
  endedAt?: number;
  machine?: Machine;
  metadata?: Metadata;
}

export interface Launch extends Pick<Instance, 'type' | 'subnet' | 'imageId' | 'userData' | 'clientToken' | 'tags'> {
  readonly maxPrice: number | undefined;
}

/** Why a spot instance is taken; both are also the status that its request has then. */
export type Cause = 'instance-terminated-by-price' | 'instance-terminated-no-capacity';

export const poolOf = ({ type, subnet }: Pick<Instance, 'type' | 'subnet'>): string => `${subnet.zone}/${type.name}`;
const newId = (kind: string): string => `${kind}-${randomBytes(9).toString('hex').slice(0, 17)}`;

export class Cloud {
  readonly instances = new Map<string, Instance>();
  readonly inventory: Inventory;
  readonly market: Market;
  faults: Faults = NO_FAULTS;
  readonly #room: MachineRoom;
  readonly #options: CloudOptions;
  readonly #end = new AbortController();
  readonly #under = new Set<Promise<void>>();

  constructor(room: MachineRoom, options: CloudOptions) {
    this.#room = room;
    this.#options = options;
    this.inventory = new Inventory(options.zones ?? ['us-east-1a', 'us-east-1b', 'us-east-1e'], options.empty === true);
    this.market = new Market(options, Date.now());
    this.#background(this.#watchMarket());
  }

  price(type: InstanceType, zone: string): number {
    return this.market.price(`${zone}/${type.name}`, type.onDemand, Date.now());
  }

  /** Instances that Describe shows already. */
  get visible(): readonly Instance[] {
    const now = Date.now();
    const { rememberMs = 3_600_000 } = this.#options;
    for (const { id, endedAt } of this.instances.values())
      if (endedAt !== undefined && now - endedAt > rememberMs) this.instances.delete(id);
    return [...this.instances.values()].filter(({ launchedAt }) => now - launchedAt >= this.faults.invisibleMs);
  }

  launch({ maxPrice, ...rest }: Launch): Instance {
    const request = maxPrice === undefined ? undefined : newId('sir').slice(0, 12);
    const now = Date.now();
    this.#refuseWithoutRoom(rest, maxPrice);
    const instance: Instance = {
      ...rest,
      id: newId('i'),
      launchedAt: now,
      state: 'pending',
      spot:
        request === undefined || maxPrice === undefined
          ? undefined
          : { request, maxPrice, status: { code: 'fulfilled', at: now } },
    };
    this.instances.set(instance.id, instance);
    this.#background(this.#boot(instance));
    return instance;
  }

  #refuseWithoutRoom(wanted: Pick<Launch, 'type' | 'subnet'>, maxPrice: number | undefined): void {
    const pool = poolOf(wanted);
    const market = maxPrice === undefined ? 'on-demand' : 'spot';
    const { noCapacity, noSpotRole, spotLimit } = this.faults;
    if (noSpotRole && market === 'spot')
      throw new Refusal(
        'AuthFailure.ServiceLinkedRoleCreationNotPermitted',
        'The provided credentials do not have permission to create the service-linked role for EC2 Spot Instances.',
        403,
      );
    const without = noCapacity.split(',').map((each) => each.trim());
    if (['*', pool, `${pool}/${market}`, `*/${market}`].some((each) => without.includes(each)))
      throw new Refusal(
        'InsufficientInstanceCapacity',
        `We currently do not have sufficient ${wanted.type.name} capacity in the Availability Zone you requested (${wanted.subnet.zone}).`,
        500,
      );
    if (maxPrice === undefined) return;
    const price = this.price(wanted.type, wanted.subnet.zone);
    if (maxPrice < price)
      throw new Refusal(
        'SpotMaxPriceTooLow',
        `Your Spot request price of ${maxPrice} is lower than the minimum required Spot request fulfillment price of ${price}.`,
      );
    const open = [...this.instances.values()].filter(({ spot, endedAt }) => spot && endedAt === undefined).length;
    if (spotLimit > 0 && open >= spotLimit)
      throw new Refusal('MaxSpotInstanceCountExceeded', 'Max spot instance count exceeded');
  }

  terminate(instance: Instance): void {
    if (instance.state === 'terminated' || instance.state === 'shutting-down') return;
    if (instance.spot) instance.spot.status = { code: 'instance-terminated-by-user', at: Date.now() };
    this.#leave(instance, USER_INITIATED, 'stop');
  }

  /** The instance will be taken then: it is told so, unless notices are lost. */
  interrupt(instance: Instance, cause: Cause = 'instance-terminated-no-capacity', at = this.#afterNotice()): void {
    const { spot } = instance;
    if (spot === undefined || instance.noticeAt !== undefined || !LIVE.has(instance.state)) return;
    if (this.faults.noNotice) return this.take(instance, cause);
    instance.noticeAt = at;
    // who reads the mark's time adds two minutes to it, however short notices are here
    spot.status = { code: 'marked-for-termination', at: at - NOTICE_MS };
    this.#background(
      this.#wait(at - Date.now()).then(() => {
        if (instance.noticeAt === at && LIVE.has(instance.state)) this.take(instance, cause);
      }),
    );
  }

  #afterNotice(): number {
    return Date.now() + (this.#options.noticeMs ?? NOTICE_MS);
  }

  /** It may stay after all. */
  withdraw(instance: Instance): void {
    delete instance.noticeAt;
    if (instance.spot) instance.spot.status = { code: 'fulfilled', at: Date.now() };
  }

  /** Its power is cut. */
  take(instance: Instance, cause: Cause = 'instance-terminated-no-capacity'): void {
    if (instance.spot) instance.spot.status = { code: cause, at: Date.now() };
    this.#leave(instance, TAKEN, 'kill');
  }

  async close(): Promise<void> {
    this.#end.abort();
    await Promise.race([Promise.allSettled(this.#under), delay(5_000, undefined, { ref: false })]);
    await Promise.allSettled([...this.instances.values()].map((instance) => this.#switchOff(instance, 'stop')));
  }

  async #boot(instance: Instance): Promise<void> {
    await this.#wait((this.#options.bootMs ?? 2_000) + this.faults.slowBootMs);
    if (instance.state !== 'pending') return;
    try {
      if (this.faults.bootFailure) throw new Error('The root volume could not be attached.');
      instance.metadata = await startMetadata(
        {
          id: instance.id,
          type: instance.type.name,
          zone: instance.subnet.zone,
          spot: instance.spot !== undefined,
          userData: instance.userData,
          notice: () => (this.faults.silentMetadata ? undefined : instance.noticeAt),
        },
        '127.0.0.1',
      );
      const { id, userData, metadata } = instance;
      instance.machine = await this.#room.start({ id, userData, metadata: metadata.url });
    } catch (error) {
      const message = `Server.InternalError: ${(error as Error).message}`;
      return this.#leave(instance, { code: 'Server.InternalError', message }, 'stop');
    }
    // it was ended while it started
    if (instance.state !== 'pending' || this.#end.signal.aborted) return this.#switchOff(instance, 'kill');
    instance.tags.set('mmeliot:port', String(instance.machine.address.port));
    instance.state = 'running';
  }

  #leave(instance: Instance, reason: Reason, how: 'stop' | 'kill'): void {
    instance.state = 'shutting-down';
    instance.reason = reason;
    const left = async (): Promise<void> => {
      await this.#switchOff(instance, how);
      await this.#wait(this.#options.shutdownMs ?? 1_000);
      instance.state = 'terminated';
      instance.endedAt = Date.now();
    };
    this.#background(left());
  }

  async #switchOff(instance: Instance, how: 'stop' | 'kill'): Promise<void> {
    const { machine, metadata } = instance;
    delete instance.machine;
    delete instance.metadata;
    await machine?.[how]();
    await metadata?.close();
  }

  async #watchMarket(): Promise<void> {
    for (;;) {
      await this.#wait(this.#options.marketMs ?? 1_000);
      for (const instance of this.instances.values())
        if (instance.spot && this.price(instance.type, instance.subnet.zone) > instance.spot.maxPrice)
          this.interrupt(instance, 'instance-terminated-by-price');
    }
  }

  #background(work: Promise<void>): void {
    const watched = work.catch(() => undefined); // a step that fails leaves its instance where it is
    this.#under.add(watched);
    void watched.finally(() => this.#under.delete(watched));
  }

  #wait(ms: number): Promise<void> {
    return delay(ms, undefined, { signal: this.#end.signal });
  }
}

const NOTICE_MS = 120_000;
const LIVE: ReadonlySet<Instance['state']> = new Set(['pending', 'running']);
const USER_INITIATED: Reason = {
  code: 'Client.UserInitiatedShutdown',
  message: 'Client.UserInitiatedShutdown: User initiated shutdown',
};
const TAKEN: Reason = {
  code: 'Server.SpotInstanceTermination',
  message: 'Server.SpotInstanceTermination: Spot instance termination',
};
