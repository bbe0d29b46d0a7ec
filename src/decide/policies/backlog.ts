// Backlog: as many VMs as the stored work that waits wants. Quick to grow, and nobody leaves before the want has been smaller
// for the grace.
//   literal: n VMs for n tasks, as published.  time: ceil(events ÷ (events a second that a VM captures × time allowed)),
//   never more than there are tasks.
// Worked: literal, 3 VMs and 9 tasks: 6 more. By time, 90,000 events, 500 a second, 60 s: ceil(90,000 / 30,000) = 3.
import type { Decision, PeriodSummary } from '../../model.ts';
import type { Declarations, Values } from '../../settings/declaration.ts';
import { definePolicy } from '../common/definition.ts';
import { show, type Policy } from '../common/policy.ts';
import { decideBySize, hold } from '../common/rules.ts';
import { covers, recent } from '../common/series.ts';

const LONGEST_GRACE_MS = 20 * 60_000;

const own = {
  by: {
    type: 'choice',
    choices: ['time', 'literal'],
    default: 'time',
    doc: 'time: as many VMs as finish what waits within the time allowed; literal: one for each task',
  },
  within: { type: 'duration', default: 60_000, min: 1000, doc: 'time allowed for what waits' },
  rate: {
    type: 'number',
    default: 0,
    min: 0,
    doc: 'events a second that one VM captures; 0: as it was measured on the last jobs',
  },
  grace: {
    type: 'duration',
    default: 60_000,
    min: 0,
    max: LONGEST_GRACE_MS,
    doc: 'time that a smaller want must last before VMs leave',
  },
} as const satisfies Declarations;

type Parameters = Values<typeof own>;

const decide: Policy<Parameters> = (situation, parameters): Decision => {
  const { present, now } = situation;
  const want = wanted(present, parameters);
  if (want === undefined) return hold('backlog', 'The repository does not tell what work waits.');
  const why = waitingText(present, parameters);
  if (want >= present.vms) return decideBySize(situation, want, 'backlog', why);
  const { grace } = parameters;
  const periods = recent(situation, grace);
  if (grace > 0 && !covers(periods, now, grace))
    return hold(
      'backlog',
      `backlog: ${why}; ${want === 1 ? '1 VM' : `${want} VMs`} wanted, and for how long is not known yet.`,
    );
  const highest = Math.max(...periods.map((period) => wanted(period, parameters) ?? period.vms));
  const because = highest > want ? `${why}, and more within the last ${grace / 1000} s` : why;
  return decideBySize(situation, Math.min(present.vms, highest), 'backlog', because);
};

export const backlog = definePolicy(own, {
  doc: 'Backlog: as many VMs as the stored work that waits needs; none without any.',
  lookback: LONGEST_GRACE_MS,
  decidesWhilePending: true,
  decide,
});

/** Undefined: nobody knows what waits. */
function wanted({ backlog, vms }: PeriodSummary, { by, within, rate }: Parameters): number | undefined {
  if (backlog === undefined) return undefined;
  const { jobs, events, runs = 0 } = backlog;
  const tasks = jobs + runs;
  if (by === 'literal' || tasks === 0) return tasks;
  const perVm = rate > 0 ? rate : backlog.rate;
  // nobody has captured anything yet: one finds out how fast a VM is
  if (perVm === undefined || perVm === 0) return Math.min(tasks, Math.max(1, vms));
  return Math.min(tasks, Math.max(1, Math.ceil((events * 1000) / (perVm * within) - 1e-9)));
}

function waitingText({ backlog }: PeriodSummary, { by, rate }: Parameters): string {
  const { jobs = 0, events = 0, runs = 0, rate: measured } = backlog ?? {};
  const tasks = `${jobs === 1 ? '1 job' : `${jobs} jobs`}${runs === 0 ? '' : ` and ${runs} subscription runs`} ${jobs === 1 && runs === 0 ? 'waits or runs' : 'wait or run'}`;
  if (by === 'literal') return tasks;
  const perVm = rate > 0 ? rate : measured;
  return `${tasks}, ${events} events at ${perVm === undefined ? 'an unknown rate' : `${show(perVm)} a second and VM`}`;
}
