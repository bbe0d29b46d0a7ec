// From what was seen to what is wanted: one pure function, the same for the running loop, the simulator and replay.
import { atTime, limitsAt } from '../decide/calendar.ts';
import { decide, lookbackOf, sumsTimeOn, withLearned } from '../decide/index.ts';
import type { ElasticityParameters } from '../decide/parameters.ts';
import { counts } from '../fleet/mix.ts';
import type { Market } from '../fleet/offers.ts';
import { mixed } from '../fleet/verdict.ts';
import type { Decision, Forecast, Millis, Observation, PeriodSummary, VmObservation } from '../model.ts';
import { forecast, isEvidence, mean } from '../predict/index.ts';

export interface Evaluation {
  readonly forecast: Forecast;
  readonly summary: PeriodSummary;
  readonly decision: Decision;
}

/** `history` has the newest period first. */
export function evaluate(
  observation: Observation,
  history: readonly PeriodSummary[],
  parameters: ElasticityParameters,
  market: Market = NO_MARKET,
): Evaluation {
  const predicted = forecast(observation, previousOf(observation, history, parameters), {
    ...parameters,
    sumsTimeOn: sumsTimeOn(parameters),
  });
  const present = summarize(observation, predicted);
  const fleet = observation.vms.map((seen) => seen.vm).filter(counts);
  const verdict = decide(
    {
      now: observation.at,
      fleet,
      forecast: predicted,
      present,
      history,
      limits: limitsAt(parameters, observation.at),
    },
    atTime(parameters, observation.at),
  );
  const decision = mixed(verdict, { fleet, forecast: predicted, market }, parameters);
  return { forecast: predicted, summary: summarize(observation, predicted, decision), decision };
}

const NO_MARKET: Market = { offers: [], resting: [] };

/** delta TP is from one period to the next: after a pause (a restart, a suspended machine) there is no previous one. */
function previousOf(
  { at }: Observation,
  [newest]: readonly PeriodSummary[],
  { period }: ElasticityParameters,
): PeriodSummary | undefined {
  return newest !== undefined && at - newest.at <= 2 * period ? newest : undefined;
}

export function summarize(observation: Observation, predicted: Forecast, decision?: Decision): PeriodSummary {
  const { vms, traffic, backlog } = observation;
  const states = vms
    .map((seen) => seen.vm)
    .filter(counts)
    .map(({ state }) => state);
  const ready = states.filter((state) => state === 'ready').length;
  const serving = vms.filter(({ vm }) => vm.state === 'ready').length;
  const evidence = vms.filter((seen, i) => isTrusted(seen, predicted, i));
  const cpu = mean(evidence.map((seen) => seen.cpu[0] ?? 0));
  const memory = mean(evidence.map((seen) => seen.latest?.memory).filter((value) => value !== undefined));
  const { lp, tp, deltaTp } = predicted;
  const boot = longestBoot(vms, observation.at);
  return {
    at: observation.at,
    vms: ready + states.filter((state) => state === 'pending').length,
    ready,
    ...(serving === ready ? {} : { serving }),
    ...(cpu === undefined ? {} : { cpu }),
    ...(memory === undefined ? {} : { memory }),
    ...(lp === undefined ? {} : { lp }),
    ...(tp === undefined ? {} : { tp }),
    ...(deltaTp === undefined ? {} : { deltaTp }),
    arrivalRate: traffic.arrivalRate,
    ...(traffic.arrivals === undefined ? {} : { arrivals: traffic.arrivals }),
    concurrency: traffic.inFlight + traffic.queued,
    throughput: traffic.throughput,
    responseTime: traffic.responseTime,
    queued: traffic.queued,
    queueTime: traffic.queueTime,
    lost: traffic.lost,
    ...(backlog === undefined ? {} : { backlog }),
    ...(boot === undefined ? {} : { boot }),
    ...(decision === undefined ? {} : { action: decision.action, count: decision.count }),
  };
}

/** A VM that is still booting may already have taken longer than any before. */
function longestBoot(vms: Observation['vms'], now: Millis): Millis | undefined {
  const boots = vms.flatMap(({ vm: { state, since, bootTime } }) =>
    state === 'pending' ? [now - since] : bootTime === undefined ? [] : [bootTime],
  );
  const measured = vms.some(({ vm }) => vm.bootTime !== undefined);
  return measured ? Math.max(...boots) : undefined;
}

function isTrusted(seen: VmObservation, predicted: Forecast, i: number): boolean {
  const vm = predicted.vms[i];
  return vm !== undefined && isEvidence(seen, vm);
}

/** The history with one period more, and without what is too old for any policy or cooldown. */
export function remember(
  history: readonly PeriodSummary[],
  summary: PeriodSummary,
  parameters: ElasticityParameters,
): readonly PeriodSummary[] {
  const span = Math.max(lookbackOf(parameters.policy), parameters.allocateCooldown, parameters.releaseCooldown);
  let kept = history.length;
  // in the future, too: where the clock was set back it would stay until that comes
  while (kept > 0 && Math.abs(summary.at - (history[kept - 1]?.at ?? 0)) > span) kept--;
  const next = history.slice(0, kept);
  const [newest] = next;
  if (newest !== undefined) next[0] = forgetful(newest);
  next.unshift(withLearned(history, summary, parameters));
  return next;
}

/** What was learned counts as of the newest period only. Deleting it would make every later look at the period slow. */
function forgetful(period: PeriodSummary): PeriodSummary {
  const { learned, ...rest } = period;
  return learned === undefined ? period : rest;
}
