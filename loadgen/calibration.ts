// What one VM can do: measured alone, with growing numbers of clients that never think.
import { mkdir } from 'node:fs/promises';
import { runLoad } from './cli.ts';
import { withSystem, type Settings } from './one-run.ts';
import type { Calibration } from './report/raw.ts';
import { OptionError } from './workload/option-error.ts';

export interface CalibrationOptions {
  /** Works here; leaves the system's log and journal. */
  readonly folder: string;
  readonly program: string;
  readonly config?: string;
  readonly settings: Settings;
  readonly mix: string;
  readonly clients: readonly number[];
  /** ms for each number of clients. */
  readonly duration: number;
  readonly events: number;
  readonly seed: number;
  readonly signal?: AbortSignal;
}

export async function calibrate(options: CalibrationOptions): Promise<Calibration> {
  const { clients, duration, mix, seed, signal } = options;
  await mkdir(options.folder, { recursive: true });
  const settings = { ...options.settings, 'elasticity.min': 1, 'elasticity.max': 1 };
  return withSystem({ ...options, settings }, async (system) => {
    const curve = [];
    for (const count of clients) {
      const { ok, lost, elapsed, latency } = await runLoad({
        ...{ url: system.gateway, profile: 'constant', drive: 'closed', thinkTime: 0, max: count, duration, mix, seed },
        ...(signal && { signal }),
      });
      signal?.throwIfAborted();
      if (ok === 0)
        throw new OptionError(`The VM answered none of ${lost} requests; see ${options.folder}/system.log.`);
      curve.push({ concurrency: count, throughput: (1000 * ok) / elapsed, responseMs: latency.mean });
    }
    return { curve };
  });
}
