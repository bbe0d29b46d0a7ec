// Questions that take this process some ms each come one a turn of its loop: those of others are answered between two of them, and
// not behind all that wait.
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Bytes of an address, or of a question by SOAP: dozens of parameters, or of values. */
const LONG_BYTES = 2_000;

export function oneATurn() {
  let last: Promise<unknown> = Promise.resolve();
  return (request: IncomingMessage, response: ServerResponse, next: () => void): void => {
    if (!isLong(request)) return next();
    last = last.then(nextTurn).then(() => (response.closed ? undefined : next()));
  };
}

/** The second one from here: what came meanwhile, and waits for a turn itself, is before it. */
async function nextTurn(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise(setImmediate);
}

function isLong({ url = '', headers }: IncomingMessage): boolean {
  const body = Number(headers['content-length'] ?? (headers['transfer-encoding'] === undefined ? 0 : Infinity));
  return url.length > LONG_BYTES || (url.endsWith('/query') && body > LONG_BYTES);
}
