// The gateway as the control loop knows it, in front of simulated traffic.
import type { GatewayPort } from '../act/execute.ts';
import type { Millis } from '../model.ts';
import type { TrafficModel } from './traffic-model.ts';

interface Draining {
  readonly vm: string;
  readonly deadline: Millis;
  readonly done: (inTime: boolean) => void;
}

export class SimulatedGateway implements GatewayPort {
  readonly #traffic: TrafficModel;
  readonly #now: () => Millis;
  readonly #serving = new Set<string>();
  #draining: Draining[] = [];

  constructor(traffic: TrafficModel, now: () => Millis) {
    this.#traffic = traffic;
    this.#now = now;
  }

  /** VMs that take requests. */
  get ready(): number {
    return this.#serving.size;
  }

  serves(id: string): boolean {
    return this.#serving.has(id);
  }

  async add(id: string): Promise<void> {
    this.#serving.add(id);
    this.#traffic.add(id);
  }

  drain(id: string, deadlineMs: number): Promise<boolean> {
    this.#serving.delete(id);
    this.#traffic.drain(id);
    if (this.#traffic.isEmpty(id)) return Promise.resolve(true);
    return new Promise((done) => this.#draining.push({ vm: id, deadline: this.#now() + deadlineMs, done }));
  }

  async remove(id: string): Promise<void> {
    this.#serving.delete(id);
    this.#traffic.remove(id);
  }

  crash(id: string): void {
    this.#serving.delete(id);
    this.#traffic.crash(id);
  }

  /** Ends the drains that are over. Returns whether there were any. */
  advance(): boolean {
    if (this.#draining.length === 0) return false;
    const before = this.#draining.length;
    this.#draining = this.#draining.filter(({ vm, deadline, done }) => {
      const empty = this.#traffic.isEmpty(vm);
      if (!empty && this.#now() < deadline) return true;
      done(empty);
      return false;
    });
    return this.#draining.length < before;
  }
}
