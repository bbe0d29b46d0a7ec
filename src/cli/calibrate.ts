// Measures what one VM can do, for `mmeliot simulate --vm` and `mmeliot compare --vm`.
import { writeFile } from 'node:fs/promises';
import { Command } from 'commander';
import { parseDuration, runLoad, type LoadSummary } from '../../loadgen/cli.ts';
import { OptionError } from '../../loadgen/workload/option-error.ts';
import type { CurvePoint } from '../simulate/vm-model.ts';
import { untilInterrupted } from './signals.ts';
import { positive, told } from './simulated-load.ts';

interface Options {
  readonly url: string;
  readonly clients: string;
  readonly duration: string;
  readonly mix?: string;
  readonly seed: string;
  readonly out: string;
}

export const calibrateCommand = (): Command =>
  new Command('calibrate')
    .description('measure throughput and response time of one VM over the requests at it, and write them to a file')
    .requiredOption('--url <url>', 'a VM, or a gateway with one VM (elasticity.min=1, elasticity.max=1)')
    .option('--clients <numbers>', 'clients that never think, one number after the other', '1,2,4,8,16,32')
    .option('--duration <duration>', 'time for each number of clients', '10s')
    .option('--mix <classes>', 'classes of requests with their weights, as for mmeliot load')
    .option('--seed <number>', 'another seed, other requests', '1')
    .option('--out <file>', 'the file that is written', 'mmeliot-vm.json')
    .action((options) => told(() => calibrate(options as Options)));

async function calibrate(options: Options): Promise<void> {
  const interrupted = untilInterrupted();
  const stopping = new AbortController();
  void interrupted.then(() => stopping.abort());
  const curve: CurvePoint[] = [];
  let variation: number | undefined;
  for (const clients of options.clients.split(',').map((text) => positive('--clients', text))) {
    const result = await measured(options, clients, stopping.signal);
    if (interrupted.happened) throw new OptionError('The calibration was interrupted; nothing was written.');
    const point = pointOf(result, clients);
    process.stdout.write(
      `${clients} clients: ${point.throughput.toFixed(1)} requests a second in ${point.responseMs.toFixed(1)} ms\n`,
    );
    variation ??= variationOf(result);
    curve.push(point);
  }
  await writeFile(options.out, `${JSON.stringify({ curve, variation }, undefined, 2)}\n`);
  process.stdout.write(`Written to ${options.out}: use it by mmeliot simulate --vm ${options.out}\n`);
  process.exit(0);
}

function measured({ url, duration, mix, seed }: Options, clients: number, signal: AbortSignal): Promise<LoadSummary> {
  return runLoad({
    url,
    profile: 'constant',
    drive: 'closed',
    thinkTime: 0,
    max: clients,
    duration: parseDuration(duration),
    seed: positive('--seed', seed),
    signal,
    ...(mix === undefined ? {} : { mix }),
  });
}

function pointOf({ ok, lost, elapsed, latency, vms, bottleneck }: LoadSummary, clients: number): CurvePoint {
  const names = Object.keys(vms).length;
  if (names > 1)
    throw new OptionError(`${names} VMs answered: calibrate one alone, with elasticity.min=1 and elasticity.max=1.`);
  if (ok === 0)
    throw new OptionError(`No request was answered (${lost} were lost): is the URL that of a running system?`);
  if (bottleneck !== undefined) process.stderr.write(`mmeliot: ${bottleneck}\n`);
  return { concurrency: clients, throughput: (1000 * ok) / elapsed, responseMs: latency.mean };
}

/**
 * How the work of requests scatters, from those that had the VM for themselves: of a lognormal distribution
 * mean ÷ median = √(1 + variation²). Worked: mean 12 ms, median 10 ms: √(1.44 − 1) = 0.66.
 */
const variationOf = ({ latency: { mean, p50 } }: LoadSummary): number =>
  p50 > 0 ? Math.round(100 * Math.sqrt(Math.max(0, (mean / p50) ** 2 - 1))) / 100 : 1;
