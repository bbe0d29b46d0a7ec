// Fills the metrics that are read when somebody asks: counters and states that others keep already.
import { STATUSES } from '../loop/finding.ts';
import type { ManagerView } from '../loop/view.ts';
import type { Counters } from '../balance/core/counters.ts';
import type { Backlog } from '../model.ts';
import type { Declared } from './metric-list.ts';

/** Each is read once for each answer to /metrics; what a process doesn't have, it leaves out. */
export interface MetricSources {
  readonly version: string;
  readonly gateway?: () => Counters;
  readonly manager?: () => ManagerView;
  /** Unfinished capture jobs; undefined while the repository doesn't tell. */
  readonly backlog?: () => Backlog | undefined;
  /** How far the replica that queries read from is behind, or why it doesn't tell; undefined: there is none. */
  readonly replica?: () => { readonly lag: number } | { readonly why: string } | undefined;
  /** Load reports by what became of them. */
  readonly collector?: () => Readonly<Record<string, number>>;
  /** Lines of the log by level. */
  readonly log?: () => Readonly<Record<string, number>>;
  /** With more VMs than this, metrics of single VMs are left out: a series for each is more than Prometheus likes. Default 1000. */
  readonly mostVms?: number;
}

const MOST_VMS = 1000;

export function readSources(all: Declared, sources: MetricSources): void {
  const most = sources.mostVms ?? MOST_VMS;
  const manager = sources.manager?.();
  all.buildInfo.reset();
  all.buildInfo.set({ version: sources.version, group: manager?.group ?? '', provider: manager?.provider ?? '' }, 1);
  const counters = sources.gateway?.();
  if (counters !== undefined) readGateway(all, counters, most);
  if (manager !== undefined) readManager(all, manager, most);
  const backlog = sources.backlog?.();
  setOrRemove(all.backlogJobs, backlog?.jobs);
  setOrRemove(all.backlogEvents, backlog?.events);
  setOrRemove(all.backlogAge, thousandth(backlog?.age));
  const replica = sources.replica?.();
  setOrRemove(all.replicaLag, thousandth(replica && 'lag' in replica ? replica.lag : undefined));
  setAll(all.logged, 'level', sources.log?.() ?? {});
  setAll(all.datagrams, 'result', sources.collector?.() ?? {});
}

function readGateway(all: Declared, counters: Counters, most: number): void {
  for (const metric of [all.requests, all.answers, all.queued, all.retries, all.refused]) metric.reset();
  for (const metric of [all.responseSeconds, all.queueSeconds]) metric.reset();
  for (const { name, arrived, answered, queued, waits, times, queueTime, serviceTime } of counters.classes) {
    if (times !== undefined) all.responseSeconds.read(name, times, serviceTime.sum);
    if (waits !== undefined) all.queueSeconds.read(name, waits, queueTime.sum);
    all.requests.inc({ class: name }, arrived);
    all.answers.inc({ class: name }, answered);
    all.queued.set({ class: name }, queued);
  }
  setAll(all.lost, 'cause', counters.lost);
  all.retries.inc(counters.retried);
  all.refused.inc(counters.refused);
  all.inFlight.set(counters.inFlight);

  for (const metric of [all.vmRequests, all.vmErrors, all.vmAnswers, all.vmAnswerSeconds]) metric.reset();
  if (counters.vms.size > most) return;
  for (const [vm, { sent, errors, failed, responseTime }] of counters.vms) {
    all.vmRequests.inc({ vm }, sent);
    all.vmErrors.inc({ vm }, errors + failed);
    all.vmAnswers.inc({ vm }, responseTime.count);
    all.vmAnswerSeconds.inc({ vm }, responseTime.sum / 1000);
  }
}

