/**
 * What the service stands on, and every other VM too, does not answer at present: later it may. The message is for the client and names no
 * server and no file; the cause is for the log.
 */
export class UnavailableError extends Error {
  override readonly name = 'UnavailableError';
  /** Seconds. */
  readonly retryAfter = 5;
}

/** The field of a 503 that says what is missing is not the VM's own: to ask another VM is no use. */
export const UNAVAILABLE_FIELD = 'x-mmeliot-unavailable';
export const UNAVAILABLE = 'repository';
