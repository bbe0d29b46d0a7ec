// What the admin server shows, put together from the control loop and the gateway.
import type { AdminSource, ChangeResult } from '../admin/source.ts';
import type { Gateway } from '../balance/core/contract.ts';
import { trafficBetween } from '../balance/core/traffic.ts';
import type { Counters } from '../balance/core/counters.ts';
import { showPrice } from '../fleet/money.ts';
import type { ControlLoop } from '../loop/control-loop.ts';
import { decodeChanges } from '../config/changes.ts';
import type { ParameterPatch } from '../loop/journal.ts';
import { conditionsOf, WORK_CONDITIONS } from '../loop/conditions.ts';
import type { Facts } from '../loop/finding.ts';
import type { GatewayVm } from '../loop/loop-state.ts';
import { takenBack } from '../loop/settings.ts';
import { ofWork, problemName, viewOf, withWork, type About, type ManagerView, type ShownJob } from '../loop/view.ts';
import type { PastFile } from './past-file.ts';
import { vmPage } from '../loop/vm-view.ts';
import type { Traffic } from '../model.ts';
import { Observed } from './observed.ts';

export interface SourceDeps {
  readonly loop: ControlLoop;
  /** The VMs that it was told of, and what went through it of late. */
  readonly gateway: { readonly fleet: () => readonly GatewayVm[]; readonly traffic: () => Traffic };
  /** Capture jobs that are not finished, as far as somebody looks at them. */
  readonly jobs?: () => readonly ShownJob[];
  /** The machines that carry VMs, where several may be on one. */
  readonly nodes?: () => NonNullable<ManagerView['nodes']>;
  /** The same of the VMs for stored work, where the group has such. */
  readonly work?: AdminSource;
  readonly about: About;
  readonly config: () => unknown;
  readonly preview: AdminSource['preview'];
  readonly past: PastFile;
  /** The end of what a VM printed. */
  readonly logOf: (id: string) => Promise<string | undefined>;
  /** What conditions are made of besides loop and gateway. */
  readonly facts: () => Pick<
    Facts,
    'queueCapacity' | 'gateways' | 'repository' | 'disk' | 'exposed' | 'apart' | 'refused' | 'nodes'
  >;
  /** A change was taken. */
  readonly onChange: (patch: ParameterPatch, who: string) => void;
}

/** Periods that a VM's page shows: an hour of 10 s. */
const VM_PERIODS = 360;

/** `2 nodes carry 5 VMs, and cost 0.4 an hour. Every node is needed.`: what VMs cost is their part of full nodes. */
function nodesSentence({ list, why }: NonNullable<ManagerView['nodes']>, isPriced: boolean): string {
  const vms = list.reduce((sum, node) => sum + node.vms, 0);
  const carried = `${list.length === 1 ? '1 node carries' : `${list.length} nodes carry`} ${vms === 1 ? '1 VM' : `${vms} VMs`}`;
  const price = showPrice(list.reduce((sum, node) => sum + node.price, 0));
  const costs = isPriced ? `, and ${list.length === 1 ? 'costs' : 'cost'} ${price} an hour` : '';
  return `${carried}${costs}. ${why}`;
}

/** Of the last seconds: what an operator calls "now". */
const TRAFFIC_SPAN_MS = 5_000;

export function adminSource({
  loop,
  gateway,
  work,
  jobs = () => [],
  nodes,
  about,
  config,
  preview,
  past,
  logOf,
  facts,
  onChange,
}: SourceDeps): AdminSource {
  const observed = new Observed();
  const source: AdminSource = {
    view() {
      const seen = { loop: loop.state(), gatewayVms: gateway.fleet(), traffic: gateway.traffic() };
      const conditions = conditionsOf({ ...seen, ...facts() }, about.role === 'work' ? WORK_CONDITIONS : undefined);
      const waiting = jobs();
      const plain = viewOf({ about, ...seen, ...observed.at(seen.loop, conditions) });
      const machines = nodes?.();
      const own = {
        ...plain,
        ...(machines && {
          nodes: machines,
          explanation: [...plain.explanation, nodesSentence(machines, plain.money.isPriced)],
        }),
        ...(waiting.length > 0 && { jobs: waiting }),
      };
      return work === undefined ? own : withWork(own, work.view());
    },
    decisions: (limit) => loop.records(limit),
    config,
    async vm(id) {
      const life = loop.stepsOf(id);
      const vm = source.view().vms.find((one) => one.id === id);
      if (vm === undefined && life.length === 0) return work?.vm(id);
      const log = await logOf(id).catch(() => undefined);
      return vmPage({ id, vm, records: loop.records(VM_PERIODS), life, log });
    },
    preview,
    past: (from, until) => past.read(from, until, loop.records(Infinity)),
    async byHand(deed, who) {
      // a VM's name is enough to know whose it is
      const isWorkers = 'vm' in deed && work?.view().vms.some(({ id }) => id === deed.vm);
      await (isWorkers === true && work !== undefined ? work : loop).byHand(deed, who);
    },
    acknowledge(problem, who) {
      const ofWorkers = work?.view().problems.find((one) => ofWork(one).message === problem);
      if (work !== undefined && ofWorkers !== undefined) work.acknowledge(problemName(ofWorkers), who);
      else loop.acknowledge(problem, who);
    },
    ...(work !== undefined && { work }),
    changedParameters: () => loop.state().overrides.map(({ name }) => name),
    setParameters(changes, who) {
      const before = loop.state();
      return change(decodeChanges(changes, before.pendingParameters ?? before.parameters, about.role), who);
    },
    async undo(who, at) {
      const [last] = loop.state().changes;
      return change(takenBack(last, at), who);
    },
  };
  async function change(patch: ParameterPatch, who: string): Promise<ChangeResult> {
    const warnings = await loop.setParameters(patch, who);
    onChange(patch, who);
    const { parameters, pendingParameters } = loop.state();
    return { parameters: pendingParameters ?? parameters, warnings };
  }
  return source;
}

/** The difference of two readings, the older one TRAFFIC_SPAN_MS ago or as long as somebody has been looking. */
export function recentTraffic(gateway: Pick<Gateway, 'counters'>): () => Traffic {
  let readings: Counters[] = [gateway.counters()];
  return () => {
    const now = gateway.counters();
    readings.push(now);
    const from = Math.max(
      0,
      readings.findLastIndex((reading) => now.at - reading.at >= TRAFFIC_SPAN_MS),
    );
    readings = readings.slice(from);
    return trafficBetween(readings[0] ?? now, now);
  };
}
