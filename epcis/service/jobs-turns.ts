// Jobs of one client wait for each other before those of other clients do: who stores thousands has them all in time, and nobody
// else waits behind them.
//   turn = created + place of its class × promoteAfter + what the client's jobs before it are worth, from when they were stored
// Worked: 1,000 small documents at 0 s are worth 100 s, so the last of them has its turn at 100 s; what another client stores at 2 s
// goes behind the first 20.
import type { Classify } from './jobs-classes.ts';

/** ms that a job is worth, however small it is. */
const JOB_MS = 100;
/** A MB is worth a second. */
const BYTES_PER_MS = 1000;
/** Nobody's job is put off for longer. */
const LONGEST_MS = 300_000;
const MOST_CLIENTS = 10_000;

/** `now`: ms of any clock that goes forward. */
export function inTurns(classify: Classify, now: () => number): Classify {
  /** When what each client stored is paid off; who stored last stands last. */
  const paidAt = new Map<string, number>();
  return (origin, bytes) => {
    const place = classify(origin, bytes);
    if (origin === undefined) return place;
    const at = now();
    const from = Math.max(at, paidAt.get(origin.client) ?? at);
    paidAt.delete(origin.client);
    paidAt.set(origin.client, Math.min(from + JOB_MS + bytes / BYTES_PER_MS, at + LONGEST_MS));
    for (const [client, until] of paidAt) {
      if (until > at && paidAt.size <= MOST_CLIENTS) break;
      paidAt.delete(client);
    }
    return { ...place, wait: place.wait + Math.round(from - at) };
  };
}
