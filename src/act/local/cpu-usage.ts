// How busy the processes of VMs are.
import type { ProvidedVm } from '../provider.ts';
import { cpuTimeMs } from './process-info.ts';

const LOOK_MS = 5_000;

export class CpuUsage {
  /** `since` by a clock that nobody sets. */
  readonly #looks = new Map<string, { at: number; since: number; cpuMs: number; percent?: number }>();

  /** CPU since the last look in per cent of what it may use, at most every LOOK_MS. */
  of(id: string, pid: number, cores: number): ProvidedVm['monitoring'] {
    if (cores >= 2) return undefined; // the first of several processes tells little
    const [at, since] = [Date.now(), performance.now()];
    const last = this.#looks.get(id);
    if (last === undefined || since - last.since >= LOOK_MS) {
      const cpuMs = cpuTimeMs(pid);
      if (cpuMs === undefined) return undefined;
      // 500 ms used in 5 s with 0.25 cores: 500 / (5000 × 0.25) = 40 %
      const percent = last && Math.min(100, ((cpuMs - last.cpuMs) / ((since - last.since) * cores)) * 100);
      this.#looks.set(id, { at, since, cpuMs, ...(percent !== undefined && { percent }) });
    }
    const { at: sampledAt, percent } = this.#looks.get(id) ?? {};
    return sampledAt === undefined || percent === undefined ? undefined : { at: sampledAt, cpu: percent };
  }

  forget(id: string): void {
    this.#looks.delete(id);
  }
}
