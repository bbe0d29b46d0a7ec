import { join } from 'node:path';
import { Command } from 'commander';
import { readFolder } from '../../loadgen/read-folder.ts';
import { reportOf, type Report } from '../../loadgen/report/report.ts';
import { writeReport } from '../../loadgen/write-report.ts';
import { OptionError } from '../../loadgen/workload/option-error.ts';
import { fromMeasured } from '../simulate/simulate.ts';
import { simulateRuns } from './shared/simulated-runs.ts';

export const reportCommand = (): Command =>
  new Command('report')
    .description('make figures, tables and one HTML file from the raw data of an experiment')
    .argument('<folder>', 'where mmeliot experiment put its data; the report goes into report/ in it')
    .action(async (folder: string) => void process.stdout.write(await makeReport(folder)));

/** Resolves with the report's notes and where it is, for people. */
export async function makeReport(folder: string): Promise<string> {
  const report = await reportOn(folder);
  const file = await writeReport(report, join(folder, 'report'));
  return [...report.notes, `The report is in ${file}`].map((line) => `${line}\n`).join('');
}

/** The report on an experiment's raw data, its runs simulated as well. */
export async function reportOn(folder: string): Promise<Report> {
  const { plan, runs, calibration } = await readFolder(folder);
  if (runs.length === 0) throw new OptionError(`${folder} holds no whole run yet.`);
  const vm = calibration?.curve.some(({ throughput }) => throughput > 0) ? fromMeasured(calibration) : undefined;
  return reportOf({
    title: plan.name,
    runs,
    compareWithPaper: plan.compareWithPaper,
    policies: Object.keys(plan.policies),
    profiles: Object.keys(plan.profiles),
    simulated: vm === undefined ? [] : await simulateRuns(runs, vm),
    ...(calibration && { calibration }),
    ...(vm && { vm }),
  });
}
