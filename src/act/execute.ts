// Does what the plan says: one executor for each kind of step.
import { messageOf, type MmeliotError } from '../errors.ts';
import type { Address } from '../model.ts';
import type { Provider } from './provider.ts';
import type { Result, Step, StepOf } from './step.ts';

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

/** A kind of step without an executor does not compile. */
const executors: { readonly [K in Step['kind']]: (step: StepOf<K>, ports: Ports) => Promise<Result> } = {
  async allocate({ mark, offer, maxPrice }, { provider }) {
    const wanted = { ...(offer && { offer }), ...(maxPrice !== undefined && { maxPrice }) };
    return { ok: true, id: await provider.allocate({ mark, ...wanted }) };
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
  async withdraw({ id }, { gateway }) {
    await gateway.remove(id);
    return { ok: true };
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
    const { code } = (error ?? {}) as Partial<MmeliotError>;
    const said = {
      ...(code === 'PROVIDER_REFUSED' && { refused: true }),
      ...(code === 'NO_CAPACITY' && { full: true }),
    };
    return { ok: false, message: sentenceOf(error), ...(said as Pick<Result, 'refused' | 'full'>) };
  }
}

/** One sentence; errors of ours carry it already. */
function sentenceOf(error: unknown): string {
  const message = messageOf(error);
  const known = error instanceof Error && (error as Partial<MmeliotError>).code !== undefined;
  return known ? message : `It failed: ${message}`;
}
