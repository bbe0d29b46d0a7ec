// Who shows what nobody was given, all the time, is answered later and later: each such request costs as much as one that is served.
import type { Core } from './core.ts';
import type { Millis } from '../../model.ts';

/** A client that was set up wrongly is to be told before it gives up. */
const LONGEST_REST_MS: Millis = 10_000;

/** In how many ms one more of this client is answered. What would be later than the longest does not count. */
export function restOfStranger({ deps, strangerRates }: Core, sender: string): Millis {
  const now = deps.now();
  const restMs = strangerRates.restAfter(sender, 0, now);
  return restMs < LONGEST_REST_MS ? strangerRates.restAfter(sender, 1, now) : LONGEST_REST_MS;
}
