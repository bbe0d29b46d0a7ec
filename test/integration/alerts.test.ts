// The alert rules as Prometheus understands them: they are valid, they fire when they should and only then.
import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';

const RULES = fileURLToPath(new URL('../../src/telemetry/prometheus/alerts.yaml', import.meta.url));
const AT = 'job="mmeliot",instance="a"';

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
];

describe('alert rules', () => {
  it('fire when they should, and only then (by promtool, where Prometheus is installed)', () => {
    const folder = mkdtempSync(join(tmpdir(), 'mmeliot-alerts-'));
    try {
      const file = join(folder, 'cases.yaml');
      writeFileSync(
        file,
        stringify({ rule_files: [RULES], evaluation_interval: '1m', tests: CASES.map(promtoolTest) }),
      );
      const { status, stdout, stderr, error } = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' });
      const missing = error !== undefined && 'code' in error && error.code === 'ENOENT';
      if (!missing) expect(status, stdout + stderr).to.equal(0);
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
