import { Command } from 'commander';
import { FILLED, loadOf, parseUrl, type LoadOptions, type runLoad } from '../../loadgen/cli.ts';
import { DRIVES } from '../../loadgen/profiles/pacer.ts';
import { traceText } from '../../loadgen/profiles/trace.ts';
import { ratePerVmOf } from '../../loadgen/capacity.ts';
import { isSeeded, runSeed } from '../../loadgen/seed.ts';
import { parseLimit } from '../../loadgen/limits.ts';
import { maxOf } from '../../loadgen/plan.ts';
import { DEFAULT_MIX } from '../../loadgen/workload/mix.ts';
import { parseMix } from '../../loadgen/workload/parse-mix.ts';
import { askAdmin, configuredGateway, withAdmin } from './shared/admin-client.ts';
import { billBetween, billText, fleetBill } from './shared/fleet-bill.ts';
import { outrunText, progressLine, summaryText } from '../../loadgen/text.ts';
import { loadReport } from '../../loadgen/load-report.ts';
import type { Progress } from '../../loadgen/runner.ts';
import { writePage } from '../../loadgen/write-report.ts';
import { checkOutput } from './shared/output-file.ts';
import { GeneratorGone, joinLoad } from '../../loadgen/together.ts';
import { expectListener } from './shared/listener.ts';
import { generators, type Generators } from './shared/generators.ts';
import { asClient, durationOf, loadMax, numberOf, oneOf } from './shared/load-options.ts';
import { seedProgress } from './shared/seed-progress.ts';
import { untilInterrupted } from './shared/signals.ts';

type Options = Readonly<Record<string, string | undefined>>;

interface ReportOptions {
  readonly failIf?: readonly string[];
  readonly json?: true;
  readonly html?: string;
}

interface Others extends Generators {
  readonly join?: string;
}

export const loadCommand = (): Command =>
  withAdmin(new Command('load'))
    .description(
      'put load on a gateway, or on any EPCIS server; with the key in MMELIOT_KEY where clients have to be known',
    )
    .option('--url <url>', 'where the load goes (default: the gateway, as the configuration says)')
    .option(
      '--profile <name>',
      'ascending, descending, constant, step, spike, wave, exponential or trace:<file>',
      'ascending',
    )
    .option(
      '--max <number>',
      "load at the profile's highest point, or its share of what the largest fleet answers, measured before (default: 60)",
    )
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
    .option(
      '--fail-if <limit...>',
      "exit status 1 where it came to that: 'p95>500ms', 'lost>0', 'lost>1%', 'rate<50' (mean, p50, p95, p99, max, lost, ok, rate)",
    )
    .option('--workers <number>', 'so many generators make the load together, as processes of this machine', '1')
    .option('--listen <address>', 'host:port at which the workers join from elsewhere, instead of being started here')
    .option(
      '--join <url>',
      'be one of the workers of a load that was started elsewhere; it says all that is to be sent',
    )
    .option('--html <file>', 'what came out as one page: second by second, distribution, classes, VMs')
    .option('--json', 'what came out as JSON, and nothing else on standard output')
    .action(({ failIf, json, html, workers, listen, join, ...rest }: Options & ReportOptions & Others) => {
      if (join !== undefined) return takePart(join);
      const run = generators({ ...(workers && { workers }), ...(listen && { listen }) });
      return load(rest, { ...(failIf && { failIf }), ...(json && { json }), ...(html && { html }) }, run);
    });

/** Ctrl-C in the terminal reaches the workers as well: they end when the load does. */
async function takePart(url: string): Promise<void> {
  parseUrl(url);
  void untilInterrupted();
  const isCounted = await joinLoad(url, asClient().headers);
  if (!isCounted)
    process.stderr.write('mmeliot: The load has ended without this generator: what it sent counts nowhere.\n');
  process.exit(isCounted ? 0 : 1);
}

