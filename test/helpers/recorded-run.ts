// Runs as an experiment would have recorded them, for tests of reports.
import type { DecisionRecord } from '../../src/model.ts';
import type { ClientInterval, FleetSample, Run, RunInfo } from '../../loadgen/report/raw.ts';
import type { ReportInput } from '../../loadgen/report/report.ts';

const STARTED = 1_000_000;
const latency = { mean: 100, p50: 90, p95: 200, p99: 300 };

const INFO: RunInfo = {
  ...{ name: 'eliot-ascending-1', policy: 'eliot', profile: 'ascending', repetition: 1, order: 1, seed: 1 },
  startedAt: STARTED,
  load: {
    ...{ profile: 'ascending', max: 10, duration: 360_000, drive: 'bursts', step: 1000 },
    ...{ thinkTime: 0, mix: 'poll=1', seed: 1, timeout: 1000 },
  },
  objective: { ms: 500, share: 0.95 },
  ...{ period: 60_000, high: 70 },
  settings: { 'elasticity.policy': 'eliot', 'elasticity.max': 4 },
  config: {},
  versions: { mmeliot: '0' },
  machine: { cores: 2, loadBefore: 1 },
  bootTimes: [6000],
  result: { sent: 400, ok: 300, lost: 100, lossByCause: { 'status 503': 100 }, latency },
};

/** Energy's golden case: 1 min with 1 VM, 2 min with 2, 3 min with 1; a request of four is lost. */
const FLEET: readonly FleetSample[] = [
  { elapsed: 0, allocated: 1, ready: 1 },
  { elapsed: 60_000, allocated: 2, ready: 1 },
  { elapsed: 90_000, allocated: 2, ready: 2 },
  { elapsed: 180_000, allocated: 1, ready: 1 },
];

const clientInterval = (elapsed: number): ClientInterval => ({
  ...{ elapsed, load: 5, sent: 40, ok: 30, lost: 10, within: [20, 25] },
  latency: { mean: 100, p95: 200 },
});

const CLIENT = Array.from({ length: 10 }, (_, i) => clientInterval((i + 1) * 40_000));

/** LP is 80 in the second period, 50 in the others; a VM is allocated in the second. */
const DECISIONS = Array.from({ length: 6 }, (_, i) => ({
  at: STARTED + (i + 1) * 60_000,
  forecast: { vms: [], lp: i === 1 ? 80 : 50, deltaTp: i },
  decision: { action: i === 1 ? 'allocate' : 'hold' },
})) as unknown as readonly DecisionRecord[];

export const recordedRun = (info: Partial<RunInfo> = {}, fleet = FLEET): Run => ({
  info: { ...INFO, ...info },
  client: CLIENT,
  fleet,
  decisions: DECISIONS,
});

export const RECORDED_VM = { serviceMs: 100, parallel: 1, variation: 1 };

/** Two repetitions of one manager, one of another. */
export const reportInput = (more: Partial<ReportInput> = {}): ReportInput => ({
  title: 'A <test> & more',
  runs: [
    recordedRun(),
    recordedRun({ name: 'eliot-ascending-2', repetition: 2, order: 2 }),
    recordedRun({ name: 'mmeliot-ascending-1', policy: 'mmeliot', order: 3 }),
  ],
  compareWithPaper: true,
  policies: ['eliot', 'mmeliot'],
  profiles: ['ascending'],
  simulated: [],
  vm: RECORDED_VM,
  ...more,
});
