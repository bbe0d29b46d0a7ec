// Each batch of the feed gets an ordinal from the database, in the order in which captures announce. What an earlier version
// left without one is numbered in the order that it would have had there: by its key. VMs of that version go on writing
// beside this one: they do not name the column, and the database fills it for them, too.
import type { Migration } from './migration.ts';

/** InnoDB wants an index that begins with what it counts. */
const MYSQL = [
  `ALTER TABLE feed_batch ADD COLUMN ordinal BIGINT NOT NULL AUTO_INCREMENT, ADD INDEX feed_batch_ordinal (ordinal)`,
];

/** SQLite counts a table's own key only, so the table is made anew. */
const SQLITE = [
  `CREATE TABLE feed_batch_ordered (ordinal INTEGER PRIMARY KEY, batch BLOB NOT NULL UNIQUE, position BIGINT)`,
  `INSERT INTO feed_batch_ordered (batch, position) SELECT batch, position FROM feed_batch ORDER BY batch`,
  `DROP TABLE feed_batch`,
  `ALTER TABLE feed_batch_ordered RENAME TO feed_batch`,
  `CREATE INDEX feed_batch_position ON feed_batch (position)`,
];

export const feedOrder: Migration = {
  version: 3,
  name: 'order of the feed',
  statements: { mysql: MYSQL, sqlite: SQLITE },
};
