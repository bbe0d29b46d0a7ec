// The VMs' load reports. Nothing is heard of them before it is known which VMs there are.
import type { Config } from '../config/schema.ts';
import { startCollector, type Collector, type CollectorOptions } from '../monitor/udp/collector.ts';
import type { Closing } from './closing.ts';
import type { GroupSecret } from './group-secret.ts';

type Listener = Pick<CollectorOptions, 'keysOf' | 'onNotice'>;

export interface Reports {
  readonly collector: Collector;
  /** From now on reports are heard. */
  hear(by: Listener): void;
}

/** The cloud is opened later: its VMs are told where the collector is. */
export async function openReports(
  { collector: options, group }: Config,
  secret: Pick<GroupSecret, 'all'>,
  closing: Closing,
): Promise<Reports> {
  let listener: Listener | undefined;
  const collector = await startCollector({
    ...{ ...options, secret: secret.all, group },
    hears: () => listener !== undefined,
    keysOf: (vm) => listener?.keysOf?.(vm),
    onNotice: () => listener?.onNotice?.(),
  });
  closing.add(() => collector.close());
  return { collector, hear: (by) => void (listener = by) };
}
