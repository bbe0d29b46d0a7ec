// The agents of simulated VMs: once a period a reading of the CPU over the period, which may arrive late.
import type { Millis } from '../model.ts';
import type { ReportSource } from '../monitor/monitor.ts';
import type { TrafficModel } from './traffic-model.ts';

type Report = NonNullable<ReturnType<ReportSource['latest']>>;

interface Agent {
  busyMs: number;
  readAt: Millis;
  /** Newest first. */
  reports: readonly Report[];
}

export class SimulatedAgents implements ReportSource {
  readonly #traffic: TrafficModel;
  readonly #now: () => Millis;
  readonly #delay: Millis;
  readonly #agents = new Map<string, Agent>();

  constructor(traffic: TrafficModel, now: () => Millis, delay: Millis) {
    this.#traffic = traffic;
    this.#now = now;
    this.#delay = delay;
  }

  begin(vm: string): void {
    this.#agents.set(vm, { busyMs: this.#traffic.busyMs(vm) ?? 0, readAt: this.#now(), reports: [] });
  }

  /** Every agent takes a reading. */
  read(): void {
    const at = this.#now();
    for (const [vm, agent] of this.#agents) {
      const busyMs = this.#traffic.busyMs(vm);
      if (busyMs === undefined || at <= agent.readAt) continue;
      const cpu = Math.min(100, (100 * (busyMs - agent.busyMs)) / (at - agent.readAt));
      const sample = { at, cpu, memory: 50, networkIn: 0, networkOut: 0 };
      const kept = agent.reports.filter(({ receivedAt }, i) => i === 0 || receivedAt >= at - this.#delay);
      agent.reports = [{ sample, receivedAt: at + this.#delay }, ...kept];
      agent.busyMs = busyMs;
      agent.readAt = at;
    }
  }

  latest(vm: string): Report | undefined {
    const now = this.#now();
    return this.#agents.get(vm)?.reports.find(({ receivedAt }) => receivedAt <= now);
  }

  forget(vm: string): void {
    this.#agents.delete(vm);
  }
}
