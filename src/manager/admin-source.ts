// What the admin server shows, put together from the control loop and the gateway.
import type { AdminSource, ChangeResult } from '../admin/source.ts';
import type { Gateway } from '../balance/core/contract.ts';
import { trafficBetween } from '../balance/core/traffic.ts';
import type { Counters } from '../balance/core/counters.ts';
import type { ControlLoop } from '../loop/control-loop.ts';
import { MmeliotError } from '../errors.ts';
import { decodeChanges } from '../config/changes.ts';
import type { ParameterPatch } from '../loop/journal.ts';
import { conditionsOf, type Facts } from '../loop/conditions.ts';
import { viewOf, type About } from '../loop/view.ts';
import type { PastFile } from './past-file.ts';
import { vmPage } from '../loop/vm-view.ts';
import { Observed } from './observed.ts';

export interface SourceDeps {
  readonly loop: ControlLoop;
  readonly gateway: Gateway;
  readonly about: About;
  readonly config: () => unknown;
  readonly preview: AdminSource['preview'];
  readonly past: PastFile;
  /** The end of what a VM printed. */
  readonly logOf: (id: string) => Promise<string | undefined>;
  /** What conditions are made of besides loop and gateway. */
  readonly facts: () => Pick<Facts, 'queueCapacity' | 'repository' | 'disk' | 'apart' | 'refused'>;
  /** A change was taken. */
  readonly onChange: (patch: ParameterPatch, who: string) => void;
}

/** Periods that a VM's page shows: an hour of 10 s. */
const VM_PERIODS = 360;

/** Of the last seconds: what an operator calls "now". */
const TRAFFIC_SPAN_MS = 5_000;

export function adminSource({
  loop,
  gateway,
  about,
  config,
  preview,
  past,
  logOf,
  facts,
  onChange,
}: SourceDeps): AdminSource {
  const recently = recentTraffic(gateway);
  const observed = new Observed();
  const source: AdminSource = {
    view() {
      const seen = { loop: loop.state(), gatewayVms: gateway.fleet(), traffic: recently() };
      return viewOf({ about, ...seen, ...observed.at(seen.loop, conditionsOf({ ...seen, ...facts() })) });
    },
    decisions: (limit) => loop.records(limit),
    config,
    async vm(id) {
      const life = loop.stepsOf(id);
      const vm = source.view().vms.find((one) => one.id === id);
      if (vm === undefined && life.length === 0) return undefined;
      const log = await logOf(id).catch(() => undefined);
      return vmPage({ id, vm, records: loop.records(VM_PERIODS), life, log });
    },
    preview,
    past: (from, until) => past.read(from, until, loop.records(Infinity)),
    byHand: (deed, who) => loop.byHand(deed, who),
    acknowledge: (problem, who) => loop.acknowledge(problem, who),
    changedParameters: () => loop.state().overrides.map(({ name }) => name),
    setParameters(changes, who) {
      const before = loop.state();
      return change(decodeChanges(changes, before.pendingParameters ?? before.parameters), who);
    },
    async undo(who) {
      const [last] = loop.state().changes;
      if (last?.before === undefined)
        throw new MmeliotError('BAD_REQUEST', 'There is no change of the settings to take back.');
      return change(last.before, who);
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
