// Measures what one VM can do, for `mmeliot simulate --vm` and `mmeliot compare --vm`.
import { writeFile } from 'node:fs/promises';
import { Command } from 'commander';
import { calibrate } from '../../loadgen/calibration.ts';
import { lasting } from '../time-left.ts';
import { OptionError } from '../../loadgen/workload/option-error.ts';
import { checkOutput } from './shared/output-file.ts';
import { expectListener } from './shared/listener.ts';
import { untilInterrupted } from './shared/signals.ts';
import { positive } from './shared/simulated-load.ts';
import { durationOf } from './shared/load-options.ts';

interface Options {
  readonly url: string;
  readonly clients: string;
  readonly duration: string;
  readonly warmup: string;
  readonly mix?: string;
  readonly seed: string;
  readonly out: string;
}

export const calibrateCommand = (): Command =>
  new Command('calibrate')
    .description('measure throughput and response time of one VM over the requests at it, and write them to a file')
    .requiredOption('--url <url>', 'a VM, or a gateway with one VM (elasticity.min=1, elasticity.max=1), just started')
    .option('--clients <numbers>', 'clients that never think, one number after the other', '1,2,4,8,16,32')
    .option('--duration <duration>', 'time for each number of clients', '10s')
    .option('--warmup <duration>', 'full load before that, to see how much slower a new VM is; 0s: none', '20s')
    .option('--mix <classes>', 'classes of requests with their weights, as for mmeliot load')
    .option('--seed <number>', 'another seed, other requests', '1')
    .option('--out <file>', 'the file that is written', 'mmeliot-vm.json')
    .action((options) => run(options as Options));

async function run({ url, clients, duration, warmup, mix, seed, out }: Options): Promise<void> {
  await checkOutput('--out', out);
  const interrupted = untilInterrupted();
  const stopping = new AbortController();
  void interrupted.then(() => stopping.abort());
  const counts = clients.split(',').map((text) => positive('--clients', text));
  const times = { duration: durationOf('--duration', duration), warmup: durationOf('--warmup', warmup) };
  const others = { seed: positive('--seed', seed), ...(mix !== undefined && { mix }) };
  await expectListener(url);
  process.stderr.write(`about ${lasting(times.warmup + counts.length * times.duration)} in all\n`);
  const vm = await calibrate({
    ...{ url, clients: counts, ...times, ...others },
    tell: (line) => void process.stdout.write(`${line}\n`),
    signal: stopping.signal,
  }).catch((error: unknown) => {
    throw interrupted.happened ? new OptionError('The calibration was interrupted; nothing was written.') : error;
  });
  for (const { bottleneck } of vm.curve) if (bottleneck !== undefined) process.stderr.write(`mmeliot: ${bottleneck}\n`);
  await writeFile(out, `${JSON.stringify(vm, undefined, 2)}\n`);
  process.stdout.write(`Written to ${out}: use it by mmeliot simulate --vm ${out}\n`);
  process.exit(0);
}
