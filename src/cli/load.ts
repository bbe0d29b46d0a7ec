import { Command } from 'commander';
import { parseDuration, runLoad, type LoadOptions } from '../../loadgen/cli.ts';
import { DRIVES } from '../../loadgen/profiles/pacer.ts';
import { progressLine, summaryText } from '../../loadgen/text.ts';
import { numberOf, oneOf, optionErrors } from './shared/load-options.ts';
import { untilInterrupted } from './shared/signals.ts';

type Options = Readonly<Record<string, string | undefined>>;

export function loadCommand(): Command {
  return new Command('load')
    .description('put load on a gateway, or on any EPCIS server')
    .option('--url <url>', 'where the load goes', 'http://127.0.0.1:8080')
    .option(
      '--profile <name>',
      'ascending, descending, constant, step, spike, wave, exponential or trace:<file>',
      'ascending',
    )
    .option('--max <number>', "load at the profile's highest point")
    .option(
      '--duration <duration>',
      'how long requests are sent, for instance 90s or 2m (default: 2m; a trace: its own)',
    )
    .option(
      '--drive <kind>',
      'bursts (requests at each step), batch (the same, each after the last one was answered), closed (clients) or open (arrivals a second)',
      'bursts',
    )
    .option('--step <duration>', 'time between bursts or batches', '1s')
    .option('--think-time <duration>', "mean time between an answer and a client's next request (closed)", '1s')
    .option('--arrivals <kind>', 'poisson or even (open)', 'poisson')
    .option('--mix <classes>', 'classes of requests with their weights, for instance poll=50,rest=30')
    .option('--seed <number>', 'another seed, other tags and other chances', '1')
    .option('--timeout <duration>', 'a request without its whole answer by then is lost', '30s')
    .action((options: Options) => optionErrors(() => load(options)));
}

async function load(options: Options): Promise<void> {
  const interrupted = untilInterrupted();
  const stopping = new AbortController();
  void interrupted.then(() => stopping.abort());
  const live = process.stderr.isTTY;
  let shown = 0;
  const result = await runLoad({
    ...loadOptions(options),
    signal: stopping.signal,
    onProgress(progress) {
      // on a terminal one line that changes; in a log one line every ten seconds
      if (live) process.stderr.write(`\r\x1b[K${progressLine(progress)}`);
      else if (shown++ % 10 === 9) process.stderr.write(`${progressLine(progress)}\n`);
    },
  });
  if (live) process.stderr.write('\r\x1b[K');
  process.stdout.write(`${summaryText(result)}\n`);
  process.exit(interrupted.happened ? 130 : 0);
}

function loadOptions(given: Options): LoadOptions {
  const ms = (text: string) => parseDuration(text);
  const wanted: Partial<Record<keyof LoadOptions, unknown>> = {
    profile: given['profile'],
    max: given['max'] === undefined ? undefined : numberOf('--max', given['max']),
    duration: given['duration'] === undefined ? undefined : ms(given['duration']),
    drive: oneOf('--drive', given['drive'], DRIVES),
    step: ms(given['step'] ?? '1s'),
    thinkTime: ms(given['thinkTime'] ?? '1s'),
    arrivals: oneOf('--arrivals', given['arrivals'], ['poisson', 'even']),
    mix: given['mix'],
    seed: numberOf('--seed', given['seed'] ?? '1'),
    timeout: ms(given['timeout'] ?? '30s'),
  };
  const set = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
  return { url: given['url'] ?? '', ...(set as Partial<LoadOptions>) };
}
