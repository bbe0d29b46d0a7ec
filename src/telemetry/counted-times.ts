// A histogram of times that others have counted, by buckets of src/histogram.ts: it takes Prometheus' form when somebody asks,
// wherever the gateway is that counts.
import type { Metric, Registry } from '@prometheus-io/client';
import { BUCKETS, upTo } from '../histogram.ts';

/** Those of 1 ms, 2 ms, 4 ms ... to 65 s. */
const SHOWN = Array.from({ length: 17 }, (_, i) => 4 * i);

interface Value {
  readonly metricName: string;
  readonly value: number;
  readonly labels: Readonly<Record<string, string | number>>;
}

export class CountedTimes {
  readonly type = 'histogram';
  readonly name: string;
  readonly help: string;
  #values: Value[] = [];

  constructor(name: string, help: string, registry: Registry) {
    this.name = name;
    this.help = help;
    // what the registry asks of a metric is what stands here
    registry.registerMetric(this as unknown as Metric);
  }

  /** `sum` in ms. */
  read(ofClass: string, times: readonly number[], sum: number): void {
    const below = (bucket: number) => times.slice(0, bucket + 1).reduce((all, count) => all + count, 0);
    const add = (part: string, value: number, labels: object = {}) =>
      this.#values.push({ metricName: `${this.name}_${part}`, value, labels: { class: ofClass, ...labels } });
    for (const bucket of SHOWN) add('bucket', below(bucket), { le: upTo(bucket) / 1000 });
    add('bucket', below(BUCKETS), { le: '+Inf' });
    add('sum', sum / 1000);
    add('count', below(BUCKETS));
  }

  reset(): void {
    this.#values = [];
  }

  async get() {
    return { name: this.name, help: this.help, type: this.type, aggregator: 'sum', values: this.#values };
  }
}
