// The nodes of a simulated cloud, on virtual time: workers boot for a while, and are gone with their node.
import type { Address, Millis } from '../model.ts';
import { REFUSALS, type NodeDoor, type NodeReport, type Order, type WorkerOrder } from '../packing/orders.ts';

interface SimulatedWorker extends WorkerOrder {
  readonly port: number;
  readonly createdAt: Millis;
  readonly readyAt: Millis;
}

const NOTHING_REFUSED = Object.fromEntries(REFUSALS.map((refusal) => [refusal, 0])) as NodeReport['refused'];

export class SimulatedNodes implements NodeDoor {
  readonly #bootMs: Millis;
  readonly #now: () => Millis;
  readonly #isUp: (address: Address) => boolean;
  #ports = 1_023;
  /** By node. */
  readonly #workers = new Map<string, Map<string, SimulatedWorker>>();

  constructor(bootMs: Millis, now: () => Millis, isUp: (address: Address) => boolean) {
    this.#bootMs = bootMs;
    this.#now = now;
    this.#isUp = isUp;
  }

  async ask({ mark, address }: Parameters<NodeDoor['ask']>[0], order: Order): Promise<NodeReport> {
    if (!this.#isUp(address)) throw new Error('The node does not answer.');
    const workers = this.#workers.get(mark) ?? new Map<string, SimulatedWorker>();
    this.#workers.set(mark, workers);
    const now = this.#now();
    if (order.what === 'stop') workers.delete(order.mark);
    if (order.what === 'start' && !workers.has(order.worker.mark))
      workers.set(order.worker.mark, {
        ...order.worker,
        port: ++this.#ports,
        createdAt: now,
        readyAt: now + this.#bootMs,
      });
    return {
      at: now,
      refused: NOTHING_REFUSED,
      workers: Array.from(workers.values(), ({ mark: its, id, size, createdAt, readyAt, port }) => ({
        ...{ mark: its, id, size, createdAt },
        ...(now >= readyAt ? { state: 'running', port } : { state: 'pending' }),
      })),
    };
  }

  /** Workers (by id) on nodes whose workers serve. */
  isReady(id: string): boolean {
    for (const workers of this.#workers.values())
      for (const worker of workers.values()) if (worker.id === id) return this.#now() >= worker.readyAt;
    return false;
  }

  forget(mark: string): void {
    this.#workers.delete(mark);
  }

  /** The node is no more; returns whom it carried. */
  lose(mark: string): readonly string[] {
    const workers = [...(this.#workers.get(mark)?.values() ?? [])];
    this.#workers.delete(mark);
    return workers.map(({ id }) => id);
  }
}
