// What may reach a client: the standard's exceptions. Everything else is logged under an ID, and the client gets the ID only.
import { randomUUID } from 'node:crypto';
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

export function asFailure(error: unknown, log: Log, request: { method?: string; url?: string }): Failure {
  if (error instanceof EpcisException && error.name !== 'ImplementationException') return { exception: error };
  const id = randomUUID();
  log.error({ err: error, failure: id, method: request.method, url: request.url }, 'EPCIS request failed');
  const reason = `The request failed inside the service; its operator finds the cause under the ID ${id}.`;
  return { exception: new EpcisException('ImplementationException', reason), id };
}
