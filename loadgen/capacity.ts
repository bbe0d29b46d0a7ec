// What a running fleet can answer, measured for some seconds: enough to size a load by, where a calibration takes minutes.
import { runLoad } from './cli.ts';
import { OptionError } from './workload/option-error.ts';

export interface CapacityOptions {
  readonly url: string;
  readonly mix?: string;
  readonly seed?: number;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: 6 s. */
  readonly duration?: number;
  readonly signal?: AbortSignal;
}

const CLIENTS = 8;

/** Requests a second that a VM answers under clients that never think: the one that was there longest, where some came or left. */
export async function ratePerVmOf({ duration = 6_000, ...options }: CapacityOptions): Promise<number> {
  const load = { profile: 'constant', drive: 'closed', max: CLIENTS, thinkTime: 0, duration } as const;
  const { ok, lost, elapsed, vms } = await runLoad({ ...options, ...load });
  options.signal?.throwIfAborted();
  if (ok === 0) throw new OptionError(`No request was answered at ${options.url} (${lost} were lost): does it run?`);
  return (1000 * Math.max(...Object.values(vms).map((vm) => vm.ok), Object.keys(vms).length === 0 ? ok : 0)) / elapsed;
}
