// The list of metrics, the dashboard and the alert rules name what is exported, and nothing else.
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { createMetrics } from '../../../src/telemetry/metrics.ts';

const read = (path: string): string => readFileSync(new URL(`../../../src/telemetry/${path}`, import.meta.url), 'utf8');

interface Exported {
  readonly name: string;
  readonly help: string;
  readonly type: string;
}

async function exported(): Promise<Exported[]> {
  const text = await createMetrics({ version: '1' }).text();
  return [...text.matchAll(/^# HELP (mmeliot_\S+) (.*)\n# TYPE \S+ (\S+)/gm)].map(
    ([, name = '', help = '', type = '']) => ({
      name,
      help,
      type,
    }),
  );
}

/** Names as they appear in queries: a histogram has three. */
async function queryable(): Promise<Set<string>> {
  return new Set(
    (await exported()).flatMap(({ name, type }) =>
      type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => name + end) : [name],
    ),
  );
}

const namesIn = (text: string): string[] => [...text.matchAll(/\bmmeliot_[a-z_]+/g)].map(([name]) => name);

describe('metrics, documented', () => {
  it('are all listed in the README, with type and meaning', async () => {
    const listed = read('README.md').match(/^\| `mmeliot_.*$/gm) ?? [];
    const expected = (await exported()).map(({ name, help, type }) => ({ name, type, help }));
    const found = listed.map((line) => {
      const [, name = '', type = '', , help = ''] = line.split('|').map((cell) => cell.trim());
      return { name: name.replaceAll('`', ''), type, help };
    });
    expect(found).to.eql(expected);
  });

  it("follow Prometheus' conventions", async () => {
    for (const { name, type, help } of await exported()) {
      expect(name.endsWith('_total'), name).to.equal(type === 'counter');
      expect(name, name).not.to.match(/_(ms|milliseconds|percent|minutes|count|sum|bucket)$/);
      expect(help, name).to.match(/^[A-Z].*[.]$/);
      if (type === 'histogram') expect(name).to.match(/_seconds$/);
    }
  });

  it('are all that the dashboard asks for', async () => {
    const dashboard = JSON.parse(read('grafana/mmeliot.json')) as {
      panels: { id: number; title: string; gridPos: object; targets: { expr: string }[] }[];
    };
    const queries = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
    expect(queries.length).to.be.greaterThan(25);
    const known = await queryable();
    for (const query of queries) {
      const names = namesIn(query);
      expect(names, query).not.to.eql([]);
      for (const name of names) expect(known.has(name), `${name} in ${query}`).to.equal(true);
    }
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).to.equal(dashboard.panels.length);
  });

  it('are all that the alert rules ask for; each rule says what to do', async () => {
    const { groups } = parse(read('prometheus/alerts.yaml')) as {
      groups: { rules: { alert: string; expr: string; annotations: { summary: string; description: string } }[] }[];
    };
    const known = await queryable();
    const rules = groups.flatMap((group) => group.rules);
    expect(rules.length).to.be.greaterThan(5);
    for (const { alert, expr, annotations } of rules) {
      for (const name of namesIn(expr)) expect(known.has(name), `${name} in ${alert}`).to.equal(true);
      expect(annotations.summary, alert).to.match(/[.]$/);
      expect(annotations.description, alert).to.match(/[.]$/);
      for (const name of namesIn(annotations.description)) expect(known.has(name), name).to.equal(true);
    }
  });
});
