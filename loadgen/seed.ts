// Prepares a data set: the same events for the same seed, so that runs can be compared. Sending them again changes nothing,
// as an EPCIS repository knows an event that it holds already; so a document may also be repeated until it is taken.
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { backOff } from '../epcis/domain/back-off.ts';
import { createSender, STOPPED, type Outcome, type Sender } from './sender.ts';
import { parseUrl, WORKLOAD_DEFAULTS } from './cli.ts';
import { OptionError } from './workload/option-error.ts';
import { xmlDocument } from './workload/documents.ts';
import { createRandom } from './workload/random.ts';
import { read, type SupplyChainOptions } from './workload/supply-chain.ts';

export interface SeedOptions {
  readonly url: string;
  /** How many events. Default 10,000. */
  readonly events?: number;
  /** Default 1. */
  readonly seed?: number;
  /** Time of the first event, ms since the epoch; the others follow by the second. Default 2026-01-01, UTC. */
  readonly from?: number;
  /** Events in one document. Default 100. */
  readonly perDocument?: number;
  /** Documents on their way at once. Default 4. */
  readonly concurrency?: number;
  readonly supplyChain?: Partial<SupplyChainOptions>;
  /** ms until a document without an answer is sent again. Default 60,000. */
  readonly timeout?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly onProgress?: (captured: number, events: number) => void;
  readonly signal?: AbortSignal;
}

export interface SeedSummary {
  readonly events: number;
  readonly captured: number;
  /** Documents that had to be sent more than once. */
  readonly repeated: number;
  /** ms. */
  readonly elapsed: number;
}

const FIRST = Date.UTC(2026, 0, 1);
/** One event a second: times differ, so no two events are the same. */
const SPACING = 1000;
const ATTEMPTS = 5;

export async function runSeed(options: SeedOptions): Promise<SeedSummary> {
  const { url, events = 10_000, concurrency = 4, timeout = 60_000, headers, onProgress, signal } = options;
  const started = performance.now();
  const sender = createSender({ url: parseUrl(url), timeout, vmHeader: 'x-mmeliot-vm', ...(headers && { headers }) });
  const documents = documentsOf(options, events);
  let [captured, repeated] = [0, 0];
  const work = async (): Promise<void> => {
    for (const { body, count } of documents) {
      const attempts = await capture(sender, body, url, signal);
      if (attempts === undefined) return;
      if (attempts > 1) repeated++;
      captured += count;
      onProgress?.(captured, events);
    }
  };
  const stop = (): void => void sender.close();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    // the workers share one generator: each takes the next document
    await Promise.all(Array.from({ length: concurrency }, work));
  } finally {
    signal?.removeEventListener('abort', stop);
    await sender.close();
  }
  return { events, captured, repeated, elapsed: performance.now() - started };
}

/** Whether the last of these events is there already; a server that doesn't answer such a question has none. */
export async function isSeeded({ url, events = 10_000, from = FIRST, headers }: SeedOptions): Promise<boolean> {
  const last = from + (events - 1) * SPACING;
  const [GE_eventTime, LT_eventTime] = [last, last + SPACING].map((time) => new Date(time).toISOString());
  const asked = parseUrl(url);
  asked.pathname = `${asked.pathname.replace(/\/$/, '')}/events`;
  asked.search = new URLSearchParams({ GE_eventTime, LT_eventTime, perPage: '1' } as Record<string, string>).toString();
  const { statusCode, body } = await request(asked, { headers: { ...headers, 'gs1-epcis-version': '2.0.0' } });
  return (await body.text()).includes('"eventTime"') && statusCode === 200;
}

function* documentsOf(options: SeedOptions, events: number): Generator<{ body: string; count: number }> {
  const { seed = 1, from = FIRST, perDocument = 100 } = options;
  const supplyChain = { ...WORKLOAD_DEFAULTS, ...options.supplyChain };
  const random = createRandom(seed);
  for (let first = 0; first < events; first += perDocument) {
    const count = Math.min(perDocument, events - first);
    const readings = Array.from({ length: count }, (_, i) => read(supplyChain, random, from + (first + i) * SPACING));
    yield { body: xmlDocument(readings, new Date(from).toISOString()), count };
  }
}

/** Resolves with the number of attempts it took; undefined when it was stopped before. */
async function capture(sender: Sender, body: string, url: string, signal?: AbortSignal): Promise<number | undefined> {
  for (let attempt = 1; signal?.aborted !== true; attempt++) {
    const { cause, said } = await new Promise<Outcome>((done) => sender.send(captureRequest(body), done));
    if (cause === undefined) return attempt;
    if (cause === STOPPED) return undefined;
    const why = said === undefined ? undefined : `${cause}: ${said.replace(/[.]$/, '')}`;
    if (/^status 4/.test(cause)) {
      const hint = why === undefined ? `(${cause}): is it an EPCIS server that takes captures?` : `(${why}).`;
      throw new OptionError(`${url} refuses the events ${hint}`);
    }
    if (attempt === ATTEMPTS) {
      const hint = why === undefined ? `(${cause}): does it run?` : `(${why}).`;
      throw new OptionError(`${url} took no events in ${ATTEMPTS} attempts ${hint}`);
    }
    await sleep(backOff(attempt, 200, 2_000), undefined, signal && { signal }).catch(() => {});
  }
  return undefined;
}

const captureRequest = (body: string): Parameters<Sender['send']>[0] => ({
  method: 'POST',
  path: '/epcis-repository/capture',
  headers: { 'content-type': 'text/xml; charset=utf-8' },
  body,
});
