// The alert rules as Prometheus understands them: they are valid, they fire when they should and only then.
import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, stringify } from 'yaml';

const RULES = fileURLToPath(new URL('../../src/telemetry/prometheus/alerts.yaml', import.meta.url));
const AT = 'job="mmeliot",instance="a"';

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly { readonly alert: string; readonly annotations: { readonly runbook?: string } }[];
  }[];
}

/** Values of each series, one a minute, in promtool's notation; and whether the alert fires after 20 minutes. */
interface Case {
  readonly name: string;
  readonly series: Readonly<Record<string, string>>;
  readonly alert: string;
  readonly fires: boolean;
}

const saturated = {
  [`mmeliot_fleet_load_prediction_ratio{${AT}}`]: '0.9x20',
  [`mmeliot_threshold_ratio{${AT},threshold="high"}`]: '0.7x20',
  [`mmeliot_fleet_limit_vms{${AT},bound="max"}`]: '4x20',
};
const decided = { [`mmeliot_period_seconds{${AT}}`]: '10x20' };

const CASES: readonly Case[] = [
  {
    name: 'a manager that stopped deciding 10 minutes ago',
    series: { ...decided, [`mmeliot_last_decision_timestamp_seconds{${AT}}`]: '0+60x10 600x10' },
    alert: 'MmeliotManagerSilent',
    fires: true,
  },
  {
    name: 'a manager that decides',
    series: { ...decided, [`mmeliot_last_decision_timestamp_seconds{${AT}}`]: '0+60x20' },
    alert: 'MmeliotManagerSilent',
    fires: false,
  },
  {
    name: 'a saturated fleet at its maximum',
    series: { ...saturated, [`mmeliot_fleet_vms{${AT},state="ready"}`]: '4x20' },
    alert: 'MmeliotSaturatedAtMax',
    fires: true,
  },
  {
    name: 'a saturated fleet that can still grow',
    series: { ...saturated, [`mmeliot_fleet_vms{${AT},state="ready"}`]: '3x20' },
    alert: 'MmeliotSaturatedAtMax',
    fires: false,
  },
  {
    name: 'three requests lost in a hundred',
    series: {
      [`mmeliot_gateway_requests_total{${AT},class="default"}`]: '0+100x20',
      [`mmeliot_gateway_lost_requests_total{${AT},cause="timeout"}`]: '0+2x20',
      [`mmeliot_gateway_lost_requests_total{${AT},cause="cut"}`]: '0+1x20',
    },
    alert: 'MmeliotRequestsLost',
    fires: true,
  },
  {
    name: 'a database that is down',
    series: {
      [`mmeliot_condition{${AT},condition="repository",status="error"}`]: '1x20',
      [`mmeliot_condition{${AT},condition="repository",status="ok"}`]: '0x20',
    },
    alert: 'MmeliotConditionError',
    fires: true,
  },
  {
    name: 'conditions that are fine',
    series: {
      [`mmeliot_condition{${AT},condition="repository",status="error"}`]: '0x20',
      [`mmeliot_condition{${AT},condition="repository",status="ok"}`]: '1x20',
    },
    alert: 'MmeliotConditionError',
    fires: false,
  },
  {
    name: 'clients that hang up',
    series: {
      [`mmeliot_gateway_requests_total{${AT},class="default"}`]: '0+100x20',
      [`mmeliot_gateway_lost_requests_total{${AT},cause="client-gone"}`]: '0+20x20',
    },
    alert: 'MmeliotRequestsLost',
    fires: false,
  },
  {
    name: 'no VM that is ready',
    series: { [`mmeliot_fleet_vms{${AT},state="ready"}`]: '0x20' },
    alert: 'MmeliotNoVmReady',
    fires: true,
  },
  {
    name: 'one that is',
    series: { [`mmeliot_fleet_vms{${AT},state="ready"}`]: '1x20' },
    alert: 'MmeliotNoVmReady',
    fires: false,
  },
  {
    name: 'an allocation that fails every minute',
    series: { [`mmeliot_steps_total{${AT},step="allocate",result="failed"}`]: '0+1x20' },
    alert: 'MmeliotStepsFail',
    fires: true,
  },
  {
    name: 'one that failed twice, long ago',
    series: { [`mmeliot_steps_total{${AT},step="allocate",result="failed"}`]: '0 2x19' },
    alert: 'MmeliotStepsFail',
    fires: false,
  },
  {
    name: 'VMs that are dark',
    series: { [`mmeliot_fleet_dark_vms{${AT}}`]: '2x20' },
    alert: 'MmeliotVmsDark',
    fires: true,
  },
  {
    name: 'VMs that were dark for a moment',
    series: { [`mmeliot_fleet_dark_vms{${AT}}`]: '0x16 2x2 0x1' },
    alert: 'MmeliotVmsDark',
    fires: false,
  },
  {
    name: 'forged load reports',
    series: { [`mmeliot_collector_datagrams_total{${AT},result="forged"}`]: '0+120x20' },
    alert: 'MmeliotLoadReportsRefused',
    fires: true,
  },
  {
    name: 'load reports that are taken',
    series: { [`mmeliot_collector_datagrams_total{${AT},result="accepted"}`]: '0+120x20' },
    alert: 'MmeliotLoadReportsRefused',
    fires: false,
  },
  ...conditionCases('MmeliotConditionWarning', 'clocks', 'warning', 'note'),
  ...conditionCases('MmeliotConditionNote', 'dry-run', 'note', 'ok'),
  ...conditionCases('MmeliotDiskFilling', 'disk', 'error', 'note'),
  ...conditionCases('MmeliotDiskFilling', 'disk', 'warning', 'ok'),
  {
    name: 'a problem',
    series: { [`mmeliot_problems{${AT},severity="error"}`]: '1x20' },
    alert: 'MmeliotProblem',
    fires: true,
  },
  {
    name: 'none',
    series: { [`mmeliot_problems{${AT},severity="error"}`]: '0x20' },
    alert: 'MmeliotProblem',
    fires: false,
  },
  {
    name: 'an error in the log',
    series: { [`mmeliot_log_messages_total{${AT},level="error"}`]: '0x15 1x5' },
    alert: 'MmeliotErrorsLogged',
    fires: true,
  },
  {
    name: 'warnings in the log',
    series: { [`mmeliot_log_messages_total{${AT},level="warn"}`]: '0+1x20' },
    alert: 'MmeliotErrorsLogged',
    fires: false,
  },
  {
    name: 'a manager that is not reached any more',
    series: { [`up{${AT}}`]: '1x10 0x10', [`mmeliot_build_info{${AT},group="g"}`]: '1x10 _x10' },
    alert: 'MmeliotDown',
    fires: true,
  },
  {
    name: 'something else that is not reached',
    series: {
      [`up{job="node",instance="a"}`]: '0x20',
      [`mmeliot_build_info{${AT},group="g"}`]: '1x20',
      [`up{${AT}}`]: '1x20',
    },
    alert: 'MmeliotDown',
    fires: false,
  },
  ...histogramCases('MmeliotSlow', 'mmeliot_gateway_response_seconds_bucket', ['1', '5'], 'poll'),
  ...histogramCases('MmeliotQueueLong', 'mmeliot_gateway_queue_seconds_bucket', ['0.5', '2'], 'poll'),
  {
    name: 'a capture job of an hour',
    series: { [`mmeliot_backlog_oldest_seconds{${AT}}`]: '3000+60x20' },
    alert: 'MmeliotBacklogOld',
    fires: true,
  },
  {
    name: 'capture jobs of a minute',
    series: { [`mmeliot_backlog_oldest_seconds{${AT}}`]: '60x20' },
    alert: 'MmeliotBacklogOld',
    fires: false,
  },
];

