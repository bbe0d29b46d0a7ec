// Provider: instances of Amazon EC2. EC2 is the truth: what we need to remember of an instance (group, mark) stands in its
// tags and outlives the manager. Describe lags behind what was accepted by seconds, so for those we remember it here, too.
import { createHash } from 'node:crypto';
import {
  onceByMark,
  roleVariable,
  type AllocationRequest,
  type ProvidedVm,
  type Provider,
} from '../src/act/provider.ts';
import { MmeliotError } from '../src/errors.ts';
import type { Millis, Offer } from '../src/model.ts';
import { createClient, type ClientOptions, type Ec2Client, type Order } from './client.ts';
import { isDouble, isGone, provided, TAGS, type Ec2Instance } from './documents/instance.ts';
import { userData } from './documents/user-data.ts';
import { isInDoubt, isKind, noSpot } from './error.ts';
import { createOffers, type OffersOptions } from './offers.ts';

export interface Ec2Options extends ClientOptions, OffersOptions {
  /** The elastic group's name: the tag by which its VMs are told from all others. */
  readonly group: string;
  /** Which of an instance's addresses the gateway uses. Default private. */
  readonly address?: 'private' | 'public';
  /** The port that the service on a VM listens on. Default 8080. */
  readonly port?: number;
  /** What a VM is told, beside MMELIOT_GROUP and MMELIOT_LISTEN, which are set here; its id it asks of its metadata service. */
  readonly environment: Readonly<Record<string, string>>;
  /** What an instance of an image without mmeliot does first: lines of a shell script. */
  readonly setup?: string;
  /** How often spot requests are looked at for a notice. Default 5 s. */
  readonly noticeMs?: Millis;
  /** For so long Describe may not know what was accepted. Default a minute. */
  readonly lagMs?: Millis;
}

export interface Ec2Provider extends Provider {
  close(): Promise<void>;
}

const LIVE: ReadonlySet<string> = new Set(['pending', 'running']);
/** From the mark of a spot request until the instance is taken. */
const NOTICE_MS = 120_000;

