import { expect } from 'chai';
import type { Counters } from '../../../src/balance/core/counters.ts';
import { BUCKETS } from '../../../src/histogram.ts';
import type { Backlog } from '../../../src/model.ts';
import { createMetrics, type Metrics } from '../../../src/telemetry/metrics.ts';
import { ScriptedSource, vm } from '../admin/scripted-source.ts';

const counts = (some: Readonly<Record<number, number>>) =>
  Array.from({ length: BUCKETS }, (_, bucket) => some[bucket] ?? 0);

const COUNTERS: Counters = {
  at: 0,
  arrived: 120,
  answered: 110,
  retried: 3,
  refused: 2,
  lost: {
    'queue-full': 4,
    'all-out': 0,
    deadline: 0,
    'vm-failed': 1,
    timeout: 0,
    cut: 0,
    'error-answer': 0,
    repository: 0,
    'client-gone': 5,
    closed: 0,
  },
  queueTime: { sum: 0, count: 0 },
  responseTime: { sum: 5500, count: 110 },
  inFlight: 6,
  queued: 2,
  vms: new Map([['vm-1', { responseTime: { sum: 5500, count: 110 }, sent: 118, errors: 1, failed: 2 }]]),
  classes: [
    {
      name: 'default',
      arrived: 120,
      answered: 110,
      lost: 10,
      queueTime: { sum: 30, count: 2 },
      serviceTime: { sum: 5500, count: 110 },
      // one below 2 ms, both below 32 ms
      waits: counts({ 4: 1, 20: 1 }),
      times: counts({ 0: 10, 8: 99, 91: 1 }),
      queued: 2,
    },
  ],
};