/** A condition with that status for long, and with another one. */
function conditionCases(alert: string, condition: string, bad: string, good: string): readonly Case[] {
  const series = (is: string) =>
    Object.fromEntries(
      [bad, good].map((status) => [
        `mmeliot_condition{${AT},condition="${condition}",status="${status}"}`,
        status === is ? '1x20' : '0x20',
      ]),
    );
  return [bad, good].map((is) => ({ name: `${condition}: ${is}`, series: series(is), alert, fires: is === bad }));
}

/** All requests between the two bounds, which is too slow, and all below the first. */
function histogramCases(
  alert: string,
  metric: string,
  bounds: readonly [string, string],
  ofClass: string,
): readonly Case[] {
  const series = (within: string) =>
    Object.fromEntries(
      [...bounds, '+Inf'].map((le) => [
        `${metric}{${AT},class="${ofClass}",le="${le}"}`,
        le === '+Inf' || Number(le) >= Number(within) ? '0+60x20' : '0x20',
      ]),
    );
  return bounds.map((within) => ({
    name: `${metric}: ${within} s`,
    series: series(within),
    alert,
    fires: within === bounds[1],
  }));
}

describe('alert rules', () => {
  it('are each told by a case that fires and one that does not, and have a place in the runbook', () => {
    const { groups } = parse(readFileSync(RULES, 'utf8')) as Rules;
    const rules = groups.flatMap((group) => group.rules);
    const told = (fires: boolean) =>
      [...new Set(CASES.filter((one) => one.fires === fires).map((one) => one.alert))].sort();
    const names = rules.map(({ alert }) => alert).sort();
    expect(told(true)).to.deep.equal(names);
    expect(told(false)).to.deep.equal(names);
    const runbook = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8');
    for (const { alert, annotations } of rules) {
      expect(annotations.runbook).to.equal(`docs/operating.md#${alert.toLowerCase()}`);
      expect(runbook).to.match(new RegExp(`^#{2,4} ${alert}$`, 'm'));
    }
  });

  it('fire when they should, and only then (by promtool)', () => {
    const folder = mkdtempSync(join(tmpdir(), 'mmeliot-alerts-'));
    try {
      const file = join(folder, 'cases.yaml');
      writeFileSync(
        file,
        stringify({ rule_files: [RULES], evaluation_interval: '1m', tests: CASES.map(promtoolTest) }),
      );
      const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' });
      expect(status, stdout + stderr).to.equal(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

function promtoolTest({ name, series, alert, fires }: Case): object {
  return {
    name,
    interval: '1m',
    input_series: Object.entries(series).map(([one, values]) => ({ series: one, values: constant(values) })),
    promql_expr_test: [
      {
        expr: `count(ALERTS{alertname="${alert}",alertstate="firing"})`,
        eval_time: '20m',
        exp_samples: fires ? [{ labels: '{}', value: 1 }] : [],
      },
    ],
  };
}

/** `4x20` is 4+0x20 in promtool's words. */
const constant = (values: string): string => values.replace(/(^| )(\d+(?:[.]\d+)?)x/g, '$1$2+0x');
