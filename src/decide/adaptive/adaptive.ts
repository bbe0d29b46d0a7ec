// Adaptive: no thresholds. The operator states an objective; the policy weighs what one VM more costs against the
// requests that it is expected to save from missing the objective, over the loads that may come until a VM that is asked
// for now would serve:
//   the n with the least  E[ misses(load, n) ] + price × n,   price = (1 − share) × what a VM answers
// so a VM is worth its price when it saves more than (1 − share) of what it could answer.
// Worked: 95 % and 20 a second (50 ms each): a VM has to save 1 request a second. At 30 a second, 2 VMs miss 0.5 of them,
// so a third is not worth it. When in one case of ten the load jumps to 70, 2 VMs miss those 7 a second of the mean,
// and 4 VMs hardly any: they are worth their price of 2.
// A VM that is not there yet must save twice its price, for its boot is paid as well; one that is there less than its price,
// for what is given back may have to boot again. That, and margins, keep the fleet from flapping: a VM more must be worth
// some of what the whole fleet costs, and some of the fleet must be too much before any of it is given back, more where the
// load is less certain.
// With `goal: cost` nothing is weighed: the fewest VMs with which no more than (1 − share) of the requests are expected to
// miss, which is the cheapest fleet that keeps the promise, for the mix buys each of them at the least price. Worked, as
// above: of 30 a second 1.5 may miss, and 2 VMs will do; with the jump 1.7 of 34 may, and 2 VMs, which miss 7, won't do.
import type { Decision, Millis, PeriodSummary } from '../../model.ts';
import { ratePerVm } from '../../queueing/queueing.ts';
import type { Declarations, Values } from '../../settings/declaration.ts';
import { definePolicy } from '../common/definition.ts';
import { show, type Policy } from '../common/policy.ts';
import { decideBySize, hold } from '../common/rules.ts';
import { candidateOf } from './candidates.ts';
import { remembered } from './forecast.ts';
import { idleAfter, idleBefore, isTooSoon } from './idle.ts';
import { bootTimeOf, horizonOf } from './learned.ts';
import { made } from './sound.ts';
import { mostOf } from './spread.ts';
import type { Seen } from './size.ts';
import { play, record, tournamentOf } from './tournament.ts';
import { judged, recordIn } from './track-record.ts';
import { capacityBy, viewAt, type View } from './view.ts';

const own = {
  objectiveMs: {
    type: 'number',
    default: 500,
    min: 1,
    unit: 'ms',
    doc: 'queries are to be answered within so many ms',
  },
  objectivePercent: { type: 'number', default: 95, min: 1, max: 99.99, doc: 'per cent of the queries that are to be' },
  goal: {
    type: 'choice',
    choices: ['worth', 'cost'],
    default: 'worth',
    doc: 'worth: a VM more where it saves enough misses; cost: no VM more than the objective needs',
  },
  boot: { type: 'duration', default: 60_000, min: 0, doc: 'time that a VM takes to boot, until one was measured' },
  tournament: {
    type: 'choice',
    choices: ['off', 'on'],
    default: 'off',
    doc: 'on: variants and peers serve the same load in the shadow, and the one with the best record of the last hours governs',
  },
} as const satisfies Declarations;

type Parameters = Values<typeof own>;

const decide: Policy<Parameters> = (situation, { boot, tournament, objectiveMs, objectivePercent, goal }): Decision => {
  const { present, history, fleet, now, limits } = situation;
  const aim = { objectiveMs, objectivePercent, goal };
  const view = viewAt(present, history, aim, { bootMs: bootTimeOf(fleet, now, boot), limits });
  if (view === undefined) return hold('adaptive', 'No request was answered yet, so nothing is known of the VMs.');
  const { vms, ready } = present;
  const played = tournament === 'on' ? tournamentOf(history[0]) : undefined;
  const candidate = candidateOf(played?.governor);
  const wanted = candidate.size(view, { vms, ready, waiting: waitingOf(present, view) });
  const why = `${reasonOf(view)}${played === undefined ? '' : `; ${record(played)}`}`;
  const idleMs = idleAfter(idleBefore(history[0], present), vms, wanted, periodOf(view));
  if (isTooSoon(idleMs, candidate.patienceMs ?? 0, view.horizon.ms))
    return hold('adaptive', `adaptive: ${why}; ${wanted} of ${vms} VMs would do, but not for long enough yet.`);
  if (wanted === vms) return hold('adaptive', `adaptive: ${why}; ${vms} VMs are near enough to the best size.`);
  return decideBySize(situation, wanted, 'adaptive', why);
};

const periodOf = ({ horizon }: View): Millis => horizon.ms / horizon.periods;

function reasonOf({ arrivalRate, rate, horizon, atEnd, by }: View): string {
  const rates = `${Math.round(arrivalRate)} requests a second, in ${Math.round(horizon.ms / 1000)} s at most`;
  return `${rates} ${Math.round(mostOf(atEnd.cases, 0.95))} in 19 of 20 cases ${by}, and a VM answers ${show(rate)}`;
}

export const adaptive = definePolicy(own, {
  doc: 'Adaptive: as many VMs as an objective for the response time is worth; no thresholds.',
  decidesWhilePending: true,
  lookback: 4 * 3_600_000,
  guardsAgainstFlapping: () => true,
  learn: (past, period, parameters) => {
    const { boot, tournament, objectiveMs, objectivePercent, goal, min, max } = parameters;
    const bootMs = period.boot ?? boot;
    const horizon = horizonOf({ now: period.at, history: past }, bootMs);
    const memory = remembered(past[0], period, horizon.ms, () => {
      const capacity = capacityBy([period, ...past], objectiveMs);
      return capacity && ratePerVm(capacity);
    });
    if (memory === undefined) return undefined;
    const view = viewAt(period, past, { objectiveMs, objectivePercent, goal }, { bootMs, limits: { min, max } });
    if (view === undefined) return made({ ...memory, tournament: undefined });
    const [before] = past;
    const record = judged(recordIn(before), {
      at: period.at,
      span: Math.max(0, period.at - (before?.at ?? period.at)),
      horizonMs: horizon.ms,
      rate: period.arrivalRate,
      outlooks: view.outlooks,
    });
    const played = tournament === 'on' ? play(tournamentOf(before), view, period, past) : undefined;
    const { vms, ready } = period;
    const candidate = candidateOf(tournament === 'on' ? tournamentOf(before)?.governor : undefined);
    const wanted = candidate.size(view, { vms, ready, waiting: waitingOf(period, view) });
    const idleMs = idleAfter(idleBefore(before, period), vms, wanted, periodOf(view));
    return made({ ...memory, record, tournament: played, idleMs });
  },
  decide,
});

/** Requests that wait for others at the VMs. */
function waitingOf({ concurrency, ready }: PeriodSummary, { capacity }: View): Seen['waiting'] {
  return Math.max(0, concurrency - 2 * capacity.parallel * ready);
}
