// Every metric, declared here and nowhere else. README.md lists them; a test compares the two.
// Names follow Prometheus' conventions: base units (seconds, ratios), `_total` for what only grows.
import { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client';
import { CountedTimes } from './counted-times.ts';

export type Declared = ReturnType<typeof declare>;

export function declare(registry: Registry) {
  const registers = [registry];
  const counter = <L extends string>(name: string, help: string, labelNames: L[]): Counter<L> =>
    new Counter({ name: `mmeliot_${name}`, help, labelNames, registers });
  const gauge = <L extends string>(name: string, help: string, labelNames: L[]): Gauge<L> =>
    new Gauge({ name: `mmeliot_${name}`, help, labelNames, registers });
  const seconds = <L extends string>(name: string, help: string, labelNames: L[], buckets: number[]): Histogram<L> =>
    new Histogram({ name: `mmeliot_${name}`, help, labelNames, buckets, registers });
  const counted = (name: string, help: string) => new CountedTimes(`mmeliot_${name}`, help, registry);
  return {
    buildInfo: gauge('build_info', 'Always 1; the labels say what runs.', ['version', 'group', 'provider']),

    requests: counter('gateway_requests_total', 'Requests that arrived.', ['class']),
    answers: counter('gateway_answers_total', 'Requests answered successfully.', ['class']),
    lost: counter('gateway_lost_requests_total', 'Requests without a successful answer.', ['cause']),
    retries: counter('gateway_retries_total', 'Requests sent to a second VM after the first failed.', []),
    refused: counter(
      'gateway_refused_requests_total',
      'Refused before they counted: malformed, of nobody known, too many of one client.',
      [],
    ),
    inFlight: gauge('gateway_requests_in_flight', 'Requests at VMs now.', []),
    queued: gauge('gateway_requests_queued', 'Requests waiting for a VM now.', ['class']),
    responseSeconds: counted(
      'gateway_response_seconds',
      'Time from choosing the VM to the last byte, successful requests.',
    ),
    queueSeconds: counted('gateway_queue_seconds', 'Time that requests waited for a VM.'),

    workVms: gauge('work_vms', 'VMs that do stored work, by state, where the group has such.', ['state']),
    backlogJobs: gauge('backlog_jobs', 'Jobs (captures, exports, maintenance) that are not finished.', []),
    backlogEvents: gauge('backlog_events', 'Events in those jobs.', []),
    backlogAge: gauge('backlog_oldest_seconds', 'Age of the oldest of those jobs.', []),
    replicaLag: gauge(
      'replica_lag_seconds',
      'How far the replica that queries read from is behind, to about 2 s; absent while it does not tell.',
      [],
    ),

    fleetVms: gauge('fleet_vms', 'VMs by state.', ['state']),
    fleetLimit: gauge('fleet_limit_vms', 'Bounds of the fleet.', ['bound']),
    fleetLp: gauge('fleet_load_prediction_ratio', 'LP of the fleet, 0 to 1.', []),
    fleetTp: gauge('fleet_time_prediction_seconds', 'TP of the fleet.', []),
    fleetDeltaTp: gauge('fleet_time_prediction_change_ratio', 'Delta TP: change of TP over a period, signed.', []),
    threshold: gauge('threshold_ratio', 'What LP and delta TP are compared with.', ['threshold']),
    warming: gauge('fleet_warming_vms', 'VMs with too few samples to be evidence.', []),
    dark: gauge('fleet_dark_vms', 'VMs of whose load nothing is known.', []),
    vmSeconds: counter('fleet_vm_seconds_total', 'Energy: seconds that VMs were allocated, summed over VMs.', []),

    fleetPrice: gauge('fleet_price', "What all VMs cost an hour, now, in the provider's currency.", []),
    fleetCost: counter('fleet_cost_total', "What they have cost, in the provider's currency.", []),
    fleetSaved: gauge('fleet_saved', 'What the same VMs would have cost more on demand since the start.', []),
    fleetMarkets: gauge('fleet_market_vms', 'VMs by market.', ['market']),
    fleetNoticed: gauge('fleet_noticed_vms', 'VMs that the cloud has given notice of.', []),

    vmNode: gauge('vm_node_info', 'The machine that carries a VM, where several may be on one.', ['vm', 'node']),
    nodes: gauge('nodes', 'Machines that carry VMs, by state.', ['state']),
    nodeCores: gauge('node_cores', 'Cores of the machines that carry VMs, and those that their VMs may use.', [
      'which',
    ]),
    nodePrice: gauge(
      'nodes_price',
      "What the machines that carry VMs cost an hour, now, in the provider's currency.",
      [],
    ),
    nodeRefused: counter('node_orders_refused_total', 'Orders that nodes refused, by why.', ['reason']),

    vmPrice: gauge('vm_price', "What a VM costs an hour, now, in the provider's currency.", ['vm']),
    vmLp: gauge('vm_load_prediction_ratio', 'LP of a VM, 0 to 1.', ['vm']),
    vmTp: gauge('vm_time_prediction_seconds', 'TP of a VM.', ['vm']),
    vmCpu: gauge('vm_cpu_ratio', 'Newest CPU sample of a VM, 0 to 1 of what it may use.', ['vm']),
    vmMemory: gauge('vm_memory_ratio', 'Newest memory sample of a VM, 0 to 1 of what it may use.', ['vm']),
    vmRequests: counter('vm_requests_total', 'Requests sent to a VM.', ['vm']),
    vmErrors: counter('vm_errors_total', 'Requests a VM answered with a server error or not at all.', ['vm']),
    vmAnswers: counter('vm_answers_total', 'Requests a VM answered successfully.', ['vm']),
    vmAnswerSeconds: counter('vm_answer_seconds_total', 'Time that those answers took, summed.', ['vm']),

    decisions: counter('decisions_total', 'Decisions, holds too.', ['policy', 'action', 'rule', 'guard']),
    lastDecision: gauge('last_decision_timestamp_seconds', 'When the last decision was taken.', []),
    periodSeconds: seconds('period_part_seconds', 'Time that each part of a period took.', ['part'], PERIOD_BUCKETS),
    period: gauge('period_seconds', 'The control interval.', []),
    steps: counter('steps_total', 'Steps taken towards provider and gateway.', ['step', 'result']),
    stepSeconds: seconds('step_seconds', 'Time that successful steps took.', ['step'], STEP_BUCKETS),
    problems: gauge('problems', 'What an operator should look at now.', ['severity']),
    condition: gauge('condition', 'What is true of the manager: 1 at the status of each condition.', [
      'condition',
      'status',
    ]),
    logged: counter('log_messages_total', 'Warnings and errors that were logged.', ['level']),

    datagrams: counter('collector_datagrams_total', 'Load reports that arrived, by what became of them.', ['result']),
  };
}

const PERIOD_BUCKETS = [0.0001, 0.001, 0.01, 0.1, 1, 10];
const STEP_BUCKETS = [0.1, 0.5, 1, 5, 10, 30, 60, 120, 300];
