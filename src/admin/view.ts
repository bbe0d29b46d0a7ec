// What the page shows, made from what the manager says: small enough to be sent every second.
import type { Backlog, DecisionRecord, Millis, Traffic, Vm, VmForecast, VmState } from '../model.ts';
import type { ManagerState } from './source.ts';

export interface StateView extends Omit<ManagerState, 'fleet' | 'gatewayVms' | 'last' | 'traffic'> {
  readonly counts: Readonly<Record<VmState, number>>;
  /** At most `MOST_VMS`: first those that aren't ready, then the most loaded. */
  readonly vms: readonly VmView[];
  readonly traffic: Traffic;
  readonly lp?: number;
  readonly tp?: number;
  readonly deltaTp?: number;
  /** Absent while the repository doesn't tell. */
  readonly backlog?: Backlog;
}

export interface VmView extends Vm {
  readonly lp?: number;
  readonly cpu?: number;
  readonly memory?: number;
  readonly warming: boolean;
  readonly dark: boolean;
  /** Requests at it now, and how many it takes at once. */
  readonly inFlight?: number;
  readonly limit?: number;
  /** ms. */
  readonly responseTime?: number;
}

/** One period, for the charts and the list of decisions. */
export interface PeriodView {
  readonly at: Millis;
  readonly period: number;
  readonly policy: string;
  readonly action: string;
  readonly count: number;
  readonly rule: string;
  readonly reason: string;
  readonly guard?: string;
  /** What was done, and what of it failed. */
  readonly outcome: DecisionRecord['outcome'];
  readonly ready: number;
  /** VMs that cost something: all that are allocated. */
  readonly vms: number;
  readonly lp?: number;
  readonly tp?: number;
  readonly deltaTp?: number;
  readonly responseTime: number;
  readonly arrivalRate: number;
  readonly throughput: number;
  readonly lost: number;
}

/** A page with ten thousand rows helps nobody. */
const MOST_VMS = 200;

export function stateView(state: ManagerState, most = MOST_VMS): StateView {
  const { fleet, gatewayVms, last, ...rest } = state;
  const forecasts = new Map(last?.forecast.vms.map((vm) => [vm.id, vm]));
  const observed = new Map(last?.observation.vms.map((vm) => [vm.vm.id, vm]));
  const atGateway = new Map(gatewayVms.map((vm) => [vm.id, vm]));
  const counts = { pending: 0, ready: 0, draining: 0, releasing: 0, failed: 0 };
  for (const vm of fleet) counts[vm.state]++;
  const vms = fleet.map((vm): VmView => {
    const { lp, warming = false, dark = false }: Partial<VmForecast> = forecasts.get(vm.id) ?? {};
    const gateway = atGateway.get(vm.id);
    const seen = observed.get(vm.id);
    return {
      ...vm,
      ...(gateway?.state === 'out' && gateway.note !== undefined && { note: gateway.note }),
      ...defined({ lp, cpu: seen?.cpu[0], memory: seen?.latest?.memory }),
      ...defined({ inFlight: gateway?.inFlight, limit: gateway?.limit, responseTime: gateway?.responseTime }),
      warming,
      dark,
    };
  });
  const { lp, tp, deltaTp } = last?.forecast ?? {};
  const backlog = last?.observation.backlog;
  return { ...rest, counts, vms: shown(vms, most), ...defined({ lp, tp, deltaTp, backlog }) };
}

export function periodView(record: DecisionRecord): PeriodView {
  const { at, period, policy, decision, outcome, forecast, observation } = record;
  const { action, count, rule, reason, guard } = decision;
  const { responseTime, arrivalRate, throughput, lost } = observation.traffic;
  const { lp, tp, deltaTp } = forecast;
  return {
    ...{ at, period, policy, action, count, rule, reason, outcome },
    ...{ responseTime, arrivalRate, throughput, lost },
    ready: observation.vms.filter(({ vm }) => vm.state === 'ready').length,
    vms: observation.vms.length,
    ...defined({ lp, tp, deltaTp, guard: guard?.name }),
  };
}

function shown(vms: readonly VmView[], most: number): readonly VmView[] {
  if (vms.length <= most) return vms;
  const urgency = (vm: VmView): number => (vm.state === 'ready' ? (vm.lp ?? 0) : 1000);
  return [...vms].sort((a, b) => urgency(b) - urgency(a)).slice(0, most);
}

/** Only the entries that have a value, as exact optional fields want them. */
function defined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
