// The one view of the manager: what it knows of itself with what the gateway sees, as plain data. Page, API, command
// line and metrics read it, and nothing besides what is declared here leaves the process.
import { calendarSentence, limitsAt } from '../decide/calendar.ts';
import type { ElasticityParameters } from '../decide/parameters.ts';
import type { Backlog, DecisionRecord, Limits, Millis, Role, StepOutcome, Traffic, Vm, VmState } from '../model.ts';
import type { Threshold } from '../decide/common/definition.ts';
import { policies } from '../decide/policies/index.ts';
import { deedText, handSentences } from './by-hand.ts';
import type { HandRecord } from './journal.ts';
import { costSentence, noticeSentences, reliefSentences, type Bill } from './costs.ts';
import { explain } from './explain.ts';
import type { Condition } from './conditions.ts';
import { defined } from './defined.ts';
import type { BoundRecord, Bounds } from './history.ts';
import { percentilesOf, shownClasses, type Measured, type Percentiles, type ShownClasses } from './past.ts';
import type { GatewayVm, LoopState, ParameterChange } from './loop-state.ts';
import { changeText } from './settings-text.ts';

/** What doesn't change while it runs. */
export interface About {
  readonly version: string;
  readonly group: string;
  /** The provider's name. */
  readonly provider: string;
  /** Where clients connect, as a URL. */
  readonly gateway: string;
  /** Whose VMs the view is of, where the group has roles. */
  readonly role?: Role;
}

export interface ManagerView extends About {
  readonly at: Millis;
  readonly startedAt: Millis;
  readonly counts: Readonly<Record<VmState, number>>;
  /** The bounds that the policy compares with, where it has any. */
  readonly thresholds: readonly Threshold[];
  readonly vms: readonly ShownVm[];
  /** Of the last seconds. */
  readonly traffic: Traffic;
  /** Absent while the repository doesn't tell. */
  readonly backlog?: Backlog;
  readonly lp?: number;
  readonly tp?: number;
  readonly deltaTp?: number;
  /** The last period; undefined before the first. */
  readonly last?: ShownPeriod;
  /** What the last decision was and what would have to change for the others, a sentence each. */
  readonly explanation: readonly string[];
  /** In force, or from the next period on. */
  readonly parameters: ElasticityParameters;
  readonly lastChange?: { readonly who: string; readonly at: Millis };
  /** Changes of the settings, newest first, and what people did besides. */
  readonly changes: readonly ShownChange[];
  readonly byHand: readonly ShownHand[];
  /** The bounds of now: those of the calendar, or the configured ones. */
  readonly limits: Limits;
  /** VM-minutes since the manager started. */
  readonly energy: number;
  /** What the VMs cost, an hour and since the manager started, and what they would have cost more on demand. */
  readonly money: Omit<Bill, 'prices'>;
  readonly conditions: readonly (Condition & { readonly since: Millis })[];
  /** What somebody should look at: conditions that are a warning or an error, and what else went wrong. */
  readonly problems: readonly Problem[];
  /** The machines that carry VMs, where several may be on one, and why they are as many. */
  readonly nodes?: { readonly list: readonly ShownNode[]; readonly why: string };
  /** Stored work that is not finished, that whose turn is first, where there is any. */
  readonly jobs?: readonly ShownJob[];
  /** The same of the VMs that do stored work, where the group has such; energy, money and problems here are of all. */
  readonly work?: Omit<ManagerView, 'work'>;
}

/** `text`: `high=80 period=5s` */
export interface ShownChange extends ParameterChange {
  readonly text: string;
}

/** `text`: `drained vm-3` */
export interface ShownHand extends HandRecord {
  readonly text: string;
}

/** A machine that carries VMs. */
export interface ShownNode {
  readonly id: string;
  /** `silent`: it answers nobody; its VMs may serve all the same. */
  readonly state: 'pending' | 'ready' | 'silent' | 'draining' | 'releasing';
  readonly vms: number;
  /** Cores that it has, and those that its VMs may use. */
  readonly cores: number;
  readonly used: number;
  /** An hour. */
  readonly price: number;
  /** Why it is of no use at present, where that is known. */
  readonly note?: string;
  /** Orders that it refused, by why. */
  readonly refused: Readonly<Record<string, number>>;
}

