// A whole small world around the control loop: clock, cloud, gateway, agents and disk, all in memory.
import type { Provider } from '../../src/act/provider.ts';
import { DEFAULT_PARAMETERS, type ElasticityParameters } from '../../src/decide/parameters.ts';
import { createControlLoop, type ControlLoop, type ControlLoopDeps } from '../../src/loop/control-loop.ts';
import type { JournalEntry } from '../../src/loop/journal.ts';
import type { SavedState } from '../../src/loop/saved-state.ts';
import type { Backlog, Traffic } from '../../src/model.ts';
import { Monitor } from '../../src/monitor/monitor.ts';
import { FakeClock } from './fake-clock.ts';
import { FakeGateway } from './fake-gateway.ts';
import { FakeProvider } from './fake-provider.ts';

export const NO_TRAFFIC: Traffic = {
  arrivalRate: 0,
  throughput: 0,
  inFlight: 0,
  queued: 0,
  queueTime: 0,
  responseTime: 0,
  lost: 0,
};

export class World {
  readonly clock = new FakeClock();
  readonly provider = new FakeProvider(() => this.clock.steady());
  readonly gateway = new FakeGateway();
  readonly journal: JournalEntry[] = [];
  saved: SavedState | undefined;
  /** CPU that the agent of a VM reports; undefined: it is silent. */
  cpu: (vm: string) => number | undefined = () => 50;
  /** Response times of VMs in ms. */
  responseTimes: () => ReadonlyMap<string, number> = () => new Map();
  traffic: () => Traffic = () => NO_TRAFFIC;
  backlog: () => Backlog | undefined = () => undefined;
  isReady: (vm: string) => boolean = (vm) => this.provider.vms.has(vm);
  #marks = 0;

  deps(parameters: Partial<ElasticityParameters> = {}): ControlLoopDeps {
    const { clock, provider, gateway } = this;
    return {
      clock,
      provider,
      gateway,
      isReady: (vm) => Promise.resolve(this.isReady(vm)),
      monitor: new Monitor(
        {
          latest: (vm) => this.#report(vm),
          forget: () => undefined,
        },
        { take: () => ({ traffic: this.traffic(), responseTimes: this.responseTimes() }) },
        () => this.backlog(),
      ),
      store: {
        load: () => Promise.resolve(copy(this.saved)),
        save: async (state) => {
          this.saved = copy(state);
        },
      },
      journal: { append: (entry) => this.journal.push(copy(entry)) },
      newMark: () => `mark-${++this.#marks}`,
      parameters: { ...DEFAULT_PARAMETERS, ...parameters },
      past: this.journal,
    };
  }

  loop(parameters: Partial<ElasticityParameters> = {}): ControlLoop {
    return createControlLoop(this.deps(parameters));
  }

  /** Over another provider than the world's own, such as a packed one. */
  loopOn(provider: Provider, parameters: Partial<ElasticityParameters> = {}): ControlLoop {
    return createControlLoop({ ...this.deps(parameters), provider });
  }

  #report(vm: string) {
    const cpu = this.cpu(vm);
    if (cpu === undefined) return undefined;
    const at = this.clock.now();
    return { sample: { at, cpu, memory: 40, networkIn: 0, networkOut: 0 }, receivedAt: at };
  }
}

/** As it comes back from a disk. */
const copy = <T>(value: T): T => (value === undefined ? value : (JSON.parse(JSON.stringify(value)) as T));