function readManager(all: Declared, manager: ManagerView, most: number): void {
  const { counts, vms, parameters, limits, problems, energy } = manager;
  const { high, low, target, period } = parameters;
  setAll(all.fleetVms, 'state', counts);
  if (manager.work !== undefined) setAll(all.workVms, 'state', manager.work.counts);
  setAll(all.fleetLimit, 'bound', { min: limits.min, max: limits.max });
  setAll(all.threshold, 'threshold', { high: high / 100, low: low / 100, target: target / 100 });
  all.period.set(period / 1000);
  all.vmSeconds.reset();
  all.vmSeconds.inc(energy * 60);
  readMoney(all, manager);
  readNodes(all, manager.nodes);
  for (const { name, status: is } of manager.conditions)
    for (const status of STATUSES) all.condition.set({ condition: name, status }, status === is ? 1 : 0);
  for (const severity of ['warning', 'error'] as const) {
    all.problems.set({ severity }, problems.filter((problem) => problem.severity === severity).length);
  }

  setOrRemove(all.fleetLp, ratio(manager.lp));
  setOrRemove(all.fleetTp, thousandth(manager.tp));
  setOrRemove(all.fleetDeltaTp, ratio(manager.deltaTp));
  all.warming.set(vms.filter((vm) => vm.warming).length);
  all.dark.set(vms.filter((vm) => vm.dark).length);

  all.vmNode.reset();
  if (vms.length <= most) for (const { id: vm, node } of vms) if (node !== undefined) all.vmNode.set({ vm, node }, 1);
  for (const metric of [all.vmLp, all.vmTp, all.vmCpu, all.vmMemory, all.vmPrice]) metric.reset();
  if (vms.length > most) return;
  for (const { id: vm, lp, tp, cpu, memory, price, warming, dark } of vms) {
    if (price !== undefined) all.vmPrice.set({ vm }, price);
    if (memory !== undefined) all.vmMemory.set({ vm }, memory / 100);
    if (dark) continue;
    if (cpu !== undefined) all.vmCpu.set({ vm }, cpu / 100);
    if (warming) continue;
    if (lp !== undefined) all.vmLp.set({ vm }, lp / 100);
    if (tp !== undefined) all.vmTp.set({ vm }, tp / 1000);
  }
}

function readNodes(all: Declared, nodes: ManagerView['nodes']): void {
  const list = nodes?.list ?? [];
  const count = (state: string): number => list.filter((node) => node.state === state).length;
  const sum = (of: (node: (typeof list)[number]) => number): number =>
    list.reduce((total, node) => total + of(node), 0);
  setAll(all.nodes, 'state', Object.fromEntries(list.map(({ state }) => [state, count(state)])));
  setAll(all.nodeCores, 'which', nodes ? { all: sum(({ cores }) => cores), used: sum(({ used }) => used) } : {});
  setOrRemove(all.nodePrice, nodes && sum(({ price }) => price));
  const reasons = new Set(list.flatMap(({ refused }) => Object.keys(refused)));
  const refused = Array.from(reasons, (reason) => [reason, sum((node) => node.refused[reason] ?? 0)] as const);
  setAll(all.nodeRefused, 'reason', Object.fromEntries(refused));
}

function readMoney(all: Declared, { money, vms }: ManagerView): void {
  all.fleetPrice.set(money.rate);
  all.fleetCost.reset();
  all.fleetCost.inc(money.cost);
  all.fleetSaved.set(money.saved);
  const interruptible = vms.filter(({ offer }) => offer?.market === 'interruptible').length;
  setAll(all.fleetMarkets, 'market', { 'on-demand': vms.length - interruptible, interruptible });
  all.fleetNoticed.set(vms.filter(({ interruptAt }) => interruptAt !== undefined).length);
}

const ratio = (percent: number | undefined): number | undefined => (percent === undefined ? undefined : percent / 100);
const thousandth = (ms: number | undefined): number | undefined => (ms === undefined ? undefined : ms / 1000);

/** A signal that is undefined has no value, not the value 0. */
function setOrRemove(gauge: Declared['fleetLp'], value: number | undefined): void {
  if (value === undefined) gauge.remove();
  else gauge.set(value);
}

interface Labelled<L extends string> {
  reset(): void;
  inc(labels: Partial<Record<L, string>>, value: number): void;
}

function setAll<L extends string>(metric: Labelled<L>, label: L, values: Readonly<Record<string, number>>): void {
  metric.reset();
  for (const [name, value] of Object.entries(values)) {
    metric.inc({ [label]: name } as Partial<Record<L, string>>, value);
  }
}
