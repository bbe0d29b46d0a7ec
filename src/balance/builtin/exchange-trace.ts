// What is told of one exchange to whoever collects traces: a span for the request, and one below it for each VM that it was sent to.
// Neither its address nor its fields are told: they may hold what only the client and the VM should know.
import { contextFields, readContext, TRACE_PARENT, TRACE_STATE } from '../../../epcis/tracing/context.ts';
import type { TraceContext } from '../../../epcis/tracing/context.ts';
import type { Span, Tracer } from '../../../epcis/tracing/tracer.ts';
import type { LossCause } from '../core/counters.ts';
import type { Incoming } from './incoming.ts';

export class ExchangeTrace {
  readonly #context: TraceContext;
  /** Undefined: this request is not traced, which VMs are told as well. */
  readonly #span: Span | undefined;
  #attempt: Span | undefined;

  constructor(tracer: Tracer, { request, response }: Pick<Incoming, 'request' | 'response'>) {
    const { method = '', headers } = request;
    const { context, span } = tracer.arrive(readContext(headers[TRACE_PARENT], headers[TRACE_STATE]), method);
    this.#context = context;
    this.#span = span;
    if (span === undefined) return;
    span.set({ 'http.request.method': method });
    // one that was refused before it counted
    response.once('close', () => this.ended(response.headersSent ? response.statusCode : 0));
  }

  /** The fields by which the VM knows of it. */
  sentTo(vm: string): readonly string[] {
    this.#attempt = this.#span?.child('VM', 'client');
    this.#attempt?.set({ 'mmeliot.vm': vm });
    return contextFields(this.#attempt?.context ?? this.#context);
  }

  left(failed: boolean): void {
    this.#attempt?.end(failed);
  }

  lost(cause: LossCause): void {
    this.#span?.set({ 'error.type': cause });
  }

  ended(status: number, about: Readonly<Record<string, string | number>> = {}): void {
    this.#span?.set({ ...about, ...(status > 0 && { 'http.response.status_code': status }) });
    this.#span?.end(status === 0 || status >= 500);
  }
}
