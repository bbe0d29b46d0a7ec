// The feed: which events were captured since a subscription's last delivered run, exactly.
//
// recordTime alone can't answer that. It is taken inside the capturing transaction, so an event may become visible after
// others with a later recordTime (a long document, a slow commit, another VM's clock), and many events share one. A window
// over recordTime would then skip or repeat events, however carefully its ends are chosen.
// So the capturing transaction also writes its events' ids here, as one batch without a position (`announce`). Only once a
// batch is committed, hence visible, somebody gives it the next position (`sequence`): positions are handed out under a
// lock, in the order in which batches became visible, and never change. A run covers the positions (last delivered, head]:
// every event is in exactly one window, whatever its recordTime. Example: T1 takes recordTime 10:00:00 and commits at 10:05,
// T2 takes 10:04 and commits at once: T2 has position 1, T1 position 2; a subscription that ran at 10:04:30 delivered
// up to 1 and delivers T1 next.
import { randomBytes } from 'node:crypto';
import type { Connection, SqlValue } from './database.ts';

/**
 * Capture calls this inside its transaction, once for every batch of events it inserted there (not for events that were
 * there already), with the ids of their rows: committed together or not at all.
 */
export async function announce(connection: Connection, eventIds: readonly SqlValue[]): Promise<void> {
  if (eventIds.length === 0) return;
  const batch = batchId();
  await connection.run('INSERT INTO feed_batch (batch, position) VALUES (?, NULL)', [batch]);
  for (let from = 0; from < eventIds.length; from += 500) {
    const ids = eventIds.slice(from, from + 500);
    await connection.run(
      `INSERT INTO feed_event (batch, event_id) VALUES ${ids.map(() => '(?, ?)').join(', ')}`,
      ids.flatMap((id) => [batch, id]),
    );
  }
}

/** Unique without asking the database; time first, so that new rows stand together at the end of the index. */
function batchId(): Uint8Array {
  const id = randomBytes(16);
  id.writeUIntBE(Date.now(), 0, 6);
  return id;
}
