// What the admin server shows, put together from the control loop and the gateway.
import type { AdminSource } from '../admin/source.ts';
import type { Gateway } from '../balance/core/contract.ts';
import { trafficBetween } from '../balance/core/traffic.ts';
import type { Counters } from '../balance/core/counters.ts';
import type { ControlLoop } from '../loop/control-loop.ts';
import { decodeChanges } from '../config/changes.ts';
import { viewOf, type About, type LoopState, type Problem } from '../loop/view.ts';
import type { Millis } from '../model.ts';

export interface SourceDeps {
  readonly loop: ControlLoop;
  readonly gateway: Gateway;
  readonly about: About;
  readonly config: () => unknown;
}

/** Of the last seconds: what an operator calls "now". */
const TRAFFIC_SPAN_MS = 5_000;

export function adminSource({ loop, gateway, about, config }: SourceDeps): AdminSource {
  const recently = recentTraffic(gateway);
  const dated = datedProblems();
  return {
    view() {
      const state = loop.state();
      const problems = dated(state);
      return viewOf({ about, loop: state, gatewayVms: gateway.fleet(), traffic: recently(), problems });
    },
    decisions: (limit) => loop.records(limit),
    config,
    async setParameters(changes, who) {
      const warnings = await loop.setParameters(decodeChanges(changes), who);
      const { parameters, pendingParameters } = loop.state();
      return { parameters: pendingParameters ?? parameters, warnings };
    },
  };
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

/** The loop says what is the matter now; the view also says since when. */
function datedProblems(): (state: LoopState) => readonly Problem[] {
  const since = new Map<string, Millis>();
  return ({ at, problems, warnings }) => {
    const current = new Set([...problems, ...warnings]);
    for (const message of since.keys()) if (!current.has(message)) since.delete(message);
    const dated = (severity: Problem['severity']) => (message: string) => {
      if (!since.has(message)) since.set(message, at);
      return { since: since.get(message) ?? at, severity, message };
    };
    return [...problems.map(dated('error')), ...warnings.map(dated('warning'))];
  };
}
