// A fleet that never was: what the recorded work would have been for other VMs. The recorded CPU time is shared by as many
// VMs as there would have been; times of response follow from how busy those are. For previews (preview.ts).
import type { Decision, Millis, Observation, Offer, Traffic, Vm, VmObservation } from '../model.ts';
import { mean } from '../predict/index.ts';

interface ModelVm {
  readonly vm: Vm;
  readonly readyAt: Millis;
  readonly cpu: readonly number[];
  readonly responseTime: readonly number[];
}

/** From this mean CPU on more may have been asked for than was done: the rates say how much. */
const SATURATED = 90;
/** M/M/1 has no finite time at 100 %. */
const BUSIEST = 0.98;

export class ModelFleet {
  #vms: readonly ModelVm[];
  #made = 0;
  /** Per cent of one VM that the work takes. */
  #work = 0;

  /** Begins as the recorded fleet is. */
  constructor({ vms }: Observation, bootMs: Millis) {
    this.#vms = vms
      .filter(({ vm }) => vm.state === 'ready' || vm.state === 'pending' || vm.state === 'kept')
      .map(({ vm, cpu, responseTime }) => ({ vm, readyAt: vm.since + bootMs, cpu, responseTime }));
  }

  /** What would have been seen of it where this was recorded. */
  observe(recorded: Observation, window: number): Observation {
    const { at } = recorded;
    this.#vms = this.#vms.filter(({ vm }) => vm.state !== 'draining').map((one) => grown(one, at));
    const serving = this.#vms.filter(({ vm }) => vm.state === 'ready').length;
    this.#work = workIn(recorded) ?? this.#work;
    const cpu = serving === 0 ? 0 : Math.min(100, this.#work / serving);
    const slower = slowdown(recorded, cpu);
    const times = mean(ready(recorded).flatMap(({ responseTime: [newest] }) => newest ?? []));
    this.#vms = this.#vms.map((one) => {
      if (one.vm.state !== 'ready') return one;
      const seen = { ...one, cpu: [cpu, ...one.cpu].slice(0, window) };
      return times === undefined
        ? seen
        : { ...seen, responseTime: [times * slower, ...one.responseTime].slice(0, window) };
    });
    const vms = this.#vms.map(({ vm, cpu: load, responseTime }): VmObservation => {
      return { vm, cpu: load, responseTime, source: 'agent' };
    });
    return { ...recorded, vms, traffic: trafficOf(recorded.traffic, slower) };
  }

  apply({ action, count, vms: leaving = [], purchases = [] }: Decision, at: Millis, bootMs: Millis): void {
    if (action === 'release') {
      this.#vms = this.#vms.map((one) =>
        leaving.includes(one.vm.id) ? { ...one, vm: { ...one.vm, state: 'draining', since: at } } : one,
      );
      return;
    }
    const wanted = Array.from({ length: action === 'allocate' ? count : 0 }, (_, i) => purchases[i]?.offer);
    this.#vms = [...this.#vms, ...wanted.map((offer) => this.#ordered(at, bootMs, offer))];
  }

  #ordered(at: Millis, bootMs: Millis, offer: Offer | undefined): ModelVm {
    const id = `preview-${++this.#made}`;
    return {
      vm: { id, state: 'pending', since: at, ...(offer && { offer }) },
      ...{ readyAt: at + bootMs, cpu: [], responseTime: [] },
    };
  }
}

function grown(one: ModelVm, at: Millis): ModelVm {
  const { vm, readyAt } = one;
  return vm.state === 'pending' && readyAt <= at ? { ...one, vm: { ...vm, state: 'ready', since: readyAt } } : one;
}

const ready = ({ vms }: Observation): readonly VmObservation[] => vms.filter(({ vm }) => vm.state === 'ready');

const cpuOf = (recorded: Observation): number | undefined =>
  mean(ready(recorded).flatMap(({ cpu: [newest] }) => newest ?? []));

/** Worked: two VMs at 60 % are 120; at 95 % with 20 requests a second of which 10 were answered, 2 × 95 × 2 = 380. */
function workIn(recorded: Observation): number | undefined {
  const cpu = cpuOf(recorded);
  if (cpu === undefined) return undefined;
  const { arrivalRate, throughput } = recorded.traffic;
  const unmet = cpu >= SATURATED && throughput > 0 ? Math.max(1, arrivalRate / throughput) : 1;
  return cpu * ready(recorded).length * unmet;
}

/** How much longer an answer takes at this CPU than at the recorded one: 1 / (1 − u), as at an M/M/1 queue. */
function slowdown(recorded: Observation, cpu: number): number {
  const busy = (percent: number): number => 1 - Math.min(BUSIEST, percent / 100);
  return busy(cpuOf(recorded) ?? cpu) / busy(cpu);
}

const trafficOf = (traffic: Traffic, slower: number): Traffic => ({
  ...traffic,
  responseTime: traffic.responseTime * slower,
  inFlight: Math.round(traffic.inFlight * slower),
  // who waited for a VM waits less where they are faster
  ...(slower < 1 && { queued: Math.round(traffic.queued * slower), queueTime: traffic.queueTime * slower }),
});
