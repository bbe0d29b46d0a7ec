// What the admin server shows, put together from the control loop and the gateway.
import type { AdminSource, Author, ManagerState, Problem } from '../admin/source.ts';
import type { Gateway } from '../balance/core/contract.ts';
import { trafficBetween } from '../balance/core/traffic.ts';
import type { Counters } from '../balance/core/counters.ts';
import type { ControlLoop } from '../loop/control-loop.ts';
import { decodeChanges } from '../config/changes.ts';
import type { JournalEntry } from '../loop/journal.ts';
import type { DecisionRecord, StepOutcome } from '../model.ts';

export interface SourceDeps {
  readonly loop: ControlLoop;
  readonly gateway: Gateway;
  /** Constant over the run. */
  readonly about: Pick<ManagerState, 'version' | 'group' | 'provider' | 'gateway'>;
  readonly config: () => unknown;
}

/** Of the last seconds: what an operator calls "now". */
const TRAFFIC_SPAN_MS = 5_000;

export function managerSource(deps: SourceDeps, records: RecentRecords): AdminSource {
  const { loop, gateway } = deps;
  const recently = recentTraffic(gateway);
  const since = new Map<string, number>();
  return {
    state() {
      const state = loop.state();
      const [change] = state.changes;
      const [last] = records.newest(1);
      return {
        ...deps.about,
        at: state.at,
        startedAt: state.startedAt,
        fleet: state.fleet,
        gatewayVms: gateway.fleet(),
        traffic: recently(),
        parameters: state.pendingParameters ?? state.parameters,
        energy: state.energy,
        explanation: state.explanation,
        problems: datedProblems(since, state.at, state.problems, state.warnings),
        ...(last !== undefined && { last }),
        ...(change !== undefined && { lastChange: { who: change.who, at: change.at } }),
      };
    },
    decisions: (limit) => records.newest(limit),
    config: deps.config,
    async setParameters(changes, { who }: Author) {
      const warnings = await loop.setParameters(decodeChanges(changes), who);
      const { parameters, pendingParameters } = loop.state();
      return { parameters: pendingParameters ?? parameters, warnings };
    },
  };
}

/** The last periods for the page, newest first; how many depends on the size of the fleet, so that memory stays bounded. */
export class RecentRecords {
  static readonly MOST = 8640;
  static readonly MOST_VMS = 200_000;
  #records: DecisionRecord[] = [];
  #vms = 0;

  constructor(past: readonly JournalEntry[]) {
    for (const entry of past) {
      if (entry.kind === 'period') this.add(entry.record);
      else if (entry.kind === 'step' && entry.period !== undefined) this.addOutcome(entry.period, entry.outcome);
    }
  }

  add(record: DecisionRecord): void {
    this.#records.push(record);
    this.#vms += record.observation.vms.length;
    while (
      this.#records.length > RecentRecords.MOST ||
      (this.#vms > RecentRecords.MOST_VMS && this.#records.length > 1)
    ) {
      this.#vms -= this.#records.shift()?.observation.vms.length ?? 0;
    }
  }

  addOutcome(period: number, outcome: StepOutcome): void {
    const at = this.#records.findLastIndex((record) => record.period === period);
    const record = this.#records[at];
    if (record !== undefined) this.#records[at] = { ...record, outcome: [...record.outcome, outcome] };
  }

  newest(limit: number): readonly DecisionRecord[] {
    return this.#records.slice(-limit).reverse();
  }
}

/** The difference of two readings, the older one TRAFFIC_SPAN_MS ago or as long as somebody has been looking. */
function recentTraffic(gateway: Gateway) {
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

/** The loop says what is the matter now; the page also says since when. */
function datedProblems(
  since: Map<string, number>,
  now: number,
  errors: readonly string[],
  warnings: readonly string[],
): readonly Problem[] {
  const current = new Set([...errors, ...warnings]);
  for (const message of since.keys()) if (!current.has(message)) since.delete(message);
  const dated = (severity: Problem['severity']) => (message: string) => {
    if (!since.has(message)) since.set(message, now);
    return { since: since.get(message) ?? now, severity, message };
  };
  return [...errors.map(dated('error')), ...warnings.map(dated('warning'))];
}
