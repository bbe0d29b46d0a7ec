// Workers on simulated nodes: the production packing on virtual time, and what it took of machines.
import { PackedProvider } from '../packing/packed-provider.ts';
import type { PackingState } from '../packing/state.ts';
import type { Millis } from '../model.ts';
import type { SimulatedCloud } from './simulated-cloud.ts';
import { SimulatedNodes } from './simulated-nodes.ts';

export interface PackingSettings {
  /** Workers that fit on a node. */
  readonly perNode: number;
  /** False: only nodes that carry nothing are given back. */
  readonly moves: boolean;
}

export interface PackingOutcome {
  readonly nodeHours: number;
  /** What nodes would have done that were always full: worker-hours ÷ workers that fit on one. */
  readonly boundHours: number;
  /** What whole nodes would have done that are there at once, and gone at once: never more than one that isn't full. */
  readonly wholeHours: number;
  /** Workers that were moved, and most nodes that there were. */
  readonly moves: number;
  readonly most: number;
}

/** From starting a worker on a node that is up until it serves. */
const WORKER_BOOT_MS = 5_000;
const MOVE_AGAIN_MS = 30_000;
const HOUR = 3_600_000;

interface Surroundings {
  readonly cloud: SimulatedCloud;
  readonly now: () => Millis;
  readonly nodeBootMs: Millis;
  readonly drainMs: Millis;
  /** Another worker in the place of this one. */
  readonly move: (worker: string) => void;
}

export class SimulatedPacking {
  readonly provider: PackedProvider;
  readonly #cloud: SimulatedCloud;
  readonly #nodes: SimulatedNodes;
  readonly #perNode: number;
  readonly #asked = new Map<string, Millis>();
  readonly #moved = new Set<string>();
  #marks = 0;
  #nodeMs = 0;
  #workerMs = 0;
  #wholeMs = 0;
  #most = 0;

  constructor({ perNode, moves }: PackingSettings, around: Surroundings) {
    const { cloud, now, nodeBootMs, drainMs } = around;
    this.#cloud = cloud;
    this.#perNode = perNode;
    const size = { name: `of ${perNode}`, vcpu: perNode };
    cloud.market = { offers: [{ id: 'node', size, market: 'on-demand', pool: 'node', price: 1 }] };
    this.#nodes = new SimulatedNodes(WORKER_BOOT_MS, now, ({ host }) => cloud.isReady(host));
    let kept: PackingState | undefined;
    this.provider = new PackedProvider({
      ...{ inner: cloud, door: this.#nodes, now, steady: now },
      store: { load: () => Promise.resolve(kept), save: (state) => Promise.resolve(void (kept = state)) },
      sizeOf: () => ({ cpu: 1, memoryBytes: 0 }),
      costs: () => ({ nodeBootMs, workerBootMs: WORKER_BOOT_MS, drainMs, pools: 1, moves }),
      nodeDeadlineMs: 10 * nodeBootMs + 120_000,
      newMark: () => String(++this.#marks),
      newKey: () => '',
      tellWorker: () => ({}),
      tellNode: () => ({}),
      move: ({ id }) => {
        if (now() - (this.#asked.get(id) ?? -Infinity) < MOVE_AGAIN_MS) return;
        this.#asked.set(id, now());
        this.#moved.add(id);
        around.move(id);
      },
    });
  }

  /** Workers that exist. */
  get size(): number {
    return this.provider.state.workers.size;
  }

  /** No node is being emptied. */
  get isSettled(): boolean {
    return [...this.provider.state.nodes.values()].every(
      ({ draining, releasing }) => draining === undefined && !releasing,
    );
  }

  isReady(worker: string): boolean {
    return this.#nodes.isReady(worker);
  }

  /** Workers of nodes (by id) that have crashed. */
  lost(nodes: readonly string[]): readonly string[] {
    const marks = [...this.provider.state.nodes.values()].filter(({ id = '' }) => nodes.includes(id));
    return marks.flatMap(({ mark }) => this.#nodes.lose(mark));
  }

  advance(ms: Millis): void {
    const nodes = this.#cloud.size;
    this.#nodeMs += nodes * ms;
    this.#workerMs += this.size * ms;
    this.#wholeMs += Math.ceil(this.size / this.#perNode) * ms;
    this.#most = Math.max(this.#most, nodes);
  }

  /** What was until now is not counted. */
  begin(): void {
    this.#nodeMs = this.#workerMs = this.#wholeMs = this.#most = 0;
    this.#moved.clear();
  }

  get outcome(): PackingOutcome {
    const boundHours = this.#workerMs / HOUR / this.#perNode;
    const hours = { nodeHours: this.#nodeMs / HOUR, boundHours, wholeHours: this.#wholeMs / HOUR };
    return { ...hours, moves: this.#moved.size, most: this.#most };
  }
}
