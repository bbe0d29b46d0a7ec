// The runs of an experiment once more, on the simulator: same policy, load, boot and release times, the measured VM.
import { setImmediate as quiet } from 'node:timers/promises';
import { createProfile, isProfileName } from '../../../loadgen/profiles/index.ts';
import type { Run } from '../../../loadgen/report/raw.ts';
import type { Simulated } from '../../../loadgen/report/results.ts';
import { SELECTORS } from '../../balance/core/selectors/index.ts';
import { parseConfig } from '../../config/load.ts';
import { simulate, type Load, type VmModel } from '../../simulate/simulate.ts';

/** So often, with different chances, so that the mean hardly depends on chance. */
const TIMES = 6;

/** One for each policy and load. */
export async function simulateRuns(runs: readonly Run[], vm: VmModel): Promise<readonly Simulated[]> {
  const cells = Map.groupBy(runs, ({ info: { policy, profile } }) => `${policy} ${profile}`);
  const simulated: Simulated[] = [];
  for (const alike of cells.values()) {
    const [first] = alike;
    if (first === undefined) continue;
    const times = timesOf(alike);
    const results = [];
    for (let seed = 1; seed <= TIMES; seed++) results.push(await simulateRun(first, vm, times, seed));
    const { policy, profile } = first.info;
    const timelines = results.map(({ timeline }) => timeline);
    simulated.push({ policy, profile, timelines, measures: results.map(({ measures }) => measures) });
  }
  return simulated;
}

function simulateRun(run: Run, vm: VmModel, times: Times, seed: number) {
  const { info } = run;
  const { elasticity, gateway } = parseConfig(info.config, `the configuration of ${info.name}`);
  return simulate({
    load: loadOf(run),
    duration: info.load.duration,
    parameters: elasticity,
    vm,
    objective: info.objective,
    ...times,
    selector: SELECTORS[gateway.selector],
    queueCapacity: gateway.queue.capacity,
    queueDeadlineMs: gateway.queue.deadlineMs,
    perVm: gateway.perVm,
    seed,
    quiet,
  });
}

interface Times {
  readonly bootMs: number;
  readonly releaseMs: number;
}

/** Where no VM served from its boot on. */
const BOOT_MS = 10_000;
/** The manager looks once a second whether a VM is ready, here and there: half of it is in each boot time already. */
const HALF_A_LOOK_MS = 500;

function timesOf(runs: readonly Run[]): Times {
  const boots = runs.flatMap(({ info }) => info.bootTimes);
  const releases = runs.flatMap(({ info, decisions }) =>
    decisions.filter(({ at, decision }) => at > info.startedAt && decision.action === 'release'),
  ).length;
  const leaving = runs.reduce((sum, run) => sum + leavingMs(run), 0);
  return {
    bootMs: boots.length === 0 ? BOOT_MS : Math.max(0, sumOf(boots) / boots.length - HALF_A_LOOK_MS),
    releaseMs: releases === 0 ? 0 : leaving / releases,
  };
}

/** VM-milliseconds on the way out. */
const leavingMs = ({ fleet }: Run): number =>
  sumOf(fleet.map(({ elapsed, leaving = 0 }, i) => leaving * ((fleet[i + 1]?.elapsed ?? elapsed) - elapsed)));

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

function loadOf(run: Run): Load {
  const { drive, step, thinkTime } = run.info.load;
  const at = levelOf(run);
  if (drive === 'bursts' || drive === 'batch') return { kind: drive, at, stepMs: step };
  return drive === 'closed' ? { kind: drive, at, thinkMs: thinkTime } : { kind: drive, at };
}

/** A recording as the client sent it, second by second: its file may be gone. */
function levelOf({ info: { load }, client }: Run): (t: number) => number {
  const { profile, max, duration, drive, step } = load;
  if (isProfileName(profile)) return createProfile(profile, { max, duration });
  const levels = client.map(({ elapsed, sent, load: clients }, i) => {
    const perMs = sent / Math.max(1, elapsed - (client[i - 1]?.elapsed ?? 0));
    // what a batch was meant to be, whenever it could start
    if (drive === 'closed' || drive === 'batch') return clients;
    return perMs * (drive === 'bursts' ? step : 1000);
  });
  let i = 0;
  return (t) => {
    if (t < (client[i - 1]?.elapsed ?? 0)) i = 0;
    while (i < client.length - 1 && (client[i]?.elapsed ?? 0) <= t) i++;
    return levels[i] ?? 0;
  };
}
