// What one VM can do, measured alone: how much slower it is while it is new, its service curve, how steady it is, how the
// work of requests scatters, and whether it serves them one after the other. The simulator's VM is made of this.
import { runLoad, type LoadOptions, type LoadSummary } from './cli.ts';
import type { Calibration } from './report/raw.ts';
import { fitWarming, scatterOf, type Second } from './report/vm-speed.ts';
import { OptionError } from './workload/option-error.ts';

export interface CalibrationOptions {
  /** A VM, or a gateway with one VM. */
  readonly url: string;
  readonly mix?: string;
  /** Clients that never think, one number after the other. */
  readonly clients: readonly number[];
  /** ms for each number of clients, and for the bursts at the end. */
  readonly duration: number;
  /** ms with the most clients before that, to see how much slower the VM is at first. */
  readonly warmup: number;
  readonly seed: number;
  /** What was measured, a line each. */
  readonly tell?: (line: string) => void;
  readonly signal?: AbortSignal;
}

type Curve = Calibration['curve'];

/** Rejects with the signal's reason when it was stopped. */
export async function calibrate(options: CalibrationOptions): Promise<Calibration> {
  const { clients, duration, warmup, tell = () => undefined } = options;
  const most = Math.max(...clients);
  const first = warmup > 0 ? await measured(options, { drive: 'closed', max: most, duration: warmup }) : undefined;
  const curve: Curve[number][] = [];
  let variation: number | undefined;
  let unsteadiness = 0;
  for (const count of clients) {
    const { result, seconds } = await measured(options, { drive: 'closed', max: count, duration });
    const point = pointOf(result, count);
    if (count === most) unsteadiness = scatterOf(seconds);
    tell(`${count} clients: ${point.throughput.toFixed(1)} requests a second in ${point.responseMs.toFixed(1)} ms`);
    variation ??= variationOf(result);
    curve.push(point);
  }
  const best = Math.max(...curve.map(({ throughput }) => throughput));
  const warming = fitWarming(first?.seconds ?? [], best);
  if (warming !== undefined)
    tell(`new: ${Math.round(100 * warming.speed)} % of full speed, full after ${warming.requests} requests`);
  tell(`its speed varies by ${Math.round(100 * unsteadiness)} % from second to second`);
  const inTurn = await servesInTurn(options, best);
  tell(inTurn ? 'requests are served one after the other' : 'requests share the VM');
  return { curve, ...(variation !== undefined && { variation }), ...(warming && { warming }), inTurn, unsteadiness };
}

async function measured(
  { url, mix, seed, signal }: CalibrationOptions,
  load: Pick<LoadOptions, 'drive' | 'max' | 'duration'>,
): Promise<{ readonly result: LoadSummary; readonly seconds: readonly Second[] }> {
  const seconds: Second[] = [];
  let before = 0;
  const result = await runLoad({
    ...{ url, profile: 'constant', thinkTime: 0, seed, ...load },
    onProgress({ ok, elapsed }) {
      seconds.push({ answered: ok, ms: elapsed - before });
      before = elapsed;
    },
    ...(mix !== undefined && { mix }),
    ...(signal && { signal }),
  });
  signal?.throwIfAborted();
  const { ok, lost, vms } = result;
  const names = Object.keys(vms).length;
  if (names > 1)
    throw new OptionError(`${names} VMs answered: calibrate one alone, with elasticity.min=1 and elasticity.max=1.`);
  if (ok === 0)
    throw new OptionError(`No request was answered (${lost} were lost): is the URL that of a running system?`);
  return { result, seconds };
}

function pointOf({ ok, elapsed, latency, bottleneck }: LoadSummary, concurrency: number): Curve[number] {
  return {
    ...{ concurrency, throughput: (1000 * ok) / elapsed, responseMs: latency.mean },
    ...(bottleneck !== undefined && { bottleneck }),
  };
}

/**
 * How the work of requests scatters (standard deviation ÷ mean), from those that had the VM for themselves: of a lognormal
 * distribution p50 ÷ p10 = e^(1.2816 σ), and variation² = e^(σ²) − 1. Not from the slow half: where a VM's part of a core is
 * cut in time slices, some requests wait for the next slice; and 1 at most, for with small slices many do. Worked: 20 ms, 10 ms: σ = 0.541,
 * variation 0.58.
 */
function variationOf({ latency: { p10, p50 } }: LoadSummary): number {
  const sigma = p10 > 0 ? Math.log(p50 / p10) / 1.2816 : 0;
  return Math.min(1, Math.round(100 * Math.sqrt(Math.exp(sigma ** 2) - 1)) / 100);
}

/**
 * Bursts that keep the VM busy for half of each second. Of k requests at once the mean one waits for half of the others
 * if they are served in turn, and for all of them if they share the VM. Worked: 100 a second, bursts of 50: 250 or 500 ms;
 * below three quarters of the latter, 375 ms, they are served in turn.
 */
async function servesInTurn(options: CalibrationOptions, best: number): Promise<boolean> {
  const burst = Math.min(LARGEST_BURST, Math.max(2, Math.round(best / 2)));
  const { result } = await measured(options, { drive: 'bursts', max: burst, duration: options.duration });
  return result.latency.mean < (0.75 * burst * 1000) / best;
}
const LARGEST_BURST = 500;
