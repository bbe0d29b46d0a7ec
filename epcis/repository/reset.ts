// Empties the repository of events and master data (Fosstrak's dbReset). Named queries and subscriptions stay, and so do the
// texts behind keys, which every VM remembers.
import type { Database } from './database/database.ts';

const TABLES = [
  'feed_event',
  'feed_batch',
  'event_epc',
  'event_text',
  'event_number',
  'event',
  'vocabulary_child',
  'vocabulary_attribute',
  'vocabulary_element',
];

export function resetRepository(database: Database): Promise<void> {
  return database.transaction(async (connection) => {
    for (const table of TABLES) await connection.run(`DELETE FROM ${table}`);
  });
}
