// Several generators as one load: each sends its share, tells every second what became of each request, and one recorder sees
// them all, so percentiles are as exact as those of a single one.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { loadOf, runLoad, type LoadOptions, type LoadSummary } from './cli.ts';
import { Recorder } from './recorder.ts';
import type { RunEvent, RunResult } from './runner.ts';
import { OptionError } from './workload/option-error.ts';

/** What a generator is told when all have come. */
interface Order {
  readonly options: LoadOptions;
  readonly part: { readonly index: number; readonly of: number };
}

/** What it says then, again and again. */
interface News {
  readonly events: readonly RunEvent[];
  readonly open: number;
  readonly result?: Pick<RunResult, 'sent' | 'notSent' | 'elapsed' | 'bottleneck'>;
}

/** The load was tried, and what came of it is not known. */
export class GeneratorGone extends Error {
  override readonly name = 'GeneratorGone';
}

const NEWS_MS = 500;
/** A generator that says nothing for so long is gone. */
const SILENCE_MS = 15_000;

export interface Listening {
  /** What `--join` takes; nobody who doesn't know it can join. */
  readonly url: string;
  /** Resolves when all have ended; rejects when one is gone. */
  readonly load: Promise<LoadSummary>;
  /** A generator that will not come. */
  readonly fail: (reason: Error) => void;
}

export interface Leading {
  /** Generators that are wanted. */
  readonly of: number;
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** How many wait: one has come, or has gone before the load began. */
  readonly onWaiting?: (there: number) => void;
  readonly silenceMs?: number;
}