export interface ShownJob {
  readonly id: string;
  /** capture, export, check ... */
  readonly kind: string;
  readonly class?: string;
  readonly progress: { readonly captured: number; readonly events: number };
  readonly createdAt: Millis;
  readonly running: boolean;
  /** The beginning of the name that who is at it has for itself. */
  readonly worker?: string;
  /** When it is finished if all goes on as it went lately. */
  readonly end?: Millis;
}

/** One VM, with what the last period and the gateway saw of it. */
export interface ShownVm extends Vm {
  readonly lp?: number;
  readonly tp?: number;
  readonly cpu?: number;
  readonly memory?: number;
  readonly warming: boolean;
  readonly dark: boolean;
  /** The gateway sends it nothing at present; `note` says why. */
  readonly out?: true;
  /** Requests at it now, and how many it takes at once. */
  readonly inFlight?: number;
  readonly limit?: number;
  /** ms, as the gateway measured it of late. */
  readonly responseTime?: number;
  /** What it costs an hour, now. */
  readonly price?: number;
}

/** Something that an operator should know or put right. */
export interface Problem {
  readonly since: Millis;
  readonly severity: 'warning' | 'error';
  /** One sentence, or two: what is so, and what to do. */
  readonly message: string;
  /** The condition that it is. */
  readonly condition?: Condition['name'];
  /** Who looks after it, since when. */
  readonly acknowledged?: { readonly who: string; readonly at: Millis };
}

/** What a problem is called to acknowledge it. */
export const problemName = ({ condition, message }: Pick<Problem, 'condition' | 'message'>): string =>
  condition ?? message;

/** One period, for the charts and the list of decisions. */
export interface ShownPeriod
  extends Measured, Percentiles, ShownClasses, Pick<Traffic, 'causes' | 'inFlight' | 'queued'> {
  readonly at: Millis;
  readonly period: number;
  readonly policy: string;
  readonly action: string;
  readonly count: number;
  readonly rule: string;
  readonly reason: string;
  readonly guard?: string;
  /** What was done, and what of it failed. */
  readonly outcome: readonly StepOutcome[];
  readonly ready: number;
  /** VMs that cost something: all that are allocated. */
  readonly vms: number;
  /** How long it was, and what it was held against, where that is known. */
  readonly span?: Millis;
  readonly bounds?: Bounds;
}

/** A group with roles is seen with clients' eyes, and with what its stored work costs. */
export function withWork(own: ManagerView, work: ManagerView): ManagerView {
  const { rate, cost, saved, isPriced } = work.money;
  return {
    ...own,
    work,
    energy: own.energy + work.energy,
    money: {
      rate: own.money.rate + rate,
      cost: own.money.cost + cost,
      saved: own.money.saved + saved,
      isPriced: own.money.isPriced || isPriced,
    },
    problems: [...own.problems, ...work.problems.map(ofWork)],
  };
}

/** A condition of that role is none of the other's: it goes by its sentence. */
export const ofWork = ({ condition: _, ...problem }: Problem): Problem => ({
  ...problem,
  message: `Stored work: ${problem.message}`,
});

/** Of those that are shown. */
const MOST_CHANGES = 20;

export interface ViewParts {
  readonly about: About;
  readonly loop: LoopState;
  /** The VMs that the gateway was told of. */
  readonly gatewayVms: readonly GatewayVm[];
  readonly traffic: Traffic;
  readonly conditions: ManagerView['conditions'];
  readonly problems: readonly Problem[];
}

