// One load as a report: what happened second by second, how long requests took, and the numbers.
import type { LoadSummary } from './cli.ts';
import { distributionOf } from './report/distribution.ts';
import { strokeOf, type Figure, type Line } from './report/figure.ts';
import type { Report } from './report/report.ts';
import { number } from './report/statistics.ts';
import type { Table } from './report/table.ts';
import type { GroupSummary, Latency } from './recorder.ts';
import type { Progress } from './runner.ts';
import { summaryText } from './text.ts';

export interface LoadRun {
  readonly url: string;
  readonly startedAt: Date;
  readonly summary: LoadSummary;
  readonly seconds: readonly Progress[];
  /** Why `--fail-if` failed. */
  readonly failures: readonly string[];
}

export function loadReport({ url, startedAt, summary, seconds, failures }: LoadRun): Report {
  const [what = ''] = summaryText(summary).split('\n');
  const { sent, ok, lost, stopped, elapsed, bottleneck } = summary;
  return {
    title: `Load on ${url}`,
    notes: [
      `${what}. ${startedAt.toISOString().slice(0, 19).replace('T', ' ')} UTC.`,
      `${sent} requests sent, ${ok} answered (${number((ok * 1000) / elapsed)} a second), ${lost} lost${stopped > 0 ? `, ${stopped} cut off at the end` : ''}.`,
      ...failures,
      ...(bottleneck === undefined ? [] : [`The generator was the bottleneck: ${bottleneck}`]),
    ],
    figures: [...overTime(seconds), ...distributionOf('load', sent, ok, summary)],
    tables: [
      groupTable('classes', 'By class of request', { all: summary, ...summary.classes }),
      groupTable('vms', 'By VM that answered', summary.vms),
      causeTable(summary),
    ],
  };
}

function overTime(seconds: readonly Progress[]): readonly Figure[] {
  if (seconds.length < 2) return [];
  const line = (name: string, index: number, of: (second: Progress) => number | null): Line => ({
    name,
    ...strokeOf(index),
    y: seconds.map(of),
  });
  const answered = ({ ok }: Progress, value: number): number | null => (ok > 0 ? value : null);
  return [
    {
      id: 'seconds',
      title: 'Second by second',
      caption: 'Latency counts from the time a request was meant to start, of those answered in that second.',
      xTitle: 'time (s)',
      x: seconds.map(({ elapsed }) => elapsed / 1000 - 0.5),
      panels: [
        {
          title: 'requests a second',
          lines: [
            line('sent', 6, ({ sent }) => sent),
            line('answered', 0, ({ ok }) => ok),
            line('lost', 1, ({ lost }) => lost),
          ],
        },
        {
          title: 'latency (ms)',
          lines: [
            line('mean', 0, (second) => answered(second, second.latency.mean)),
            line('p95', 1, (second) => answered(second, second.latency.p95)),
          ],
        },
        { title: 'requests open', lines: [line('open', 2, ({ open }) => open)], steps: true },
      ],
    },
  ];
}

const LATENCY: readonly (keyof Latency)[] = ['mean', 'p50', 'p95', 'p99', 'max'];

const groupTable = (id: string, title: string, of: Readonly<Record<string, GroupSummary>>): Table => ({
  ...{ id, title, caption: 'Latencies in ms, of successful requests.' },
  columns: ['', 'answered', 'lost', ...LATENCY],
  rows: Object.entries(of).map(([name, { ok, lost, latency }]) => [
    ...[name, `${ok}`, `${lost}`],
    ...LATENCY.map((which) => number(latency[which])),
  ]),
});

const causeTable = ({ lossByCause, saidByCause }: LoadSummary): Table => ({
  ...{ id: 'causes', title: 'Lost by cause', caption: 'Every request without a successful (2xx) answer.' },
  columns: ['cause', 'requests', 'what the answer says'],
  rows: Object.entries(lossByCause).map(([cause, count]) => [cause, `${count}`, saidByCause[cause] ?? '']),
});
