// Situations for policies and guards, said in few words.
import type { Situation } from '../../src/decide/common/policy.ts';
import type { Backlog, Fleet, PeriodSummary, VmForecast } from '../../src/model.ts';

export interface Said {
  readonly lp?: number;
  readonly tp?: number;
  readonly deltaTp?: number;
  readonly cpu?: number;
  readonly concurrency?: number;
  readonly arrivalRate?: number;
  readonly queueTime?: number;
  readonly backlog?: Backlog;
  /** Ready VMs; `vm-1` is the oldest. */
  readonly ready?: number;
  readonly pending?: number;
  readonly warming?: number;
  readonly dark?: number;
  readonly min?: number;
  readonly max?: number;
  readonly now?: number;
  readonly history?: readonly PeriodSummary[];
  /** LP of each ready VM; otherwise all have the fleet's. */
  readonly lps?: readonly number[];
}

export function situation(said: Said = {}): Situation {
  const { ready = 1, pending = 0, warming = 0, dark = 0, min = 1, max = 4, now = 1_000_000, history = [] } = said;
  const fleet: Fleet = [
    ...Array.from({ length: ready }, (_, i) => ({ id: `vm-${i + 1}`, state: 'ready' as const, since: i })),
    ...Array.from({ length: pending }, (_, i) => ({ id: `new-${i + 1}`, state: 'pending' as const, since: now })),
  ];
  const vms = fleet.map((vm, i): VmForecast => ({
    id: vm.id,
    lp: said.lps?.[i] ?? said.lp ?? 0,
    tp: said.tp ?? 0,
    warming: i < warming,
    dark: i < dark,
  }));
  const { lp, tp, deltaTp, cpu = lp } = said;
  const fleetForecast = {
    ...(lp === undefined ? {} : { lp }),
    ...(tp === undefined ? {} : { tp }),
    ...(deltaTp === undefined ? {} : { deltaTp }),
  };
  return {
    now,
    fleet,
    forecast: { vms, ...fleetForecast },
    present: {
      at: now,
      vms: ready + pending,
      ready,
      ...(cpu === undefined ? {} : { cpu }),
      ...fleetForecast,
      arrivalRate: said.arrivalRate ?? 0,
      concurrency: said.concurrency ?? 0,
      ...(said.queueTime === undefined ? {} : { queueTime: said.queueTime }),
      ...(said.backlog === undefined ? {} : { backlog: said.backlog }),
    },
    history,
    limits: { min, max },
  };
}

/** The past, newest first: one period every `every` ms before `now`, each as `of` says. */
export function past(
  periods: number,
  of: (i: number) => Partial<PeriodSummary>,
  { now = 1_000_000, every = 10_000 } = {},
): readonly PeriodSummary[] {
  return Array.from({ length: periods }, (_, i) => ({
    at: now - (i + 1) * every,
    vms: 1,
    ready: 1,
    arrivalRate: 0,
    concurrency: 0,
    action: 'hold' as const,
    count: 0,
    ...of(i),
  }));
}
