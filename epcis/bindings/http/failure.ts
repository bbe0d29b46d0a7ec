// What may reach a client: the standard's exceptions. Everything else is logged under an ID, and the client gets the ID only.
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { EpcisException } from '../../domain/exceptions.ts';

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
}

interface Request {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers?: IncomingHttpHeaders;
}

export function asFailure(error: unknown, log: Log, { method, url, headers }: Request): Failure {
  if (error instanceof EpcisException && error.name !== 'ImplementationException') return { exception: error };
  const id = randomUUID();
  // the gateway's name for the request finds it in the gateway's log
  const requestId = headers?.['x-request-id'];
  log.error({ err: error, failure: id, requestId, method, url }, 'EPCIS request failed');
  const reason = `The request failed inside the service; its operator finds the cause under the ID ${id}.`;
  return { exception: new EpcisException('ImplementationException', reason), id };
}
