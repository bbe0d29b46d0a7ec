// The sender on each VM: once per interval one load report to the collector, over UDP.
import type { Address, Millis } from '../../model.ts';
import { encodeReport } from '../load-report.ts';
import { createSender } from './sender.ts';
import { signer } from './signer.ts';
import { memoryPercent, networkBytes, openCpuMeter, type CpuMeter } from './usage.ts';

export interface AgentOptions {
  readonly group: string;
  /** The id that the provider's list shows. */
  readonly vm: string;
  readonly collector: Address;
  /** Empty: an open group. A function is asked at each report: the secret may change. */
  readonly secret: string | (() => string);
  readonly intervalMs: number;
  /** Cores that this VM may use, where it is a process without a cgroup of its own. */
  readonly cpuQuota?: number;
  /** What it used of them up to now, in core-milliseconds, where it is more than this process. */
  readonly usedMs?: () => number;
  /** Bytes received and sent up to now, where the machine's interfaces don't tell this VM's share. */
  readonly network?: () => { readonly in: number; readonly out: number };
  /** The cloud takes this VM away then, as far as the VM has heard. */
  readonly interruptAt?: () => Millis | undefined;
}

export interface Agent {
  /** What 100 % stands for. */
  readonly meter: Pick<CpuMeter, 'kind' | 'cores'>;
  /** Now, beside the interval: there is news that can't wait. */
  report(): void;
  stop(): Promise<void>;
}

export function startAgent(options: AgentOptions): Agent {
  const { group, vm, collector } = options;
  let signed = { secret: '', sign: signer('') };
  const sender = createSender(collector);
  const meter = openCpuMeter(options.cpuQuota, undefined, options.usedMs);
  const network = options.network ?? networkBytes;
  let sequence = 0;
  let before = { at: performance.now(), cpuMs: meter.usedMs(), ...network() };
  const report = () => {
    const now = { at: performance.now(), cpuMs: meter.usedMs(), ...network() };
    const elapsed = Math.max(1, now.at - before.at);
    const sample = {
      at: Date.now(),
      cpu: percent((now.cpuMs - before.cpuMs) / elapsed / meter.cores),
      memory: memoryPercent(),
      networkIn: perSecond(now.in - before.in, elapsed),
      networkOut: perSecond(now.out - before.out, elapsed),
    };
    before = now;
    sequence += 1;
    const secret = typeof options.secret === 'string' ? options.secret : options.secret();
    if (secret !== signed.secret) signed = { secret, sign: signer(secret) };
    const interruptAt = options.interruptAt?.();
    const news = { group, vm, sequence, sample, ...(interruptAt !== undefined && { interruptAt }) };
    sender.send(encodeReport(news, signed.sign));
  };
  const timer = setInterval(report, options.intervalMs);
  timer.unref();
  return {
    meter,
    report,
    stop: () => {
      clearInterval(timer);
      return sender.close();
    },
  };
}

const percent = (share: number): number => Math.min(100, Math.max(0, share * 100));
const perSecond = (bytes: number, ms: number): number => Math.max(0, (bytes / ms) * 1000);
