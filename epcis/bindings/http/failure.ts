// What may reach a client: the standard's exceptions. Everything else is logged under an ID, and the client gets the ID only.
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { EpcisException } from '../../domain/exceptions.ts';
import { UNAVAILABLE, UNAVAILABLE_FIELD, UnavailableError } from '../../domain/unavailable.ts';

/** The part of a pino logger the doors use. */
export interface Log {
  error(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  info(fields: object, message: string): void;
}

export interface Failure {
  readonly exception: EpcisException;
  /** Set where the cause is ours: the ID it was logged under. */
  readonly id?: string;
  /** What the service stands on does not answer: fields of a 503. */
  readonly unavailable?: Readonly<Record<string, string>>;
}

/** A gateway knows by them that no other VM has more to say. */
const missing = (retryAfter: number) => ({ 'Retry-After': String(retryAfter), [UNAVAILABLE_FIELD]: UNAVAILABLE });

interface Request {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers?: IncomingHttpHeaders;
}

export function asFailure(error: unknown, log: Log, { method, url, headers }: Request): Failure {
  if (error instanceof EpcisException && error.name !== 'ImplementationException') return { exception: error };
  if (error instanceof UnavailableError) {
    const { message, retryAfter } = error;
    return { exception: new EpcisException('ImplementationException', message), unavailable: missing(retryAfter) };
  }
  const id = randomUUID();
  // the gateway's name for the request finds it in the gateway's log
  const requestId = headers?.['x-request-id'];
  log.error({ err: error, failure: id, requestId, method, url }, 'EPCIS request failed');
  const reason = `The request failed inside the service; its operator finds the cause under the ID ${id}.`;
  return { exception: new EpcisException('ImplementationException', reason), id };
}
