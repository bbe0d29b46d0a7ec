// A large document of a job that proceeds past what is wrong, in parts that are captured by several workers: each part is a document of
// its own, with what stands before the events and behind them. For the client it stays one job.
import { eachItem } from './each-item.ts';
import { CHUNK_BYTES } from './jobs-chunks.ts';
import type { CaptureItem, CaptureResult } from './services.ts';

/** Where an event stands: bytes from `from` up to, and without, `to`; its first line, counted from 1 (XML). */
export interface EventSpan {
  readonly from: number;
  readonly to: number;
  readonly line: number;
}

/** Places in the whole document, in bytes. */
export interface DocumentPart {
  /** Which of the parts it is, from 0. */
  readonly n: number;
  /** Where the first event of all begins, and where the last one ends. */
  readonly head: number;
  readonly tail: number;
  readonly from: number;
  readonly to: number;
  /** Events of it, and before it. */
  readonly events: number;
  readonly index: number;
  /** Lines that a reader of it has not seen when it comes to its events, and when it comes to what is behind them. */
  readonly linesBefore: number;
  readonly linesBehind: number;
}

/** Hears of the events of a document, in its order, and cuts it where a part has `bytes` and more. */
export class Cutter {
  readonly #bytes: number;
  readonly #parts: { from: EventSpan; to: number; lastLine: number; events: number }[] = [];

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  /** `lastLine`: that the event ends in. */
  event(span: EventSpan, lastLine: number): void {
    const part = this.#parts.at(-1);
    if (part === undefined || part.to - part.from.from >= this.#bytes)
      this.#parts.push({ from: span, to: span.to, lastLine, events: 1 });
    else Object.assign(part, { to: span.to, lastLine, events: part.events + 1 });
  }

  /** One is the whole. */
  parts(): readonly DocumentPart[] {
    const [first] = this.#parts;
    const last = this.#parts.at(-1);
    if (first === undefined || last === undefined) return [];
    let index = 0;
    return this.#parts.map(({ from, to, lastLine, events }, n) => {
      index += events;
      return {
        ...{ n, head: first.from.from, tail: last.to, from: from.from, to, events, index: index - events },
        ...{ linesBefore: from.line - first.from.line, linesBehind: last.lastLine - lastLine },
      };
    });
  }
}

/** The part as a document. `chunk`: one of the whole document's; each has CHUNK_BYTES but the last. */
export async function* partBytes(
  { head, tail, from, to, linesBefore, linesBehind }: DocumentPart,
  chunk: (n: number) => Promise<Uint8Array | undefined>,
): AsyncGenerator<Uint8Array> {
  yield* range(chunk, 0, head);
  yield* emptyLines(linesBefore);
  yield* range(chunk, from, to);
  yield* emptyLines(linesBehind);
  yield* range(chunk, tail, Infinity);
}

async function* range(
  chunk: (n: number) => Promise<Uint8Array | undefined>,
  from: number,
  to: number,
): AsyncGenerator<Uint8Array> {
  for (let n = Math.floor(from / CHUNK_BYTES); n * CHUNK_BYTES < to; n += 1) {
    const bytes = await chunk(n);
    if (bytes === undefined) return;
    const start = n * CHUNK_BYTES;
    yield bytes.subarray(Math.max(0, from - start), Math.max(0, to - start));
  }
}

/** So that a fault is told with the line that it has in the whole document. */
function* emptyLines(count: number): Generator<Uint8Array> {
  for (let left = count; left > 0; left -= CHUNK_BYTES)
    yield new Uint8Array(Math.min(left, CHUNK_BYTES)).fill('\n'.charCodeAt(0));
}

/** Master data belongs to the first part. */
export function ofPart(items: AsyncIterable<CaptureItem>, { n }: DocumentPart): AsyncIterable<CaptureItem> {
  return n === 0 ? items : eachItem(items, (item) => (item.kind === 'event' ? item : undefined));
}

type Fault = CaptureResult['errors'][number];

/** /epcisBody/eventList/3 of a part that has 200 events before it is /epcisBody/eventList/203. */
export function inWhole({ index }: DocumentPart, { type, reason, at }: Fault): Fault {
  const moved = (text: string): string =>
    text.replace(/(\/eventList\/)(\d+)/, (_, list: string, n: string) => `${list}${Number(n) + index}`);
  return { type, reason: moved(reason), ...(at !== undefined && { at: moved(at) }) };
}

/** What is wrong before the events or behind them every part tells. */
export function merged(errors: readonly (readonly Fault[])[], most: number): readonly Fault[] {
  const known = new Map(errors.flat().map((fault) => [JSON.stringify(fault), fault]));
  return [...known.values()].slice(0, most);
}
