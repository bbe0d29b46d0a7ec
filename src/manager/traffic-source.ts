// What the monitor asks of the gateway once a period: the difference of its counters, and the arrivals of each second.
import type { Gateway } from '../balance/core/contract.ts';
import { responseTimesBetween, trafficBetween } from '../balance/core/traffic.ts';
import type { TrafficSource } from '../monitor/monitor.ts';

const SECOND_MS = 1_000;

export interface WatchedTraffic extends TrafficSource {
  close(): Promise<void>;
}

/** Counts from now on. */
export function watchTraffic(gateway: Pick<Gateway, 'counters'>): WatchedTraffic {
  let before = gateway.counters();
  let looked = before;
  let arrivals: number[] = [];
  const timer = setInterval(() => {
    const counters = gateway.counters();
    const seconds = (counters.at - looked.at) / 1000;
    // counters of another process may be no newer than when they were read last
    if (seconds <= 0) return;
    arrivals.push((counters.arrived - looked.arrived) / seconds);
    looked = counters;
  }, SECOND_MS);
  return {
    take(_now, sample) {
      const after = gateway.counters();
      const traffic = { ...trafficBetween(before, after), arrivals };
      const responseTimes = responseTimesBetween(before, after, sample);
      before = after;
      arrivals = [];
      return { traffic, responseTimes };
    },
    close: async () => clearInterval(timer),
  };
}