async function load(options: Options, { failIf = [], json, html }: ReportOptions, run: typeof runLoad): Promise<void> {
  const limits = failIf.map(parseLimit);
  if (html !== undefined) await checkOutput('--html', html);
  const interrupted = untilInterrupted();
  const stopping = new AbortController();
  void interrupted.then(() => stopping.abort());
  const live = process.stderr.isTTY;
  let shown = 0;
  const given = loadOptions({ ...options, url: options['url'] ?? (await configuredGateway(options['config'])) });
  if (options['max'] !== undefined) loadMax(options['max']);
  const { trace } = await loadOf(given);
  if (trace !== undefined) process.stderr.write(`${given.profile}: ${traceText(trace)}\n`);
  const capturing = captures(given);
  await expectListener(given.url);
  if (capturing) process.stderr.write(`This load captures events at ${given.url}, and they stay there.\n`);
  const bill = () => fleetBill(given.url, { admin: '', ...options });
  const before = await bill();
  const seconds: Progress[] = [];
  const startedAt = new Date();
  const result = await run({
    ...given,
    ...(options['max'] !== undefined && { max: await highest(options['max'], given, options, stopping.signal) }),
    signal: stopping.signal,
    onProgress(progress) {
      if (html !== undefined) seconds.push(progress);
      // on a terminal one line that changes; in a log one line every ten seconds
      if (live) process.stderr.write(`\r\x1b[K${progressLine(progress)}`);
      else if (shown++ % 10 === 9) process.stderr.write(`${progressLine(progress)}\n`);
    },
  }).catch((error: unknown) => {
    if (!(error instanceof GeneratorGone)) throw error;
    process.stderr.write(`${live ? '\r\x1b[K' : ''}mmeliot: ${error.message}\n`);
    return process.exit(1);
  });
  if (live) process.stderr.write('\r\x1b[K');
  const failures = limits.map(({ failure }) => failure(result)).filter((sentence) => sentence !== undefined);
  const spent = billBetween(before, before && (await bill()));
  const text = spent === undefined ? summaryText(result) : `${summaryText(result)}\n\n${billText(spent)}`;
  if (html !== undefined)
    await writePage(loadReport({ url: given.url, startedAt, summary: result, seconds, failures }), html);
  const data = { ...result, ...(spent && { cost: spent.cost }), failures };
  process.stdout.write(`${json ? JSON.stringify(data, undefined, 2) : text}\n`);
  for (const sentence of failures) process.stderr.write(`mmeliot: ${sentence}\n`);
  const unanswered = result.sent > 0 && result.ok === 0;
  if (unanswered) process.stderr.write(`mmeliot: No request was answered: does an EPCIS server run at ${given.url}?\n`);
  process.exit(interrupted.happened ? 130 : unanswered || failures.length > 0 ? 1 : 0);
}

const captures = ({ mix }: LoadOptions): boolean =>
  Object.entries(mix === undefined ? DEFAULT_MIX : parseMix(mix)).some(
    ([name, weight]) => weight > 0 && /^(capture|event)/.test(name),
  );

/** A share is one of what the largest fleet answers: measured now on the VMs that there are. */
async function highest(text: string, load: LoadOptions, options: Options, signal: AbortSignal): Promise<number> {
  const wanted = loadMax(text);
  if (typeof wanted === 'number') return wanted;
  const { parameters, vms: there } = await askAdmin<Following>(options, '/api/state');
  const { max: vms } = parameters;
  const { url, mix, seed } = load;
  if (captures(load) && !(await isSeeded({ url, events: FILLED, ...asClient() }))) {
    process.stderr.write(
      `Capturing ${FILLED} events first: where there is little to find, a VM answers faster than later.\n`,
    );
    await runSeed({ url, events: FILLED, signal, ...asClient(), ...seedProgress() });
  }
  process.stderr.write('Measuring for 6 s what the fleet answers.\n');
  const rate = await ratePerVmOf({ url, signal, ...asClient(), ...(mix && { mix }), ...(seed && { seed }) });
  const fleet = rate * vms;
  const max = maxOf(
    wanted,
    load.drive === 'open' || load.drive === 'closed' ? fleet : (fleet * (load.step ?? 1000)) / 1000,
  );
  process.stderr.write(
    `A VM answers ${rate.toFixed(1)} requests a second, ${vms} VMs ${fleet.toFixed(0)}: --max ${max}\n`,
  );
  if ((load.profile ?? 'ascending') === 'ascending') {
    const boot = Math.max(0, ...there.map(({ bootTime = 0 }) => bootTime));
    const rise = { ...parameters, boot, vms: max / rate, duration: load.duration ?? 120_000 };
    const outrun = outrunText(rise);
    if (outrun !== undefined) process.stderr.write(`${outrun}\n`);
  }
  return max;
}

/** Of the manager's state, what says how large and how fast a fleet grows. */
interface Following {
  readonly parameters: { readonly max: number; readonly period: number; readonly warmup: number };
  readonly vms: readonly { readonly bootTime?: number }[];
}

function loadOptions(given: Options): LoadOptions {
  const wanted: Partial<Record<keyof LoadOptions, unknown>> = {
    profile: given['profile'],
    duration: given['duration'] === undefined ? undefined : durationOf('--duration', given['duration']),
    drive: oneOf('--drive', given['drive'], DRIVES),
    step: durationOf('--step', given['step'] ?? '1s'),
    thinkTime: durationOf('--think-time', given['thinkTime'] ?? '1s'),
    arrivals: oneOf('--arrivals', given['arrivals'], ['poisson', 'even']),
    mix: given['mix'],
    seed: numberOf('--seed', given['seed'] ?? '1'),
    timeout: durationOf('--timeout', given['timeout'] ?? '30s'),
  };
  const set = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
  return { url: given['url'] ?? '', ...asClient(), ...(set as Partial<LoadOptions>) };
}