export function createEc2Provider(options: Ec2Options, now: () => Millis): Ec2Provider {
  const client = createClient(options);
  const offers = createOffers(client, options, now);
  const notices = createNotices(client, options.noticeMs ?? 5_000, now);
  const lagMs = options.lagMs ?? 60_000;
  const view = { address: options.address ?? 'private', port: options.port ?? 8080 };
  const script = (role: AllocationRequest['role'], more: AllocationRequest['environment'] = {}) =>
    userData(
      {
        ...{ ...options.environment, MMELIOT_GROUP: options.group, MMELIOT_LISTEN: `[::]:${view.port}` },
        ...{ ...roleVariable(role), ...more },
      },
      options.setup,
    );
  // all at once: what AWS would not take is refused at the start
  for (const role of [undefined, 'query', 'work'] as const) script(role);
  /** Instances that RunInstances named, as they were seen last: for a while one Describe may show them, and the next one not yet. */
  const accepted = new Map<string, { readonly instance: Ec2Instance; readonly at: Millis }>();
  /** Marks of orders of which nobody said whether they were taken, and until when an instance may come of them. */
  const doubts = new Map<string, Millis>();
  /** Instances that were to be released: when that was accepted, or undefined until it could be. */
  const released = new Map<string, Millis | undefined>();
  /** Instances that we have seen before their end: of others, which Describe shows for an hour after it, nobody needs to hear. */
  const known = new Set<string>();

  /** What Describe shows, and what it will. */
  async function instancesOf(tags: Readonly<Record<string, string>>): Promise<readonly Ec2Instance[]> {
    const shown = await client.instances(tags);
    const byId = new Map(shown.map((one) => [one.id, one]));
    for (const { tags: its } of shown) doubts.delete(its.get(TAGS.mark) ?? '');
    const late: Ec2Instance[] = [];
    for (const { instance, at } of accepted.values()) {
      const seen = byId.get(instance.id);
      if (now() - at > lagMs || (seen !== undefined && !LIVE.has(seen.state))) accepted.delete(instance.id);
      else if (seen !== undefined) accepted.set(seen.id, { instance: seen, at });
      else if (Object.entries(tags).every(([name, value]) => instance.tags.get(name) === value)) late.push(instance);
    }
    return [...shown, ...late];
  }

  async function list(): Promise<readonly ProvidedVm[]> {
    const all = await instancesOf({ [TAGS.group]: options.group });
    await releaseLate(all);
    for (const { id, state } of all) if (state !== 'terminated') known.add(id);
    for (const id of known) if (!all.some((one) => one.id === id)) known.delete(id);
    const instances = all.filter(
      (one) => one.state !== 'terminated' || (known.has(one.id) && !released.has(one.id) && !isGone(one)),
    );
    const { interruptAt, trouble } = await notices(instances);
    const live = instances.filter(({ state }) => LIVE.has(state));
    return instances.map((instance): ProvidedVm => {
      const { id, spotRequest, state } = instance;
      const offer = offers.of(instance);
      const at = spotRequest === undefined ? undefined : interruptAt.get(spotRequest);
      const vm = provided(instance, view, { ...(offer && { offer }), ...(at !== undefined && { interruptAt: at }) });
      if (released.has(id)) return { ...vm, state: 'releasing' };
      if (LIVE.has(state) && isDouble(instance, live))
        return { ...vm, state: 'failed', note: `An older VM has the same mark, ${vm.mark}.` };
      return spotRequest !== undefined && trouble !== undefined ? { note: trouble, noticeUnknown: true, ...vm } : vm;
    });
  }

  /** Releases that EC2 could not take because it did not know the instance yet. */
  async function releaseLate(instances: readonly Ec2Instance[]): Promise<void> {
    const present = new Set(instances.map(({ id }) => id));
    for (const [id, at] of released) {
      if (at === undefined)
        await terminate(id).catch(() => undefined); // and again with the next list
      else if (!present.has(id) && now() - at > lagMs) released.delete(id);
    }
  }

  async function find(mark: string): Promise<string | undefined> {
    const instances = await instancesOf({ [TAGS.group]: options.group, [TAGS.mark]: mark });
    const live = instances.filter(({ state }) => LIVE.has(state));
    return live.find((instance) => !isDouble(instance, live))?.id;
  }

  async function allocate({ mark, offer, maxPrice, role, environment }: AllocationRequest): Promise<string> {
    const existing = await find(mark);
    if (existing !== undefined) return existing;
    const { pool, size, market } = offer ?? (await first());
    const zone = pool.slice(0, pool.indexOf('/'));
    const [subnet] = await offers.subnetsIn(zone);
    if (subnet === undefined) throw new MmeliotError('NO_CAPACITY', `ec2.subnets has none in ${zone}.`);
    const tags = { Name: `${options.group}-${mark.slice(0, 8)}`, [TAGS.group]: options.group, [TAGS.mark]: mark };
    const order: Order = {
      template: options.template,
      type: size.name,
      subnet,
      ...(market === 'interruptible' && { spot: { maxPrice } }),
      userData: script(role, environment),
      tags,
    };
    const instance = await client.run(order, tokenOf(order)).catch((error: unknown) => {
      if (isInDoubt(error)) doubts.set(mark, now() + lagMs);
      throw order.spot === undefined ? error : noSpot(error);
    });
    known.add(instance.id);
    accepted.set(instance.id, { instance: { ...instance, tags: new Map(Object.entries(tags)) }, at: now() });
    return instance.id;
  }

  async function first(): Promise<Offer> {
    const [offer] = await offers.all();
    if (offer === undefined) throw new MmeliotError('NO_CAPACITY', 'EC2 offers none of ec2.types.');
    return offer;
  }

  async function terminate(id: string): Promise<void> {
    try {
      await client.terminate(id);
    } catch (error) {
      if (isKind(error, 'InvalidInstanceID.NotFound') && accepted.has(id)) return;
      if (!isKind(error, 'InvalidInstanceID')) throw error;
    }
    released.set(id, now());
  }

  return {
    name: 'ec2',
    list,
    offers: () => offers.all(),
    allocate: onceByMark(allocate),
    async release(id) {
      if (accepted.has(id)) released.set(id, undefined);
      await terminate(id);
    },
    mayCome: () => [...doubts.values()].some((until) => now() <= until),
    close: () => client.close(),
  };
}

/** The same order has the same token: asked again, it makes no second instance. */
const tokenOf = (order: Order): string => createHash('sha256').update(JSON.stringify(order)).digest('hex');

interface Notices {
  /** By the spot request: when its instance will be taken. */
  readonly interruptAt: ReadonlyMap<string, Millis>;
  /** Why nothing new is known. */
  readonly trouble?: string;
}

/** What spot requests say of notices, not more often than `everyMs`; without an answer the last one stands. */
function createNotices(client: Ec2Client, everyMs: Millis, now: () => Millis) {
  let known: Notices = { interruptAt: new Map() };
  let readAt = -Infinity;
  return async (instances: readonly Ec2Instance[]): Promise<Notices> => {
    const hasSpot = instances.some(({ spotRequest, state }) => spotRequest !== undefined && LIVE.has(state));
    if (!hasSpot || now() - readAt < everyMs) return known;
    readAt = now();
    try {
      const marked = [...(await client.spotRequests())].filter(([, { status }]) => status.startsWith('marked-for-'));
      known = { interruptAt: new Map(marked.map(([id, { at }]) => [id, at + NOTICE_MS])) };
    } catch (error) {
      known = { ...known, trouble: (error as Error).message };
    }
    return known;
  };
}