/** The value of one line of the exposition, undefined where there is none. */
async function valueOf(metrics: Metrics, series: string): Promise<number | undefined> {
  const line = (await metrics.text()).split('\n').find((one) => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

describe('metrics', () => {
  let source: ScriptedSource;
  let metrics: Metrics;
  let backlog: Backlog | undefined;

  beforeEach(() => {
    backlog = undefined;
    source = new ScriptedSource();
    metrics = createMetrics({
      version: '1.2.3',
      gateway: () => COUNTERS,
      manager: () => source.view(),
      collector: () => ({ accepted: 40, forged: 2 }),
      log: () => ({ warn: 3, error: 1 }),
      backlog: () => backlog,
    });
  });

  const expectSeries = async (expected: Readonly<Record<string, number | undefined>>): Promise<void> => {
    const found: Record<string, number | undefined> = {};
    for (const series of Object.keys(expected)) found[series] = await valueOf(metrics, series);
    expect(found).to.eql(expected);
  };

  it('count what the gateway counted, however often they are asked', async () => {
    await metrics.text();
    await expectSeries({
      'mmeliot_gateway_requests_total{class="default"}': 120,
      'mmeliot_gateway_answers_total{class="default"}': 110,
      'mmeliot_gateway_response_seconds_bucket{class="default",le="0.001"}': 10,
      'mmeliot_gateway_response_seconds_bucket{class="default",le="0.004"}': 109,
      'mmeliot_gateway_response_seconds_bucket{class="default",le="65.536"}': 109,
      'mmeliot_gateway_response_seconds_bucket{class="default",le="+Inf"}': 110,
      'mmeliot_gateway_response_seconds_count{class="default"}': 110,
      'mmeliot_gateway_response_seconds_sum{class="default"}': 5.5,
      'mmeliot_gateway_queue_seconds_bucket{class="default",le="0.002"}': 1,
      'mmeliot_gateway_queue_seconds_bucket{class="default",le="0.032"}': 2,
      'mmeliot_gateway_queue_seconds_count{class="default"}': 2,
      'mmeliot_gateway_lost_requests_total{cause="client-gone"}': 5,
      mmeliot_gateway_retries_total: 3,
      mmeliot_gateway_refused_requests_total: 2,
      mmeliot_gateway_requests_in_flight: 6,
      'mmeliot_gateway_requests_queued{class="default"}': 2,
      'mmeliot_vm_requests_total{vm="vm-1"}': 118,
      'mmeliot_vm_errors_total{vm="vm-1"}': 3,
      'mmeliot_vm_answer_seconds_total{vm="vm-1"}': 5.5,
      'mmeliot_collector_datagrams_total{result="forged"}': 2,
      'mmeliot_log_messages_total{level="error"}': 1,
    });
  });

  it('tell the backlog while the repository does', async () => {
    await expectSeries({ mmeliot_backlog_jobs: undefined, mmeliot_backlog_oldest_seconds: undefined });
    backlog = { jobs: 2, events: 1000, age: 4500 };
    await expectSeries({
      mmeliot_backlog_jobs: 2,
      mmeliot_backlog_events: 1000,
      mmeliot_backlog_oldest_seconds: 4.5,
    });
  });

  it('show the fleet, its signals and what they are compared with, in base units', async () => {
    const offer = { id: 'a', size: { name: 'a', vcpu: 1 }, market: 'interruptible', pool: 'a', price: 0.01 } as const;
    source.fleet = [vm('vm-1', 'ready'), { ...vm('vm-2', 'pending'), offer, interruptAt: 9 }];
    source.bill = { rate: 0.08, cost: 1.5, saved: 6, prices: { 'vm-2': 0.01 }, isPriced: true };
    source.play(64, { tp: 250, deltaTp: -12 });
    source.conditions = [{ name: 'disk', status: 'warning', reason: 'Only 1 GB.', since: 0 }];
    source.problems = [{ since: 0, severity: 'error', message: 'x' }];
    await expectSeries({
      'mmeliot_build_info{version="1.2.3",group="mmeliot",provider="local"}': 1,
      'mmeliot_fleet_vms{state="ready"}': 1,
      'mmeliot_fleet_vms{state="failed"}': 0,
      mmeliot_fleet_load_prediction_ratio: 0.64,
      mmeliot_fleet_time_prediction_seconds: 0.25,
      mmeliot_fleet_time_prediction_change_ratio: -0.12,
      'mmeliot_threshold_ratio{threshold="high"}': 0.7,
      'mmeliot_fleet_limit_vms{bound="max"}': 4,
      'mmeliot_vm_load_prediction_ratio{vm="vm-1"}': 0.64,
      'mmeliot_vm_cpu_ratio{vm="vm-2"}': 0.64,
      mmeliot_fleet_vm_seconds_total: 750,
      mmeliot_fleet_price: 0.08,
      mmeliot_fleet_cost_total: 1.5,
      mmeliot_fleet_saved: 6,
      'mmeliot_fleet_market_vms{market="interruptible"}': 1,
      'mmeliot_fleet_market_vms{market="on-demand"}': 1,
      mmeliot_fleet_noticed_vms: 1,
      'mmeliot_vm_price{vm="vm-2"}': 0.01,
      'mmeliot_problems{severity="error"}': 1,
      'mmeliot_condition{condition="disk",status="warning"}': 1,
      'mmeliot_condition{condition="disk",status="ok"}': 0,
      mmeliot_period_seconds: 10,
    });
  });

  it('have no value for a signal that is undefined, and forget VMs that are gone', async () => {
    await expectSeries({ mmeliot_fleet_load_prediction_ratio: undefined });
    source.play(64);
    await expectSeries({ mmeliot_fleet_load_prediction_ratio: 0.64, 'mmeliot_vm_cpu_ratio{vm="vm-1"}': 0.64 });
    source.fleet = [vm('vm-2', 'ready')];
    source.play(32);
    await expectSeries({ 'mmeliot_vm_cpu_ratio{vm="vm-1"}': undefined, 'mmeliot_vm_cpu_ratio{vm="vm-2"}': 0.32 });
  });

  it('leave out single VMs of a very large fleet', async () => {
    source.fleet = Array.from({ length: 1001 }, (_, i) => vm(`vm-${i}`, 'ready'));
    source.play(64);
    await expectSeries({ 'mmeliot_vm_cpu_ratio{vm="vm-1"}': undefined, 'mmeliot_fleet_vms{state="ready"}': 1001 });
  });

  it('count decisions with rule and guard, and steps as they happen', async () => {
    source.play(80, { action: 'allocate' });
    metrics.period(source.records[0]!, { observe: 2, decide: 0.5 });
    metrics.outcome({ step: 'allocate', vm: 'vm-2', ok: true, durationMs: 4000 });
    metrics.outcome({ step: 'allocate', vm: 'vm-3', ok: false, durationMs: 9 });
    await expectSeries({
      'mmeliot_decisions_total{policy="mmeliot",action="allocate",rule="above-high",guard=""}': 1,
      'mmeliot_period_part_seconds_sum{part="observe"}': 0.002,
      'mmeliot_steps_total{step="allocate",result="ok"}': 1,
      'mmeliot_steps_total{step="allocate",result="failed"}': 1,
      'mmeliot_step_seconds_sum{step="allocate"}': 4,
    });
    expect(await valueOf(metrics, 'mmeliot_last_decision_timestamp_seconds')).to.equal(source.now / 1000);
  });

  it('say nothing of what a process does not have, or does not know yet', async () => {
    const gateway = createMetrics({ version: '1', gateway: () => COUNTERS });
    const manager = createMetrics({ version: '1', manager: () => source.view() });
    expect(await valueOf(gateway, 'mmeliot_gateway_retries_total')).to.equal(3);
    expect(await valueOf(manager, 'mmeliot_period_seconds')).to.equal(10);
    expect(await gateway.text()).not.to.match(/^mmeliot_(fleet|last|period|threshold|problems)\S* /m);
    expect(await manager.text()).not.to.match(/^mmeliot_(gateway|vm_requests|last)\S* /m);
  });
});
