// Begins spans and decides which requests are traced. What was decided travels with the request, so that all who meet it agree.
import type { TraceContext } from './context.ts';
import type { Attributes, EndedSpan, SpanKind } from './otlp.ts';

/** Spans below one that came from outside, at most: a document of 100,000 events has as many statements. */
const MOST_BELOW = 200;

export interface Tracer {
  /** A request that came from outside with this context, or with none. No span: it is not traced; the context goes on all the same. */
  arrive(from: TraceContext | undefined, name: string): { readonly context: TraceContext; readonly span?: Span };
  /** Work of its own that a traced request brought about. */
  follow(link: TraceContext, name: string): Span;
}

export interface TracerParts {
  readonly share: number;
  /** ms since the epoch, with fractions. */
  readonly now: () => number;
  readonly random: () => number;
  /** So many random bytes in hexadecimal. */
  readonly newId: (bytes: number) => string;
  readonly ended: (span: EndedSpan) => void;
}

export function createTracer(parts: TracerParts): Tracer {
  const { share, random, newId } = parts;
  const begin = (name: string, kind: SpanKind, from: Partial<EndedSpan> & Pick<EndedSpan, 'context'>) =>
    new Span(parts, { ...from, name, kind }, { left: MOST_BELOW, dropped: 0 });
  return {
    arrive(from, name) {
      const sampled = from?.sampled ?? random() < share;
      if (!sampled) return { context: from ?? { traceId: newId(16), spanId: newId(8), sampled } };
      const context = { ...from, traceId: from?.traceId ?? newId(16), spanId: newId(8), sampled };
      return { context, span: begin(name, 'server', { context, ...(from && { parentId: from.spanId }) }) };
    },
    follow: (link, name) =>
      begin(name, 'consumer', { context: { traceId: newId(16), spanId: newId(8), sampled: true }, link }),
  };
}

/** How many spans there may still be below the one that came from outside. */
interface Room {
  left: number;
  dropped: number;
}

export class Span {
  readonly context: TraceContext;
  readonly #parts: TracerParts;
  readonly #about: Omit<EndedSpan, 'startedAt' | 'endedAt' | 'attributes' | 'failed'>;
  readonly #room: Room;
  readonly #startedAt: number;
  readonly #isFirst: boolean;
  #name: string;
  readonly #attributes: Record<string, Attributes[string]> = {};
  #ended = false;

  constructor(
    parts: TracerParts,
    about: Omit<EndedSpan, 'startedAt' | 'endedAt' | 'attributes' | 'failed'>,
    room: Room,
    isFirst = true,
  ) {
    this.context = about.context;
    this.#parts = parts;
    this.#about = about;
    this.#name = about.name;
    this.#room = room;
    this.#isFirst = isFirst;
    this.#startedAt = parts.now();
  }

  /** Undefined: there are enough of them in this trace. */
  child(name: string, kind: SpanKind): Span | undefined {
    if (this.#room.left === 0) {
      this.#room.dropped++;
      return undefined;
    }
    this.#room.left--;
    const context = { ...this.context, spanId: this.#parts.newId(8) };
    return new Span(this.#parts, { context, parentId: this.context.spanId, name, kind }, this.#room, false);
  }

  name(name: string): void {
    this.#name = name;
  }

  set(attributes: Attributes): void {
    Object.assign(this.#attributes, attributes);
  }

  /** Only the first end counts. */
  end(failed = false): void {
    if (this.#ended) return;
    this.#ended = true;
    const { dropped } = this.#room;
    if (this.#isFirst && dropped > 0) this.#attributes['mmeliot.spans_left_out'] = dropped;
    this.#parts.ended({
      ...this.#about,
      ...{ name: this.#name, attributes: this.#attributes, failed },
      ...{ startedAt: this.#startedAt, endedAt: this.#parts.now() },
    });
  }
}
