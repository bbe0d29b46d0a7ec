// A report from raw data: figures, tables and what to know about them. Pure; how they are drawn is elsewhere.
import type { VmModel } from '../../src/simulate/simulate.ts';
import { agreementOf, verdictOn, type Agreement } from './agreement.ts';
import { calibrationTable, conditionsTable, lossTable, measuresTable, runsTable, totalsTable } from './tables.ts';
import { distributionFigure } from './distribution.ts';
import type { Figure } from './figure.ts';
import { adviceOn } from './repetitions.ts';
import { profileFigure } from './profile-figure.ts';
import { PAPER, paperRatios, paperTable } from './paper.ts';
import { isBusy, type Calibration, type Run } from './raw.ts';
import { cellsWith, type Cell, type Simulated } from './results.ts';
import { orderTable, simulationTable } from './simulation-table.ts';
import { estimate, number } from './statistics.ts';
import type { Table } from './table.ts';

export interface ReportInput {
  readonly title: string;
  readonly runs: readonly Run[];
  readonly compareWithPaper: boolean;
  /** The plan's order of policies and profiles. */
  readonly policies: readonly string[];
  readonly profiles: readonly string[];
  readonly calibration?: Calibration;
  readonly vm?: VmModel;
  /** By policy and profile, where they were simulated as well. */
  readonly simulated: readonly Simulated[];
}

export interface Report {
  readonly title: string;
  /** Sentences that the reader needs first. */
  readonly notes: readonly string[];
  readonly figures: readonly Figure[];
  readonly tables: readonly Table[];
  /** Where runs were simulated as well. */
  readonly agreement?: Agreement;
}

export function reportOf(input: ReportInput): Report {
  const { title, compareWithPaper, profiles, calibration } = input;
  const cells = cellsWith(input);
  const agreement = input.simulated.length > 0 ? agreementOf(cells) : undefined;
  const numbers: Readonly<Record<string, string>> = { ascending: '5', descending: '6' };
  const figures = profiles.flatMap((profile) => {
    const number = compareWithPaper ? numbers[profile] : undefined;
    const of = cells.filter((cell) => cell.profile === profile);
    return of.length === 0 ? [] : [profileFigure(profile, of, number), ...distributionFigure(profile, of)];
  });
  return {
    title,
    notes: notesOn(input, cells, agreement),
    figures,
    tables: [
      ...(compareWithPaper && cells.some(({ profile }) => profile in PAPER) ? [paperTable(cells)] : []),
      ...(compareWithPaper ? [paperRatios(cells)] : []),
      totalsTable(cells),
      measuresTable(cells),
      ...(agreement === undefined ? [] : [simulationTable(cells, agreement), orderTable(agreement)]),
      lossTable(cells),
      runsTable(input.runs, calibration),
      ...(calibration === undefined ? [] : [calibrationTable(calibration)]),
      ...conditionsTable(input.runs),
    ],
    ...(agreement && { agreement }),
  };
}

function notesOn(
  { runs, policies, profiles, calibration }: ReportInput,
  cells: readonly Cell[],
  agreement: Agreement | undefined,
): readonly string[] {
  const limited = runs.filter(({ info }) => info.result.bottleneck !== undefined).map(({ info }) => info.name);
  const busy = runs.filter(({ info }) => isBusy(info.machine));
  const missing = policies.flatMap((policy) =>
    profiles
      .filter((profile) => !cells.some((cell) => cell.policy === policy && cell.profile === profile))
      .map((profile) => `${policy} under ${profile}`),
  );
  return [
    `${runs.length} runs. Numbers are means over repetitions, ± half the width of the 95 % confidence interval (Student's t).`,
    ...adviceOn(cells),
    ...(agreement === undefined ? [] : [verdictOn(agreement)]),
    ...(missing.length > 0 ? [`No run yet of ${missing.join(', ')}.`] : []),
    ...(limited.length > 0
      ? [
          limited.length === 1
            ? `In one run the load generator was a bottleneck, so it says less about the system: ${limited[0]}.`
            : `In ${limited.length} runs the load generator was a bottleneck, so they say less about the system: ${limited.join(', ')}.`,
        ]
      : []),
    ...(busy.length > 0
      ? [
          `${busy.length === 1 ? 'One of the runs was' : `${busy.length} of the runs were`} made while other work kept the machine busy (more work waiting than it has cores): ` +
            `compare policies with each other, but don't take the times for what this machine can do.`,
        ]
      : []),
    ...(isBusy(calibration?.machine)
      ? [
          'The VM was calibrated while other work kept the machine busy: loads that are shares, and the simulation, are of a VM that was kept from its own.',
        ]
      : []),
    ...bootsOf(runs, calibration),
    ...stillnessOf(cells),
  ];
}

function stillnessOf(cells: readonly Cell[]): readonly string[] {
  const isStill = cells.length > 1 && cells.every(({ measures }) => measures.every(({ actions }) => actions === 0));
  return isStill
    ? [
        'No policy changed its fleet in any run, so what differs between them is chance: the load was too low, or others kept the VMs from so much CPU that their LP never rose.',
      ]
    : [];
}

/** Worked: 12 s beforehand, in the runs 4 s on average: the load grew by a third of what was meant while a VM booted. */
function bootsOf(runs: readonly Run[], calibration: Calibration | undefined): readonly string[] {
  const beforehand = calibration?.bootMs;
  const seen = estimate(runs.flatMap(({ info }) => info.bootTimes))?.mean;
  if (beforehand === undefined || seen === undefined) return [];
  const times = seen / beforehand;
  if (times > 1 / UNLIKE && times < UNLIKE) return [];
  return [
    `A VM booted in ${number(seen / 1000)} s in the runs, and in ${number(beforehand / 1000)} s beforehand, by which the load's duration was chosen: ` +
      `r·b is ${number(times)} times what was planned.`,
  ];
}
/** Boots scatter by themselves. */
const UNLIKE = 1.25;
