// Requests that their client doesn't wait for: it takes them back, or closes its connection. Each costs more than one that is answered.
import type { Refusal } from './headers.ts';
import type { Millis } from '../../model.ts';

/**
 * Of one client. Pages that are left and programs that ask with a time-out abandon some now and then: what a client did not in ten
 * seconds it may at once, as many as a hundred pages have under way, or several programs beside a VM that stands still.
 */
export const ABANDONED_PER_SECOND = 50;
export const ABANDONED_SAVED_MS: Millis = 10_000;

/** Who asks so much oftener than that while it is refused is not answered any more. */
export const REFUSED_PER_SECOND = 100;

export const TOO_MANY_ABANDONED: Refusal = {
  status: 429,
  reason: `A client may abandon ${ABANDONED_PER_SECOND} requests a second; wait for the answers of more of them.`,
};
