// Sends spans to a collector, some at a time. Nobody waits for it: what it can't take is kept up to a bound, and then dropped.
import { backOff } from '../domain/back-off.ts';
import { writeSpans, type Attributes, type EndedSpan } from './otlp.ts';

export interface ExporterLog {
  warn(fields: object, message: string): void;
  info(fields: object, message: string): void;
}

export interface ExporterOptions {
  /** Without `/v1/traces`. */
  readonly endpoint: string;
  /** Who they are from. */
  readonly resource: Attributes;
  readonly log: ExporterLog;
  readonly everyMs?: number;
}

export interface Exporter {
  add(span: EndedSpan): void;
  /** Sends what is left, if that is soon done. */
  close(): Promise<void>;
}

/** A second's work of a busy gateway; some megabytes. */
const MOST_KEPT = 4096;
const AT_ONCE = 512;
const EVERY_MS = 1_000;
const PATIENCE_MS = 10_000;
const GOODBYE_MS = 1_000;
/** A collector that is away is asked less and less often. */
const MAX_PAUSE_MS = 60_000;

export function createExporter({ endpoint, resource, log, everyMs = EVERY_MS }: ExporterOptions): Exporter {
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`;
  const kept: EndedSpan[] = [];
  let lost = 0;
  let failures = 0;
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> | undefined;

  const send = async (patienceMs: number): Promise<void> => {
    while (kept.length > 0) {
      const spans = kept.splice(0, AT_ONCE);
      const why = await post(url, writeSpans(resource, spans), patienceMs);
      if (why === undefined) {
        if (failures > 0) log.info({ collector: url, lost }, 'Traces are delivered again');
        failures = lost = 0;
        continue;
      }
      failures++;
      // the newest are dropped first: what led to the trouble is kept
      const again = why.isFinal ? [] : spans.slice(0, Math.max(0, MOST_KEPT - kept.length));
      lost += spans.length - again.length;
      kept.unshift(...again);
      if (failures === 1) log.warn({ collector: url, why: why.text }, 'Traces cannot be delivered');
      return;
    }
  };
  const later = (): void => {
    if (timer !== undefined || kept.length === 0) return;
    timer = setTimeout(
      () => {
        timer = undefined;
        sending = send(PATIENCE_MS).finally(() => {
          sending = undefined;
          later();
        });
      },
      backOff(failures + 1, everyMs, MAX_PAUSE_MS),
    ).unref();
  };
  return {
    add(span) {
      if (kept.length >= MOST_KEPT) {
        lost++;
        return;
      }
      kept.push(span);
      if (sending === undefined) later();
    },
    async close() {
      clearTimeout(timer);
      const all = (sending ?? Promise.resolve()).then(() => send(GOODBYE_MS));
      await Promise.race([all, new Promise((resolve) => setTimeout(resolve, GOODBYE_MS).unref())]);
      clearTimeout(timer);
    },
  };
}

interface Refused {
  readonly text: string;
  /** It would be refused again. */
  readonly isFinal: boolean;
}

async function post(url: string, body: string, patienceMs: number): Promise<Refused | undefined> {
  try {
    const headers = { 'content-type': 'application/json' };
    const signal = AbortSignal.timeout(patienceMs);
    const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'error' });
    await response.arrayBuffer();
    if (response.ok) return undefined;
    return { text: `it answers ${response.status}`, isFinal: response.status < 500 && response.status !== 429 };
  } catch (error) {
    const { cause, message } = error as Error & { cause?: Error & { code?: string } };
    return { text: cause?.code ?? cause?.message ?? message, isFinal: false };
  }
}
