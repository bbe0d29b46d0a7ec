// Named queries, capture jobs, subscriptions and the feed that tells a subscription what is new.
// Times are milliseconds since 1970 by the database's clock.
import type { Migration } from './migration.ts';

interface Types {
  /** Compared byte by byte: neither case nor a space at the end is overlooked. Up to 255 characters. */
  readonly name: string;
  readonly text: string;
  readonly blob: string;
  readonly batch: string;
  readonly insertNew: string;
  /** What follows a table's columns; `narrow` for a table that is all key. */
  readonly end: string;
  readonly narrow: string;
}

const MYSQL: Types = {
  name: 'VARBINARY(1020)',
  text: 'MEDIUMTEXT',
  blob: 'MEDIUMBLOB',
  batch: 'BINARY(16)',
  insertNew: 'INSERT IGNORE',
  end: 'ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin',
  narrow: 'ENGINE=InnoDB',
};
const SQLITE: Types = {
  name: 'TEXT',
  text: 'TEXT',
  blob: 'BLOB',
  batch: 'BLOB',
  insertNew: 'INSERT OR IGNORE',
  end: '',
  narrow: 'WITHOUT ROWID',
};

interface Table {
  readonly name: string;
  readonly columns: string;
  readonly indexes?: Readonly<Record<string, string>>;
  readonly isNarrow?: boolean;
}

function tables({ name, text, blob, batch }: Types): readonly Table[] {
  return [
    {
      name: 'named_query',
      columns: `
        name ${name} NOT NULL PRIMARY KEY,
        parameters ${text} NOT NULL,
        definition ${text} NOT NULL,
        created_at BIGINT NOT NULL`,
    },
    {
      // state: 0 being received, 1 to be captured, 2 finished. lease_until: nobody may claim it before.
      name: 'capture_job',
      columns: `
        id VARCHAR(36) NOT NULL PRIMARY KEY,
        state INT NOT NULL,
        media_type ${text} NOT NULL,
        headers ${text} NOT NULL,
        error_behaviour VARCHAR(8) NOT NULL,
        events BIGINT NOT NULL,
        created_at BIGINT NOT NULL,
        finished_at BIGINT,
        success INT NOT NULL,
        errors ${text} NOT NULL,
        attempt INT NOT NULL,
        owner VARCHAR(36),
        lease_until BIGINT NOT NULL`,
      indexes: { capture_job_waiting: 'state, created_at', capture_job_newest: 'created_at, id' },
    },
    {
      name: 'capture_job_chunk',
      columns: `
        job_id VARCHAR(36) NOT NULL,
        n INT NOT NULL,
        bytes ${blob} NOT NULL,
        PRIMARY KEY (job_id, n)`,
    },
    {
      // position: delivered up to here. window_*: the run at work, so that a take-over repeats exactly that run.
      // socket_*: the VM that holds the WebSocket; nobody else can deliver.
      name: 'subscription',
      columns: `
        id ${name} NOT NULL PRIMARY KEY,
        query_name ${name} NOT NULL,
        parameters ${text} NOT NULL,
        destination ${text} NOT NULL,
        signature_token ${text},
        schedule ${text},
        trigger_uri ${text},
        result ${text} NOT NULL,
        report_if_empty INT NOT NULL,
        created_at BIGINT NOT NULL,
        initial_record_time BIGINT,
        run_at BIGINT NOT NULL,
        position BIGINT,
        window_upto BIGINT,
        window_time BIGINT,
        window_after ${text},
        window_sent BIGINT NOT NULL,
        last_run_at BIGINT,
        last_notified_at BIGINT,
        failures INT NOT NULL,
        attempt INT NOT NULL,
        owner VARCHAR(36),
        lease_until BIGINT NOT NULL,
        socket_owner VARCHAR(36),
        socket_until BIGINT`,
      indexes: {
        subscription_due: 'run_at',
        subscription_query: 'query_name',
        subscription_socket: 'socket_owner',
      },
    },
    {
      // one row. head: the last position given out; turn: counts how often the row was locked
      name: 'feed_counter',
      columns: `
        id INT NOT NULL PRIMARY KEY,
        head BIGINT NOT NULL,
        turn BIGINT NOT NULL`,
    },
    {
      name: 'feed_batch',
      columns: `
        batch ${batch} NOT NULL PRIMARY KEY,
        position BIGINT`,
      indexes: { feed_batch_position: 'position' },
      isNarrow: true,
    },
    {
      name: 'feed_event',
      columns: `
        batch ${batch} NOT NULL,
        event_id BIGINT NOT NULL,
        PRIMARY KEY (batch, event_id)`,
      isNarrow: true,
    },
  ];
}

const FIRST_ROW = 'INTO feed_counter (id, head, turn) VALUES (1, 0, 0)';

/** MySQL has no CREATE INDEX IF NOT EXISTS, so there the indexes come with the table. */
function mysql(): readonly string[] {
  const create = ({ name, columns, indexes = {}, isNarrow }: Table): string => {
    const lines = Object.entries(indexes).map(([index, over]) => `, INDEX ${index} (${over})`);
    return `CREATE TABLE IF NOT EXISTS ${name} (${columns}${lines.join('')}) ${isNarrow ? MYSQL.narrow : MYSQL.end}`;
  };
  return [...tables(MYSQL).map(create), `${MYSQL.insertNew} ${FIRST_ROW}`];
}

function sqlite(): readonly string[] {
  const create = ({ name, columns, indexes = {}, isNarrow }: Table): readonly string[] => [
    `CREATE TABLE IF NOT EXISTS ${name} (${columns}) ${isNarrow ? SQLITE.narrow : SQLITE.end}`,
    ...Object.entries(indexes).map(([index, over]) => `CREATE INDEX IF NOT EXISTS ${index} ON ${name} (${over})`),
  ];
  return [...tables(SQLITE).flatMap(create), `${SQLITE.insertNew} ${FIRST_ROW}`];
}

export const work: Migration = { version: 2, name: 'work', statements: { mysql: mysql(), sqlite: sqlite() } };