export function viewOf({ about, loop, gatewayVms, traffic, conditions, problems }: ViewParts): ManagerView {
  const { at, startedAt, fleet, last, energy, bill, parameters, pendingParameters, changes } = loop;
  const counts = { pending: 0, ready: 0, draining: 0, kept: 0, releasing: 0, failed: 0 };
  for (const vm of fleet) counts[vm.state]++;
  const [change] = changes;
  const wanted = pendingParameters ?? parameters;
  return {
    ...about,
    ...{ at, startedAt, counts, vms: vmsOf(loop, gatewayVms), traffic, energy },
    money: { rate: bill.rate, cost: bill.cost, saved: bill.saved, isPriced: bill.isPriced },
    ...{ conditions, problems },
    changes: changes.slice(0, MOST_CHANGES).map((one) => ({ ...one, text: changeText(one.patch) })),
    byHand: loop.byHand.slice(0, MOST_CHANGES).map((one) => ({ ...one, text: deedText(one.deed) })),
    parameters: wanted,
    limits: limitsAt(wanted, at),
    thresholds: policies[wanted.policy].thresholds(wanted),
    explanation:
      last === undefined
        ? []
        : [
            ...explain(last.decision, parameters.dryRun),
            ...handSentences(loop.byHand, at),
            ...noticeSentences(fleet, at),
            ...reliefSentences(fleet, bill),
            ...(bill.isPriced ? [costSentence(last.decision.action, fleet, bill)] : []),
            ...(wanted.calendar.length === 0 ? [] : [calendarSentence(wanted, at)]),
          ],
    ...defined({ ...signalsOf(last), backlog: last?.observation.backlog }),
    ...defined({ last: last && periodView(last), lastChange: change && { who: change.who, at: change.at } }),
  };
}

const signalsOf = (record: DecisionRecord | undefined) => {
  const { lp, tp, deltaTp } = record?.forecast ?? {};
  return { lp, tp, deltaTp };
};

function vmsOf({ fleet, last, bill }: LoopState, gatewayVms: readonly GatewayVm[]): readonly ShownVm[] {
  const forecasts = new Map(last?.forecast.vms.map((vm) => [vm.id, vm]));
  const observed = new Map(last?.observation.vms.map((seen) => [seen.vm.id, seen]));
  const atGateway = new Map(gatewayVms.map((vm) => [vm.id, vm]));
  return fleet.map(
    ({ id, state, address, since, bootTime, note, offer, interruptAt, inPlaceOf, relieves, node }): ShownVm => {
      const forecast = forecasts.get(id);
      const seen = observed.get(id);
      const gateway = atGateway.get(id);
      const whyOut = gateway?.state === 'out' ? gateway.note : undefined;
      return {
        ...{ id, state, since, warming: forecast?.warming ?? false, dark: forecast?.dark ?? false },
        ...defined({ address, bootTime, note: whyOut ?? note, offer, interruptAt, inPlaceOf, relieves, node }),
        ...(gateway?.state === 'out' && { out: true as const }),
        ...(bill.isPriced && defined({ price: bill.prices[id] })),
        ...defined({ lp: forecast?.lp, tp: forecast?.tp, cpu: seen?.cpu[0], memory: seen?.latest?.memory }),
        ...defined({ inFlight: gateway?.inFlight, limit: gateway?.limit, responseTime: gateway?.responseTime }),
      };
    },
  );
}

export function periodView(record: BoundRecord): ShownPeriod {
  const { at, period, policy, decision, outcome, observation, bounds } = record;
  const { action, count, rule, reason, guard } = decision;
  const { responseTime, queueTime, arrivalRate, throughput, lost, span, times, causes, classes } = observation.traffic;
  const { inFlight, queued } = observation.traffic;
  return {
    ...{ at, period, policy, action, count, rule, reason, outcome },
    ...{ responseTime, queueTime, arrivalRate, throughput, lost, inFlight, queued },
    ...percentilesOf(times),
    ...shownClasses(classes),
    ready: observation.vms.filter(({ vm }) => vm.state === 'ready').length,
    vms: observation.vms.length,
    ...defined({ ...signalsOf(record), guard: guard?.name, span, bounds, causes }),
  };
}

/** A page with ten thousand rows helps nobody. */
const MOST_VMS = 200;

/** The view with at most so many VMs: first those that aren't ready, then the most loaded. */
export function shortened(view: ManagerView, most = MOST_VMS): ManagerView {
  const work = view.work && { work: shortened(view.work, most) };
  if (view.vms.length <= most) return { ...view, ...work };
  const urgency = (vm: ShownVm): number => (vm.state === 'ready' ? (vm.lp ?? 0) : 1000);
  return { ...view, ...work, vms: [...view.vms].sort((a, b) => urgency(b) - urgency(a)).slice(0, most) };
}
