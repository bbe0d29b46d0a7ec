// The feed: which events were captured since a subscription's last delivered run, exactly.
//
// recordTime alone can't answer that. It is taken inside the capturing transaction, so an event may become visible after
// others with a later recordTime (a long document, a slow commit, another VM's clock), and many events share one. A window
// over recordTime would then skip or repeat events, however carefully its ends are chosen.
// So the capturing transaction also writes its events' ids here, in batches without a position (`announce`). Only once a
// batch is committed, hence visible, somebody gives it the next position (`sequence`): positions are handed out under a
// lock, in the order in which batches became visible, and never change. A run covers the positions (last delivered, head],
// and sends them in this order: every event is in exactly one window, whatever its recordTime. Example: T1 takes recordTime
// 10:00:00 and commits at 10:05, T2 takes 10:04 and commits at once: T2 has position 1, T1 position 2; a subscription that
// ran at 10:04:30 delivered up to 1 and delivers T1 next.
//
// Batches that become visible between two looks stand in the order of their `ordinal`. The database counts it, no clock of
// a VM does, so a capture that began after another one was answered comes after it. It is taken as the last thing before
// the commit: only captures that commit at the same moment, neither of them answered, may stand either way round.
import { randomBytes } from 'node:crypto';
import type { Connection, Database, Dialect, SqlValue } from './database/database.ts';
import { insertRows } from './database/insert.ts';
import { inList } from './sql/sql.ts';

/**
 * Capture calls this at the end of its transaction, for every batch of events it inserted there (not for events that were
 * there already), with the ids of their rows: committed together or not at all.
 */
export async function announce(connection: Connection, eventIds: readonly SqlValue[]): Promise<void> {
  if (eventIds.length === 0) return;
  const batch = batchId();
  await connection.run('INSERT INTO feed_batch (batch, position) VALUES (?, NULL)', [batch]);
  const rows = eventIds.map((id) => [batch, id]);
  await insertRows(connection, 'feed_event', ['batch', 'event_id'], rows);
}

/** Unique without asking the database; time first, so that new rows stand together at the end of the index. */
function batchId(): Uint8Array {
  const id = randomBytes(16);
  id.writeUIntBE(Date.now(), 0, 6);
  return id;
}

/** A write, not SELECT FOR UPDATE: on a cluster only writes make two transactions on two of its members conflict. */
const LOCK = 'UPDATE feed_counter SET turn = turn + 1 WHERE id = 1';

/** What is there already gets the position of the row that was to be inserted: many updates in one statement. */
const POSITION: Readonly<Record<Dialect, string>> = {
  mysql: 'ON DUPLICATE KEY UPDATE position = VALUES(position)',
  sqlite: 'ON CONFLICT (batch) DO UPDATE SET position = excluded.position',
};

/** Inside a transaction: gives every committed batch its position and returns the last one given out (`head`). */
export async function sequence(connection: Connection): Promise<number> {
  await connection.run(LOCK);
  const counter = await connection.all('SELECT head FROM feed_counter WHERE id = 1');
  const batches = await connection.all(
    'SELECT batch FROM feed_batch WHERE position IS NULL ORDER BY ordinal LIMIT 1000',
  );
  let head = Number(counter[0]?.['head']);
  const rows = batches.map(({ batch }) => [batch ?? null, (head += 1)]);
  await insertRows(connection, 'feed_batch', ['batch', 'position'], rows, { ending: POSITION[connection.dialect] });
  if (batches.length > 0) await connection.run('UPDATE feed_counter SET head = ? WHERE id = 1', [head]);
  return head;
}

/** For whoever waits for news: one cheap look, and more only where a subscription waits and a batch came. */
export async function moveOn(database: Database): Promise<void> {
  const rows = await database.all(
    `SELECT 1 FROM feed_batch WHERE position IS NULL AND EXISTS (SELECT 1 FROM subscription) LIMIT 1`,
  );
  if (rows.length > 0) await database.transaction(sequence);
}

const PURGED_AT_ONCE = 64;

/**
 * Drops what every subscription has behind it, some batches at a time; returns how many. Under the same lock as planning a
 * run (LOCK), so that no first run is being planned on what disappears here.
 */
export async function purge(database: Database): Promise<number> {
  const any = await database.all('SELECT 1 FROM feed_batch LIMIT 1');
  if (any.length === 0) return 0;
  return database.transaction(async (connection) => {
    await connection.run(LOCK);
    const rows = await connection.all('SELECT MIN(COALESCE(position, window_upto)) AS bound FROM subscription');
    const bound = rows[0]?.['bound'] ?? null; // null: no subscription needs any of it
    const behind = bound === null ? '' : 'WHERE position <= ?';
    const batches = await connection.all(`SELECT batch FROM feed_batch ${behind} LIMIT ?`, [
      ...(bound === null ? [] : [bound]),
      PURGED_AT_ONCE,
    ]);
    if (batches.length === 0) return 0;
    const { sql, values } = inList(
      'batch',
      batches.map(({ batch }) => batch ?? null),
    );
    await connection.run(`DELETE FROM feed_event WHERE ${sql}`, values);
    await connection.run(`DELETE FROM feed_batch WHERE ${sql}`, values);
    return batches.length;
  });
}
