// Spans as OTLP/HTTP has them in JSON (opentelemetry-proto, trace.proto): IDs in hexadecimal, times in ns as text.
import type { TraceContext } from './context.ts';

export type Attributes = Readonly<Record<string, string | number | boolean>>;

export type SpanKind = 'internal' | 'server' | 'client' | 'consumer';

/** A span that is over. Times in ms since the epoch. */
export interface EndedSpan {
  readonly context: TraceContext;
  readonly parentId?: string;
  readonly name: string;
  readonly kind: SpanKind;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attributes: Attributes;
  readonly failed: boolean;
  /** What brought it about without being its parent. */
  readonly link?: Pick<TraceContext, 'traceId' | 'spanId'>;
}

const KINDS: Record<SpanKind, number> = { internal: 1, server: 2, client: 3, consumer: 5 };
const ERROR = 2;

export const writeSpans = (resource: Attributes, spans: readonly EndedSpan[]): string =>
  JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [{ scope: { name: 'mmeliot' }, spans: spans.map(spanOf) }],
      },
    ],
  });

const spanOf = ({ context, parentId, name, kind, startedAt, endedAt, attributes, failed, link }: EndedSpan) => ({
  traceId: context.traceId,
  spanId: context.spanId,
  ...(context.state !== undefined && { traceState: context.state }),
  ...(parentId !== undefined && { parentSpanId: parentId }),
  name,
  kind: KINDS[kind],
  startTimeUnixNano: nanos(startedAt),
  endTimeUnixNano: nanos(Math.max(startedAt, endedAt)),
  attributes: attributesOf(attributes),
  ...(link !== undefined && { links: [{ traceId: link.traceId, spanId: link.spanId }] }),
  ...(failed && { status: { code: ERROR } }),
});

const attributesOf = (attributes: Attributes) =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: valueOf(value) }));

function valueOf(value: string | number | boolean): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** No number holds it: 1.5 ms is "1500000", and today has 19 digits. */
function nanos(ms: number): string {
  const whole = Math.floor(ms);
  return `${whole}${Math.floor((ms - whole) * 1e6)
    .toString()
    .padStart(6, '0')}`;
}
