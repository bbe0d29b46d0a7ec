// The span under which something is done in this process, without every call between having to name it.
import { AsyncLocalStorage } from 'node:async_hooks';
import { TRACE_PARENT, TRACE_STATE, readContext, writeParent } from './context.ts';
import type { Span, Tracer } from './tracer.ts';

const active = new AsyncLocalStorage<Span>();

export const activeSpan = (): Span | undefined => active.getStore();

export const under = <T>(span: Span, act: () => T): T => active.run(span, act);

/** What a document is stored with, so that what is done with it later is known to come of this request. */
export function traceHeaders(): Readonly<Record<string, string>> {
  const span = activeSpan();
  return span === undefined ? {} : { [TRACE_PARENT]: writeParent(span.context) };
}

/** Stored work is a trace of its own, linked to the request that it came with, where that was traced. */
export async function followed<T>(
  tracer: Tracer | undefined,
  headers: Readonly<Record<string, string>>,
  name: string,
  act: () => Promise<T>,
): Promise<T> {
  const from = tracer && readContext(headers[TRACE_PARENT], headers[TRACE_STATE]);
  if (tracer === undefined || from?.sampled !== true) return act();
  const span = tracer.follow(from, name);
  try {
    return await under(span, act);
  } finally {
    span.end();
  }
}
