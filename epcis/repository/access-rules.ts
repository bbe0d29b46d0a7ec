// The rules of who may see what, in the repository: every version as it was applied, by whom and from where.
import type { Database, Row } from './database/database.ts';
import { codeOf } from './database/errors.ts';
import { iso, nowSql, text } from './leases.ts';

export interface StoredRules {
  readonly version: number;
  /** As the operator wrote it, and as JSON. */
  readonly source: string;
  readonly rules: string;
  readonly appliedAt: string;
  readonly appliedBy: string;
  readonly appliedFrom: string;
}

/** Older versions are forgotten. */
const KEPT = 100;

/** 0: none were ever applied. */
export async function rulesVersion(database: Database): Promise<number> {
  const [row] = await database.all('SELECT MAX(version) AS version FROM access_rules');
  return Number(row?.['version'] ?? 0);
}

export async function currentRules(database: Database): Promise<StoredRules | undefined> {
  const [row] = await database.all('SELECT * FROM access_rules ORDER BY version DESC LIMIT 1');
  return row && rulesOf(row);
}

/** The newest first. */
export async function rulesHistory(database: Database): Promise<readonly StoredRules[]> {
  const rows = await database.all('SELECT * FROM access_rules ORDER BY version DESC');
  return rows.map(rulesOf);
}

/** The version that they have from now on. Of two who apply at once one comes after the other. */
export async function applyRules(
  database: Database,
  { source, rules, appliedBy, appliedFrom }: Pick<StoredRules, 'source' | 'rules' | 'appliedBy' | 'appliedFrom'>,
): Promise<number> {
  return database.transaction(async (connection) => {
    const [row] = await connection.all('SELECT MAX(version) AS version FROM access_rules');
    const version = Number(row?.['version'] ?? 0) + 1;
    await connection.run(
      `INSERT INTO access_rules (version, source, rules, applied_at, applied_by, applied_from)
       VALUES (?, ?, ?, ${nowSql(connection.dialect)}, ?, ?)`,
      [version, source, rules, appliedBy.slice(0, 255), appliedFrom.slice(0, 255)],
    );
    await connection.run('DELETE FROM access_rules WHERE version <= ?', [version - KEPT]);
    return version;
  });
}

/**
 * By this index the EPCs of an event at hand are found, which only rules with patterns ask for; so it is made for the first of them. On
 * a large repository that takes minutes, while it serves (MySQL) or waits (SQLite).
 */
export async function indexEpcsOfEvents(database: Database): Promise<void> {
  if (database.dialect === 'sqlite') {
    await database.run('CREATE INDEX IF NOT EXISTS event_epc_of ON event_epc (event_id, epc, roles)');
    return;
  }
  const [known] = await database.all(
    `SELECT 1 FROM information_schema.statistics
     WHERE table_schema = DATABASE() AND table_name = 'event_epc' AND index_name = 'event_epc_of'`,
  );
  if (known !== undefined) return;
  await database.run('CREATE INDEX event_epc_of ON event_epc (event_id, epc, roles)').catch((error: unknown) => {
    if (codeOf(error) !== 'ER_DUP_KEYNAME') throw error; // another VM was first
  });
}

function rulesOf(row: Row): StoredRules {
  return {
    version: Number(row['version']),
    source: text(row, 'source'),
    rules: text(row, 'rules'),
    appliedAt: iso(Number(row['applied_at'])),
    appliedBy: text(row, 'applied_by'),
    appliedFrom: text(row, 'applied_from'),
  };
}
