// The runs of an experiment once more, on the simulator: same policy, load and boot times, the measured VM.
import { setImmediate as quiet } from 'node:timers/promises';
import { createProfile, isProfileName } from '../../loadgen/profiles/index.ts';
import type { Run } from '../../loadgen/report/raw.ts';
import type { Simulated } from '../../loadgen/report/results.ts';
import { SELECTORS } from '../balance/selectors/index.ts';
import { parseConfig } from '../config/load.ts';
import { simulate, type VmModel } from '../simulate/simulate.ts';

/** One for each policy and load; recorded traces are left out. */
export async function simulateRuns(runs: readonly Run[], vm: VmModel): Promise<readonly Simulated[]> {
  const simulated = new Map<string, Simulated>();
  for (const { info } of runs) {
    const { policy, profile, load } = info;
    const key = `${policy} ${profile}`;
    if (simulated.has(key) || !isProfileName(load.profile)) continue;
    const { elasticity, gateway } = parseConfig(info.config, `the configuration of ${info.name}`);
    const alike = runs.filter((run) => run.info.policy === policy && run.info.profile === profile);
    const { timeline, measures } = await simulate({
      load: loadOf(load, createProfile(load.profile, { max: load.max, duration: load.duration })),
      duration: load.duration,
      parameters: elasticity,
      vm,
      objective: info.objective,
      bootMs: meanOf(alike.flatMap(({ info }) => info.bootTimes)) ?? BOOT_MS,
      selector: SELECTORS[gateway.selector],
      queueCapacity: gateway.queue.capacity,
      queueDeadlineMs: gateway.queue.deadline,
      ...(gateway.perVm !== 'auto' && { perVm: gateway.perVm }),
      seed: info.seed,
      quiet,
    });
    simulated.set(key, { policy, profile, timeline, measures });
  }
  return [...simulated.values()];
}

/** Where no VM served from its boot on. */
const BOOT_MS = 10_000;

function loadOf({ drive, step, thinkTime }: Run['info']['load'], at: (t: number) => number) {
  if (drive === 'bursts') return { kind: drive, at, stepMs: step } as const;
  return drive === 'closed' ? ({ kind: drive, at, thinkMs: thinkTime } as const) : ({ kind: drive, at } as const);
}

const meanOf = (values: readonly number[]): number | undefined =>
  values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