/** Waits for so many generators, and lets them begin together. */
export async function leadLoad(
  options: LoadOptions,
  { of, host, port, onWaiting, silenceMs = SILENCE_MS }: Leading,
): Promise<Listening> {
  const { onProgress, signal } = options;
  const load = await loadOf(options);
  // each generator has headers of its own, and these may hold a secret; it need not have the trace's file
  const told: LoadOptions = { ...options, headers: {}, ...(load.trace && { trace: load.trace }) };
  const recorder = new Recorder(options.bounds);
  const token = randomBytes(9).toString('base64url');
  const waiting = new Set<(order: Order) => void>();
  const parts: { open: number; heard: number; result?: News['result'] }[] = [];
  let started = 0;

  const join = (response: ServerResponse): Promise<Order> =>
    new Promise((begin) => {
      waiting.add(begin);
      // who goes before all have come keeps nobody's place
      response.once('close', () => started === 0 && waiting.delete(begin) && onWaiting?.(waiting.size));
      onWaiting?.(waiting.size);
      if (waiting.size < of) return;
      started = performance.now();
      for (const each of waiting) {
        parts.push({ open: 0, heard: started });
        each({ options: told, part: { index: parts.length - 1, of } });
      }
    });
  const hear = (index: number, { events, open, result }: News): { stop: boolean } => {
    parts[index] = { open, heard: performance.now(), ...(result && { result }) };
    for (const [late, ofClass, latency, cause, vm, said] of events)
      if (late !== null) recorder.sent(late);
      else
        recorder.ended(
          ofClass ?? '',
          { ...(cause && { cause }), ...(said && { said }), ...(vm && { vm }) },
          latency ?? 0,
        );
    return { stop: signal?.aborted === true };
  };

  const answer = async (asked: IncomingMessage, response: ServerResponse): Promise<unknown> => {
    const [, given, what] = (asked.url ?? '').split('/');
    if (given !== token) return undefined;
    if (what === 'join') return waiting.size < of ? join(response) : undefined;
    return parts[Number(what)] && hear(Number(what), JSON.parse(await text(asked)) as News);
  };
  const server = createServer((asked, response) => {
    answer(asked, response).then(
      (said) => response.writeHead(said === undefined ? 404 : 200).end(JSON.stringify(said ?? {})),
      () => response.writeHead(400).end(),
    );
  });
  server.listen(port, host);
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    throw new OptionError(`Generators can't be waited for at ${host}:${port} (${error.code}).`);
  });

  const finished = Promise.withResolvers<LoadSummary>();
  const sum = (of: (part: (typeof parts)[number]) => number): number => parts.reduce((all, part) => all + of(part), 0);
  const ticker = setInterval(() => {
    if (started === 0) {
      if (signal?.aborted) finished.reject(new OptionError('Stopped before all generators had come.'));
      return;
    }
    const elapsed = performance.now() - started;
    onProgress?.({
      ...recorder.takeInterval(),
      ...{ elapsed, duration: load.duration, load: load.profile(elapsed), open: sum(({ open }) => open) },
      totalLost: recorder.failed,
    });
    const gone = parts.findIndex(({ heard, result }) => !result && performance.now() - heard > silenceMs);
    if (gone >= 0)
      finished.reject(
        new GeneratorGone(`Generator ${gone + 1} of ${of} is gone: what it sent is not known. Run the load again.`),
      );
    if (parts.some(({ result }) => !result)) return;
    const { drive, max, duration, seed } = load;
    const bottleneck = parts.flatMap(({ result }, i) =>
      result?.bottleneck ? [`Generator ${i + 1}: ${result.bottleneck}`] : [],
    )[0];
    finished.resolve({
      ...{ drive, max, duration, seed },
      ...recorder.totals(),
      profile: options.profile ?? 'ascending',
      sent: sum(({ result }) => result?.sent ?? 0),
      notSent: sum(({ result }) => result?.notSent ?? 0),
      elapsed: Math.max(...parts.map(({ result }) => result?.elapsed ?? 0)),
      ...(bottleneck !== undefined && { bottleneck }),
    });
  }, 1000);
  const ended = finished.promise.finally(() => {
    clearInterval(ticker);
    server.close();
    server.closeAllConnections();
  });
  const { port: open } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${open}/${token}`,
    load: ended,
    fail: (reason) => finished.reject(reason),
  };
}

/**
 * Takes part in a load: `headers` are this generator's own, as are its connections and its clock. False: who counts what it
 * sends was gone before the end.
 */
export async function joinLoad(url: string, headers: LoadOptions['headers']): Promise<boolean> {
  const post = async (what: string | number, body: unknown): Promise<unknown> => {
    // the last of the others may come hours later
    const to = { method: 'POST', body: JSON.stringify(body), headersTimeout: 0 } as const;
    const answer = await request(`${url.replace(/\/$/, '')}/${what}`, to);
    if (answer.statusCode !== 200) throw new Error(`status ${answer.statusCode}: it has begun, or has ended`);
    return answer.body.json();
  };
  const { options, part } = (await post('join', {}).catch((error: NodeJS.ErrnoException) => {
    throw new OptionError(`No load waits for generators at ${url} (${error.code ?? error.message}).`);
  })) as Order;
  const stopping = new AbortController();
  let events: RunEvent[] = [];
  let open = 0;
  const tell = async (result?: News['result']): Promise<void> => {
    const told = events;
    events = [];
    const heard = (await post(part.index, { events: told, open, ...(result && { result }) })) as { stop: boolean };
    if (heard.stop) stopping.abort();
  };
  let running = true;
  const talking = (async () => {
    // one after the other, so that none overtakes another
    for (; running; await sleep(NEWS_MS)) await tell();
  })().catch(() => stopping.abort());
  const { sent, notSent, elapsed, bottleneck } = await runLoad({
    ...{ ...options, part, signal: stopping.signal },
    ...(headers && { headers }),
    onEvent: (event, nowOpen) => {
      events.push(event);
      open = nowOpen;
    },
  });
  running = false;
  await talking;
  return tell({ sent, notSent, elapsed, ...(bottleneck !== undefined && { bottleneck }) }).then(
    () => true,
    () => false,
  );
}
