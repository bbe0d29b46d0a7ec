// What carries the simulated traffic: request by request (request-traffic.ts) or as a fluid (fluid-traffic.ts).
import type { Selector } from '../balance/core/selectors/selector.ts';
import type { Millis, ResponseSample } from '../model.ts';
import type { TrafficReport } from '../monitor/monitor.ts';
import type { VmModel } from './vm-model.ts';

/** The load over the time of the run (ms from its start). */
export type Load =
  /** arrivals a second, at random (Poisson) */
  | { readonly kind: 'open'; readonly at: (t: Millis) => number }
  /** clients that wait for their answer and then think */
  | { readonly kind: 'closed'; readonly at: (t: Millis) => number; readonly thinkMs: number }
  /** requests sent at once, every `stepMs` */
  | { readonly kind: 'bursts'; readonly at: (t: Millis) => number; readonly stepMs: number }
  /** the same, but the next ones only after the last ones have ended, and a step after them at the earliest */
  | { readonly kind: 'batch'; readonly at: (t: Millis) => number; readonly stepMs: number };

export interface TrafficSettings {
  readonly vm: VmModel;
  readonly load: Load;
  /** Requests slower than this are violations. */
  readonly objectiveMs: number;
  /** T of Apdex. */
  readonly apdexMs: number;
  /** Requests a VM takes at once; the others wait in the gateway. `auto`: as the gateway finds it out. */
  readonly perVm: number | 'auto';
  readonly queueCapacity: number;
  readonly queueDeadlineMs: number;
  /** Of a fluid: how long its steps are. Default 1 s. */
  readonly stepMs?: Millis;
  /** How the gateway chooses a VM, request by request; default: the VM with the fewest requests. */
  readonly selector?: Selector;
}

export interface TrafficModel {
  /** Lets the time pass. */
  advance(to: Millis): void;
  add(vm: string): void;
  /** No new request goes there. */
  drain(vm: string): void;
  /** Whether nothing is at the VM any more. */
  isEmpty(vm: string): boolean;
  /** Requests still there are lost. */
  remove(vm: string): void;
  /** The VM has crashed: its requests are asked again of others, as the gateway does with queries. */
  crash(vm: string): void;
  /** ms that the VM would have worked at full speed for what it did since it was added; undefined: not there. */
  busyMs(vm: string): number | undefined;
  /** As the gateway reports it: since the last call. */
  takeTraffic(sample: ResponseSample): TrafficReport;
  /** For the measures: since the last call. */
  takeOutcomes(): Outcomes;
}

/** Counts of what became of requests, as Interval of measures.ts has them. */
export class Outcomes {
  arrived = 0;
  answered = 0;
  lost = 0;
  responseSum = 0;
  slow = 0;
  satisfied = 0;
  tolerated = 0;
}
