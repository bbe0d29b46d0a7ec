// Which trace a request belongs to, as W3C Trace Context writes it in `traceparent` and `tracestate`.

export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 of them: the span that this is passed on by. */
  readonly spanId: string;
  readonly sampled: boolean;
  /** What other vendors keep there; passed on as it came. */
  readonly state?: string;
}

export const TRACE_PARENT = 'traceparent';
export const TRACE_STATE = 'tracestate';

const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const NOTHING = /^0+$/;
const SAMPLED = 1;

/** Undefined: there is none, or it is none by the standard, and its state goes with it. */
export function readContext(parent: unknown, state?: unknown): TraceContext | undefined {
  const [, version, traceId = '', spanId = '', flags = '', more] =
    (typeof parent === 'string' && FORM.exec(parent.trim())) || [];
  // a later version may have more behind it, this one may not
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (NOTHING.test(traceId) || NOTHING.test(spanId)) return undefined;
  const sampled = (parseInt(flags, 16) & SAMPLED) === SAMPLED;
  return { traceId, spanId, sampled, ...(typeof state === 'string' && state !== '' && { state }) };
}

export const writeParent = ({ traceId, spanId, sampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-0${sampled ? SAMPLED : 0}`;

/** As header fields: name, value, name, value. */
export const contextFields = (context: TraceContext): readonly string[] => [
  TRACE_PARENT,
  writeParent(context),
  ...(context.state === undefined ? [] : [TRACE_STATE, context.state]),
];
