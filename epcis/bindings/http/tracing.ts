// A span for each request that is traced. Of its address only the route is told, not what stands in its places: an EPC, a name.
import type { NextFunction, Request, Response } from 'express';
import type { IncomingMessage } from 'node:http';
import { activeSpan, under } from '../../tracing/active.ts';
import { readContext, TRACE_PARENT, TRACE_STATE } from '../../tracing/context.ts';
import type { Tracer } from '../../tracing/tracer.ts';

export const traceRequests =
  (tracer: Tracer) =>
  (request: Request, response: Response, next: NextFunction): void => {
    const { method, headers } = request;
    const { span } = tracer.arrive(readContext(headers[TRACE_PARENT], headers[TRACE_STATE]), method);
    if (span === undefined) return next();
    span.set({ 'http.request.method': method });
    response.once('close', () => {
      const { statusCode, writableFinished } = response;
      span.set({ 'http.response.status_code': statusCode, ...(!writableFinished && { 'error.type': 'client-gone' }) });
      span.end(statusCode >= 500);
    });
    under(span, next);
  };

/** Said by whoever serves it: as OpenAPI writes it, such as `/epcs/{epc}/events`. */
export function servedAt(route: string, { method = '' }: IncomingMessage): void {
  const span = activeSpan();
  span?.name(`${method} ${route}`);
  span?.set({ 'http.route': route });
}
