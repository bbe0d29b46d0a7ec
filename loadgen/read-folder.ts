// The raw data of an experiment's folder.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DecisionRecord } from '../src/model.ts';
import type { ExperimentPlan } from './plan.ts';
import type { Calibration, ClientInterval, FleetSample, Run, RunInfo } from './report/raw.ts';
import { OptionError } from './workload/option-error.ts';

export interface Recorded {
  readonly plan: ExperimentPlan;
  readonly calibration?: Calibration;
  /** Whole runs; those that are missing or were cut off are left out. */
  readonly runs: readonly Run[];
}

export async function readFolder(folder: string): Promise<Recorded> {
  const plan = await readJson<ExperimentPlan>(join(folder, 'plan.json'));
  if (plan === undefined) throw new OptionError(`${folder} holds no experiment: there is no plan.json in it.`);
  const calibration = await readJson<Calibration>(join(folder, 'calibration.json'));
  const names = await readdir(join(folder, 'runs')).catch(() => []);
  const runs = await Promise.all(names.map((name) => readRun(join(folder, 'runs', name))));
  const whole = runs.filter((run) => run !== undefined);
  whole.sort((a, b) => a.info.order - b.info.order);
  return { plan, runs: whole, ...(calibration && { calibration }) };
}

async function readRun(folder: string): Promise<Run | undefined> {
  const info = await readJson<RunInfo>(join(folder, 'run.json'));
  if (info === undefined) return undefined;
  const journal = await readLines<{ kind: string; record?: DecisionRecord }>(join(folder, 'journal.jsonl'));
  return {
    info,
    client: await readLines<ClientInterval>(join(folder, 'client.jsonl')),
    fleet: await readLines<FleetSample>(join(folder, 'fleet.jsonl')),
    decisions: journal.flatMap(({ record }) => (record === undefined ? [] : [record])),
  };
}

export async function readJson<T>(file: string): Promise<T | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  return text === undefined ? undefined : (JSON.parse(text) as T);
}

async function readLines<T>(file: string): Promise<readonly T[]> {
  const lines = (await readFile(file, 'utf8')).split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as T);
}
