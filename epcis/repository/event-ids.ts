// Which IDs of events are taken.
import { ERROR_DECLARATION, EVENT_ID, EXISTS } from '../service/queryable-texts.ts';
import type { Connection } from './database/database.ts';
import { digestOf, keys } from './keys.ts';

/**
 * Whether an event that is no error declaration has this ID, its own or its hash. Whoever asks for the same ID waits until
 * this transaction ends, and then sees what it wrote: of two who give an ID to an event at once, one is told.
 */
export async function holdsEvent(connection: Connection, eventID: string): Promise<boolean> {
  const posting = keys.posting(EVENT_ID.name, eventID);
  // SQLite has one writer at a time anyhow
  if (connection.dialect === 'mysql') await lock(connection, `eventID ${Buffer.from(posting).toString('hex')}`);
  const taken = await connection.all(
    `SELECT 1 AS taken FROM event_text t WHERE t.posting = ? AND NOT EXISTS
       (SELECT 1 FROM event_text d WHERE d.posting = ? AND d.event_time = t.event_time AND d.event_id = t.event_id)
     LIMIT 1`,
    [posting, keys.posting(ERROR_DECLARATION.name, EXISTS)],
  );
  if (taken.length > 0) return true;
  const hash = digestOf(eventID);
  if (hash === undefined) return false;
  return (
    (await connection.all('SELECT 1 AS taken FROM event WHERE hash = ? AND variant = 0 LIMIT 1', [hash])).length > 0
  );
}

/** A row that comes and goes in one transaction is a lock on its key, and leaves nothing behind. */
async function lock(connection: Connection, name: string): Promise<void> {
  await connection.run("INSERT INTO setting (name, value) VALUES (?, '')", [name]);
  await connection.run('DELETE FROM setting WHERE name = ?', [name]);
}
