// Does what the plan says: one executor for each kind of step, and what each result makes of the ledger's entry.
import type { MmeliotError } from '../errors.ts';
import type { Address, Millis } from '../model.ts';
import { accepted, backOff, enter, probed, RELEASE_AGAIN_MS, type Entry, type Step } from './plan.ts';
import type { Provider } from './provider.ts';

/** Port: what acting needs of the gateway. Both calls are awaited before anything else happens to the VM. */
export interface GatewayPort {
  /** Requests may go to this VM from now on. Adding a VM that is there is no error. */
  add(id: string, address: Address): Promise<void>;

  /**
   * No new request goes to this VM once the call has been taken; resolves when its last request in flight
   * has ended, or after `deadlineMs` (then `false`: requests were still in flight).
   */
  drain(id: string, deadlineMs: number): Promise<boolean>;

  /** Forgets the VM. Requests still in flight at it are cut off. Unknown ids are no error. */
  remove(id: string): Promise<void>;
}

/** Does the VM answer its readiness check? Resolves false, or rejects, when it doesn't. */
export type ReadinessCheck = (id: string, address: Address) => Promise<boolean>;

export interface Ports {
  readonly provider: Provider;
  readonly gateway: GatewayPort;
  readonly isReady: ReadinessCheck;
}

export interface Result {
  readonly ok: boolean;
  /** For people: what went wrong, or what is worth knowing of a success. */
  readonly message?: string;
  /** The provider's id of an allocated VM. */
  readonly id?: string;
}

type StepOf<K extends Step['kind']> = Extract<Step, { kind: K }>;

/** A kind of step without an executor does not compile. */
const executors: { readonly [K in Step['kind']]: (step: StepOf<K>, ports: Ports) => Promise<Result> } = {
  async allocate({ mark }, { provider }) {
    return { ok: true, id: await provider.allocate({ mark }) };
  },
  async admit({ id, address }, { gateway, isReady }) {
    if (!(await isReady(id, address).catch(() => false))) return { ok: false };
    await gateway.add(id, address);
    return { ok: true };
  },
  async probe({ id, address }, { isReady }) {
    return { ok: await isReady(id, address).catch(() => false) };
  },
  async drain({ id, deadlineMs }, { gateway }) {
    if (await gateway.drain(id, deadlineMs)) return { ok: true };
    return { ok: true, message: `Requests were still in flight after ${deadlineMs / 1000} s and were cut off.` };
  },
  async release({ id }, { gateway, provider }) {
    await gateway.remove(id);
    await provider.release(id);
    return { ok: true };
  },
};

/** Never rejects: a failure is a result, too. */
export async function execute<K extends Step['kind']>(step: StepOf<K>, ports: Ports): Promise<Result> {
  try {
    const executor: (step: StepOf<K>, ports: Ports) => Promise<Result> = executors[step.kind];
    return await executor(step, ports);
  } catch (error) {
    return { ok: false, message: told(error) };
  }
}

/** A booting VM is asked again with the next pass. */
const CHECK_EVERY_MS = 500;

export interface Settling {
  readonly now: Millis;
  readonly bootDeadline: Millis;
  /** Whether the provider's newest list shows the VM. */
  readonly listed: boolean;
}

/** What a step's result makes of its entry. */
const settlers: {
  readonly [K in Step['kind']]: (entry: Entry, step: StepOf<K>, result: Result, settling: Settling) => Entry;
} = {
  allocate: (entry, _step, result, { now, bootDeadline }) =>
    result.ok && result.id !== undefined ? accepted(entry, result.id, now, bootDeadline) : again(entry, result, now),
  admit: (entry, { address }, result, { now }) => {
    if (result.ok && entry.phase === 'ready') return { ...entry, attempts: 0, problem: undefined };
    if (result.ok) return enter(entry, 'ready', now, { address, found: undefined, ...bootTime(entry, now) });
    return result.message === undefined ? { ...entry, retryAt: now + CHECK_EVERY_MS } : again(entry, result, now);
  },
  probe: (entry, _step, result, { now, listed }) => probed(entry, result.ok, listed, now),
  drain: (entry, _step, result, { now }) => (result.ok ? enter(entry, 'releasing', now) : again(entry, result, now)),
  release: (entry, _step, result, { now }) =>
    result.ok ? { ...entry, asked: true, attempts: 0, retryAt: now + RELEASE_AGAIN_MS } : again(entry, result, now),
};

export function settle<K extends Step['kind']>(
  entry: Entry,
  step: StepOf<K>,
  result: Result,
  settling: Settling,
): Entry {
  const settler: (entry: Entry, step: StepOf<K>, result: Result, settling: Settling) => Entry = settlers[step.kind];
  return settler(entry, step, result, settling);
}

/** Measured once: a restarted manager sees VMs come in that booted long ago. */
const bootTime = (entry: Entry, now: Millis): Pick<Entry, 'bootTime'> =>
  entry.bootTime === undefined && !entry.found ? { bootTime: now - entry.since } : {};

/** Later, with the reason kept for the operator. */
function again(entry: Entry, result: Result, now: Millis): Entry {
  const attempts = entry.attempts + 1;
  return { ...entry, attempts, retryAt: now + backOff(attempts), problem: result.message ?? 'It failed.' };
}

/** One sentence; errors of ours carry it already. */
function told(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const known = error instanceof Error && (error as Partial<MmeliotError>).code !== undefined;
  return known ? message : `It failed: ${message}`;
}
