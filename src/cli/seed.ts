import { Command } from 'commander';
import { runSeed } from '../../loadgen/seed.ts';
import { seedText } from '../../loadgen/text.ts';
import { configuredGateway } from './shared/admin-client.ts';
import { seedProgress } from './shared/seed-progress.ts';
import { asClient, durationOf, wholeNumber } from './shared/load-options.ts';
import { untilInterrupted } from './shared/signals.ts';

type Options = Readonly<Record<'events' | 'seed' | 'timeout', string>> & {
  readonly url?: string;
  readonly config?: string;
};

export function seedCommand(): Command {
  return new Command('seed')
    .description(
      'fill a repository with events of the synthetic application; the same seed, the same events; with the key in MMELIOT_KEY where clients have to be known',
    )
    .option('--url <url>', 'where the events go (default: the gateway, as the configuration says)')
    .option('-c, --config <file>', 'configuration file (default: mmeliot.yaml where it exists)')
    .option('--events <number>', 'how many', '10000')
    .option('--seed <number>', 'another seed, other events', '1')
    .option('--timeout <duration>', 'a document without an answer by then is sent again', '60s')
    .action((options: Options) => seed(options));
}

async function seed(options: Options): Promise<void> {
  const interrupted = untilInterrupted();
  const stopping = new AbortController();
  void interrupted.then(() => stopping.abort());
  const result = await runSeed({
    url: options.url ?? (await configuredGateway(options.config)),
    ...asClient(),
    events: wholeNumber('--events', options.events),
    seed: wholeNumber('--seed', options.seed),
    timeout: durationOf('--timeout', options.timeout),
    signal: stopping.signal,
    ...seedProgress(),
  });
  process.stdout.write(`${seedText(result)}\n`);
  process.exit(interrupted.happened ? 130 : 0);
}
