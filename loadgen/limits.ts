// What a load must not exceed: `p95>500ms`, `lost>0`, `lost>1%`, `rate<50`. A script or a pipeline fails by them.
import { DURATION, parseQuantity } from '../epcis/domain/quantity.ts';
import type { LoadSummary } from './cli.ts';
import { milliseconds } from './text.ts';
import { OptionError } from './workload/option-error.ts';

type Summary = Pick<LoadSummary, 'ok' | 'lost' | 'elapsed' | 'latency'>;

interface Measure {
  readonly of: (summary: Summary) => number;
  /** Undefined for what can be no value of it. */
  readonly parse: (text: string) => number | undefined;
  readonly show: (value: number) => string;
}

export interface Limit {
  readonly text: string;
  /** A sentence where it fails. */
  readonly failure: (summary: Summary) => string | undefined;
}

const latency = (name: keyof Summary['latency']): Measure => ({
  of: (summary) => summary.latency[name],
  parse: (text) => parseQuantity(DURATION, text),
  show: milliseconds,
});

const plain = (text: string): number | undefined => (/^\d+(\.\d+)?$/.test(text) ? Number(text) : undefined);
const count = (of: Measure['of']): Measure => ({ of, parse: plain, show: String });

const MEASURES: Readonly<Record<string, Measure>> = {
  mean: latency('mean'),
  p50: latency('p50'),
  p95: latency('p95'),
  p99: latency('p99'),
  max: latency('max'),
  lost: count(({ lost }) => lost),
  ok: count(({ ok }) => ok),
  // 200 answered in 10 s: 20 a second
  rate: { of: ({ ok, elapsed }) => ok / (elapsed / 1000), parse: plain, show: (value) => value.toFixed(1) },
};

/** `lost>1%`: of all that ended. 3 of 300: 1 % */
const LOST_SHARE: Measure = {
  of: ({ ok, lost }) => (ok + lost === 0 ? 0 : (100 * lost) / (ok + lost)),
  parse: (text) => plain(text.slice(0, -1)),
  show: (value) => `${value.toFixed(2)}%`,
};

export function parseLimit(text: string): Limit {
  const [, name = '', sign = '', wanted = ''] = /^\s*(\w+)\s*([<>])\s*(\S+)\s*$/.exec(text) ?? [];
  const measure = name === 'lost' && wanted.endsWith('%') ? LOST_SHARE : own(MEASURES, name);
  const bound = measure?.parse(wanted);
  if (measure === undefined || bound === undefined)
    throw new OptionError(
      `--fail-if ${JSON.stringify(text)}: one of ${Object.keys(MEASURES).join(', ')}, < or >, and a value is expected, such as 'p95>500ms', 'lost>0', 'lost>1%' or 'rate<50'.`,
    );
  return {
    text,
    failure(summary) {
      const value = measure.of(summary);
      const fails = sign === '>' ? value > bound : value < bound;
      return fails ? `Failed by ${name}${sign}${wanted}: it is ${measure.show(value)}.` : undefined;
    },
  };
}

const own = <T>(record: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined;
