// The repository's time: all VMs have it in common, whatever their own clocks say.
import type { Connection } from './database/database.ts';
import { now } from './leases.ts';

/** A machine that slept has missed some of it. */
const ASKED_AGAIN_MS = 600_000;

/** In ms since 1970. Asked for now, and again when that is a while ago; between it goes on by a clock that nobody sets. */
export async function repositoryTime(
  database: Connection,
  elapsed: () => number = () => performance.now(),
): Promise<() => number> {
  const look = async () => ({ time: await now(database), at: elapsed() });
  let seen = await look();
  let asking = false;
  return () => {
    if (!asking && elapsed() - seen.at > ASKED_AGAIN_MS) {
      asking = true;
      look()
        .then((one) => (seen = one))
        .catch(() => undefined) // what was seen is good until it answers again
        .finally(() => (asking = false));
    }
    return Math.round(seen.time + elapsed() - seen.at);
  };
}
